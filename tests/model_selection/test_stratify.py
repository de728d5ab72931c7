from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from labelfield.metrics import get_scorer
from labelfield.model_selection import (
    MultilabelStratifiedKFold,
    stratified_parts,
    stratified_split,
)

indicators = hnp.arrays(
    np.uint8,
    st.tuples(st.integers(4, 25), st.integers(1, 6)),
    elements=st.sampled_from([0, 0, 1]),
)


def skewed_labels(n=400, L=12, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.random((n, L)) < np.geomspace(0.5, 0.02, L)).astype(np.uint8)


def held_out(splitter, Y):
    return [test for _, test in splitter.split(Y, Y)]


def textbook_folds(Y, n_splits, order):
    """Iterative stratification in plain Python and exact fractions; full folds take no more."""
    n, L = Y.shape
    strata_of = []
    for row in Y:
        held = [int(label) for label in np.flatnonzero(row)]
        singles = [(0, label) for label in held] or [(1,)]
        strata_of.append(singles + [(2, *pair) for pair in combinations(held, 2)] * (order == 2))
    strata = sorted({s for held in strata_of for s in held})
    rows_of = {s: [i for i in range(n) if s in strata_of[i]] for s in strata}
    wanted = {s: [Fraction(len(rows_of[s]), n_splits)] * n_splits for s in strata}
    room = [n // n_splits + (j < n % n_splits) for j in range(n_splits)]
    folds = [[] for _ in range(n_splits)]
    while any(rows_of.values()):
        rarest = min((s for s in strata if rows_of[s]), key=lambda s: len(rows_of[s]))
        for i in list(rows_of[rarest]):
            open_folds = [j for j in range(n_splits) if room[j] > 0]
            need = {j: sum(wanted[s][j] for s in strata_of[i]) for j in open_folds}
            best = max(open_folds, key=lambda j: (wanted[rarest][j], need[j], room[j], -j))
            folds[best].append(i)
            room[best] -= 1
            for s in strata_of[i]:
                wanted[s][best] -= 1
                rows_of[s].remove(i)
    return [sorted(fold) for fold in folds]


@pytest.mark.parametrize("order", [1, 2])
@settings(max_examples=60, deadline=None)
@given(Y=indicators, n_splits=st.integers(2, 4))
def test_folds_equal_the_textbook_loop(order, Y, n_splits):
    got = held_out(MultilabelStratifiedKFold(n_splits, order=order), Y)
    assert [list(fold) for fold in got] == textbook_folds(Y, n_splits, order)


@pytest.mark.parametrize("order", [1, 2])
@settings(max_examples=40, deadline=None)
@given(Y=indicators, n_splits=st.integers(2, 4), seed=st.integers(0, 5))
def test_every_row_is_tested_once_in_folds_of_equal_size(order, Y, n_splits, seed):
    splitter = MultilabelStratifiedKFold(n_splits, order=order, shuffle=True, random_state=seed)
    folds = list(splitter.split(Y, Y))
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(len(Y)))
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(len(Y)))
    expected = [len(test) for _, test in KFold(n_splits).split(Y)]
    assert [len(test) for _, test in folds] == expected


def spread(Y, tests):
    """Mean distance of the label frequencies in the parts from those of the whole."""
    return np.mean([np.abs(Y[test].mean(axis=0) - Y.mean(axis=0)) for test in tests])


@pytest.mark.parametrize("seed", range(3))
def test_label_frequencies_are_several_times_closer_than_by_chance(seed):
    Y = skewed_labels(seed=seed)
    ours = MultilabelStratifiedKFold(5, shuffle=True, random_state=seed)
    chance = KFold(5, shuffle=True, random_state=seed)
    assert spread(Y, held_out(ours, Y)) < spread(Y, held_out(chance, Y)) / 3


@pytest.mark.parametrize("seed", range(3))
def test_second_order_keeps_pairs_closer(seed):
    Y = skewed_labels(n=600, L=8, seed=seed)
    pairs = np.column_stack([Y[:, a] & Y[:, b] for a, b in combinations(range(8), 2)])
    first, second = (
        spread(
            pairs, held_out(MultilabelStratifiedKFold(5, order=o, shuffle=True, random_state=0), Y)
        )
        for o in (1, 2)
    )
    assert second < 0.8 * first


def test_a_label_rarer_than_folds_never_doubles_up():
    Y = skewed_labels()
    Y[:, 0] = 0
    Y[[3, 50, 200], 0] = 1
    counts = [Y[test, 0].sum() for test in held_out(MultilabelStratifiedKFold(5), Y)]
    assert sorted(counts) == [0, 0, 1, 1, 1]


def test_rows_without_a_label_are_spread_evenly():
    Y = skewed_labels()
    Y[100:200] = 0
    empty = Y.sum(axis=1) == 0
    counts = [empty[test].sum() for test in held_out(MultilabelStratifiedKFold(5), Y)]
    assert max(counts) - min(counts) <= 3


def test_no_label_at_all_gives_plain_folds():
    Y = np.zeros((10, 2))
    assert [len(test) for test in held_out(MultilabelStratifiedKFold(3), Y)] == [4, 3, 3]


def test_seed_decides_everything():
    Y = skewed_labels()
    one, same, other = (
        held_out(MultilabelStratifiedKFold(5, shuffle=True, random_state=seed), Y)
        for seed in (0, 0, 1)
    )
    assert all(np.array_equal(a, b) for a, b in zip(one, same))
    assert not all(np.array_equal(a, b) for a, b in zip(one, other))


def test_a_generator_is_a_seed_too():
    Y = skewed_labels(60)
    by_seed = stratified_split(Y, random_state=3)
    by_generator = stratified_split(Y, random_state=np.random.default_rng(3))
    for a, b in zip(by_seed, by_generator):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("convert", [sparse.csr_matrix, sparse.csc_array, np.ndarray.tolist])
def test_kinds_of_label_matrices_agree(convert):
    Y = skewed_labels(60)
    splitter = MultilabelStratifiedKFold(3, order=2)
    for a, b in zip(held_out(splitter, Y), held_out(splitter, convert(Y))):
        np.testing.assert_array_equal(a, b)


def test_unknown_entries_count_as_zero():
    Y = skewed_labels(60).astype(float)
    hidden = np.where(np.random.default_rng(0).random(Y.shape) < 0.3, np.nan, Y)
    splitter = MultilabelStratifiedKFold(3)
    for a, b in zip(held_out(splitter, hidden), held_out(splitter, np.nan_to_num(hidden))):
        np.testing.assert_array_equal(a, b)


def test_a_vector_is_a_single_label():
    y = np.repeat([1, 0], [6, 12])
    assert [y[test].sum() for test in held_out(MultilabelStratifiedKFold(3), y)] == [2, 2, 2]


def test_works_in_cross_validation_and_grid_search():
    Y = skewed_labels(90, 4)
    X = Y + np.random.default_rng(0).normal(size=Y.shape)
    cv = MultilabelStratifiedKFold(3, shuffle=True, random_state=0)
    scoring = get_scorer("f1_micro")
    model = KNeighborsClassifier(3)
    scores = cross_val_score(model, X, Y, cv=cv, scoring=scoring)
    search = GridSearchCV(model, {"n_neighbors": [3]}, cv=cv, scoring=scoring).fit(X, Y)
    assert search.best_score_ == pytest.approx(scores.mean())
    assert cv.get_n_splits() == 3
    expected = "MultilabelStratifiedKFold(n_splits=3, order=1, random_state=0, shuffle=True)"
    assert repr(cv) == expected


@settings(max_examples=40, deadline=None)
@given(Y=indicators, seed=st.integers(0, 3))
def test_parts_cover_all_rows_once_in_the_wanted_sizes(Y, seed):
    shares = [0.5, 0.3, 0.2]
    parts = stratified_parts(Y, shares, random_state=seed)
    assert sorted(np.concatenate(parts)) == list(range(len(Y)))
    for part, share in zip(parts, shares):
        assert abs(len(part) - share * len(Y)) < 1


def test_parts_keep_the_label_frequencies():
    Y = skewed_labels(500)
    parts = stratified_parts(Y, [0.5, 0.1, 0.1, 0.1, 0.2], random_state=0)
    cuts = np.cumsum([250, 50, 50, 50])
    chance = np.split(np.random.default_rng(0).permutation(500), cuts)
    assert spread(Y, parts) < spread(Y, chance) / 3


@pytest.mark.parametrize(("test_size", "n_test"), [(0.25, 26), (30, 30)])
def test_split_sizes_are_those_of_scikit_learn(test_size, n_test):
    Y = skewed_labels(101)
    train, test = stratified_split(Y, test_size=test_size, order=2, random_state=0)
    assert len(test) == n_test
    assert sorted([*train, *test]) == list(range(101))
    assert spread(Y, [test]) < 0.02


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda Y: MultilabelStratifiedKFold(1), "n_splits=1 must be"),
        (lambda Y: MultilabelStratifiedKFold(2.5), "n_splits=2.5 must be"),
        (lambda Y: MultilabelStratifiedKFold(order=3), "order=3 must be 1"),
        (lambda Y: MultilabelStratifiedKFold(random_state=0), "without shuffle=True"),
        (lambda Y: held_out(MultilabelStratifiedKFold(30), Y), "more than the 20 rows"),
        (lambda Y: next(MultilabelStratifiedKFold().split(Y)), "y is None"),
        (lambda Y: next(MultilabelStratifiedKFold().split(Y, Y, Y[:, 0])), "GroupKFold"),
        (lambda Y: held_out(MultilabelStratifiedKFold(), Y + 1), "y holds 2"),
        (lambda Y: stratified_parts(Y, [0.5, 0.6]), "sum to 1"),
        (lambda Y: stratified_parts(Y, [1.5, -0.5]), "positive"),
        (lambda Y: stratified_parts(Y, [0.5, 0.5], order=0), "order=0"),
        (lambda Y: stratified_split(Y, test_size=0.0), "test_size=0.0 of 20 rows"),
        (lambda Y: stratified_split(Y, test_size=1.0), "leaves a part empty"),
        (lambda Y: stratified_split(Y, test_size=20), "leaves a part empty"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(skewed_labels(20, 3))


def test_many_rows_are_dealt_as_few_are(monkeypatch):
    Y = skewed_labels()
    splitter = MultilabelStratifiedKFold(5, shuffle=True, random_state=0)
    wanted = held_out(splitter, Y)
    monkeypatch.setattr("labelfield.model_selection._stratify.SMALL", 0)
    for few, many in zip(wanted, held_out(splitter, Y)):
        np.testing.assert_array_equal(few, many)
