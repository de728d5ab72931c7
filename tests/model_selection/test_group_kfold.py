"""Folds of whole groups with balanced labels."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, cross_validate

from labelfield import BinaryRelevance, MultilabelStratifiedGroupKFold, MultilabelStratifiedKFold
from labelfield.datasets import make_multilabel


def confined(Y, groups, fold_of_group):
    """Count labels of several groups that all lie in one fold: a training part lacks them."""
    count = 0
    for label in Y.T:
        holders = np.unique(groups[label == 1])
        count += len(holders) > 1 and len(set(fold_of_group[holders])) == 1
    return count


def draw(rng):
    n_groups, n_folds = int(rng.integers(3, 8)), int(rng.integers(2, 4))
    groups = np.append(np.arange(n_groups), rng.integers(0, n_groups, rng.integers(1, 25)))
    Y = rng.random((len(groups), int(rng.integers(1, 9)))) < rng.choice([0.1, 0.2, 0.4])
    return Y.astype(int), groups, n_folds


def folds_of_groups(Y, groups, n_folds, **options):
    fold = np.full(groups.max() + 1, -1)
    splitter = MultilabelStratifiedGroupKFold(n_folds, **options)
    for j, (_, test) in enumerate(splitter.split(Y, Y, groups)):
        fold[groups[test]] = j
    return fold


@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([1, 2]))
def test_groups_stay_together_and_every_row_is_tested_once(seed, shuffle, order):
    Y, groups, n_folds = draw(np.random.default_rng(seed))
    options = {"shuffle": shuffle, "random_state": seed if shuffle else None, "order": order}
    splitter = MultilabelStratifiedGroupKFold(n_folds, **options)
    tests = []
    for train, test in splitter.split(Y, Y, groups):
        assert len(test)
        assert not set(groups[train]) & set(groups[test])
        np.testing.assert_array_equal(np.sort(np.append(train, test)), np.arange(len(Y)))
        tests.append(test)
    assert len(tests) == n_folds
    np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(len(Y)))
    again = [test for _, test in splitter.split(Y, Y, groups)]
    for one, other in zip(tests, again):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(40))
def test_no_label_is_missing_from_a_training_part_that_could_have_it(seed):
    Y, groups, n_folds = draw(np.random.default_rng(seed))
    ways = (np.array(way) for way in product(range(n_folds), repeat=groups.max() + 1))
    fewest = min(confined(Y, groups, way) for way in ways if len(set(way)) == n_folds)
    assert confined(Y, groups, folds_of_groups(Y, groups, n_folds)) == fewest


def test_labels_are_spread_better_than_by_groups_alone():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 150, 1500)
    rates = rng.random((150, 20)) * np.linspace(0.02, 0.5, 20)
    Y = (rng.random((1500, 20)) < rates[groups]).astype(int)

    def spread(splitter):
        shares = [Y[test].sum(axis=0) / Y.sum(axis=0) for _, test in splitter.split(Y, Y, groups)]
        return np.abs(np.array(shares) - 0.2).mean()

    assert spread(MultilabelStratifiedGroupKFold(5)) < 0.5 * spread(GroupKFold(5))
    sizes = [len(test) for _, test in MultilabelStratifiedGroupKFold(5).split(Y, Y, groups)]
    assert max(sizes) - min(sizes) < 30


def test_single_rows_as_groups_are_plain_stratification():
    rng = np.random.default_rng(0)
    Y = (rng.random((200, 6)) < 0.2).astype(int)

    def spread(splitter):
        parts = splitter.split(Y, Y, np.arange(200) if "Group" in type(splitter).__name__ else None)
        return np.mean(
            [np.abs(Y[test].sum(axis=0) - Y.sum(axis=0) / 4).mean() for _, test in parts]
        )

    plain = spread(MultilabelStratifiedKFold(4))
    assert spread(MultilabelStratifiedGroupKFold(4)) <= plain + 0.5


@pytest.mark.parametrize(
    "as_target",
    [lambda Y: Y, sp.csr_matrix, lambda Y: [[f"t{j}" for j in np.flatnonzero(row)] for row in Y]],
    ids=["array", "csr", "tags"],
)
def test_kinds_of_targets_and_groups(as_target):
    Y, groups, n_folds = draw(np.random.default_rng(3))
    splitter = MultilabelStratifiedGroupKFold(n_folds)
    expected = [test for _, test in splitter.split(Y, Y, groups)]
    names = [f"g{g}" for g in groups]
    for got, test in zip(splitter.split(Y, as_target(Y), names), expected):
        np.testing.assert_array_equal(got[1], test)


def test_in_cross_validation_with_and_without_routing():
    data = make_multilabel(n_samples=120, n_labels=3, random_state=0)
    groups = np.arange(120) // 4
    options = {"cv": MultilabelStratifiedGroupKFold(3), "return_indices": True}
    plain = cross_validate(BinaryRelevance(), data.X, data.Y, groups=groups, **options)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = cross_validate(
            BinaryRelevance(), data.X, data.Y, params={"groups": groups}, **options
        )
    for train, test in zip(plain["indices"]["train"], plain["indices"]["test"]):
        assert not set(groups[train]) & set(groups[test])
    np.testing.assert_array_equal(plain["test_score"], routed["test_score"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((np.eye(4), np.eye(4), None), "groups is None; give the group of each row"),
        ((np.eye(4), None, [1, 1, 2, 2]), "y is None"),
        ((np.eye(4), np.eye(4), [1, 1, 1, 1]), "n_splits=2 is more than the 1 groups"),
        ((np.eye(4), np.eye(4), [1, 2, 3]), "inconsistent numbers of samples"),
    ],
)
def test_bad_input(arguments, words):
    with pytest.raises(ValueError, match=words):
        next(MultilabelStratifiedGroupKFold(2).split(*arguments))
    with pytest.raises(ValueError, match="use MultilabelStratifiedGroupKFold"):
        next(MultilabelStratifiedKFold(2).split(np.eye(4), np.eye(4), [1, 2, 3, 4]))
