"""Boosted gates and components."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from labelfield import BoostedTrees, ConditionalBernoulliMixture
from labelfield.checks import contract as checks
from labelfield.io import load
from labelfield.metrics import subset_accuracy
from labelfield.models.mixture.boosting import BinnedRows

TINY = {"components": "boosted", "n_components": 2, "early_stopping": False, "max_iter": 3}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    first = X[:, 0] * X[:, 1] > 0
    return X, np.stack([first, ~first & (X[:, 2] > 0), first | (X[:, 2] > 0)], axis=1).astype(int)


def test_carried_scores_are_those_of_the_trees(data):
    X, Y = data
    rows = BinnedRows(max_leaves=4, learning_rate=0.2, max_features=1.0)
    rows.bin(X)
    ensemble = rows.new_ensemble(2)

    def square_loss(scores):
        return scores - Y[:, :2], np.ones_like(scores)

    ensemble.grow(square_loss, 3)
    ensemble.grow(square_loss, 2)
    np.testing.assert_allclose(ensemble.predict(X), ensemble.scores, atol=1e-12)
    again = pickle.loads(pickle.dumps(ensemble))
    np.testing.assert_array_equal(again.predict(X), ensemble.predict(X))


@pytest.mark.parametrize(
    ("max_features", "kind", "n_features", "share"),
    [
        ("auto", np.asarray, 400, 0.05),
        ("auto", np.asarray, 40, 0.25),
        ("auto", np.asarray, 4, 1.0),
        ("auto", sp.csr_matrix, 400, 1.0),
        (0.3, np.asarray, 400, 0.3),
    ],
)
def test_trees_share_the_features(max_features, kind, n_features, share):
    X = np.random.default_rng(0).normal(size=(30, n_features))
    rows = BinnedRows(max_leaves=3, learning_rate=0.1, max_features=max_features)
    rows.bin(kind(X))
    assert rows.parameters["feature_fraction"] == pytest.approx(share)


def test_a_small_share_means_other_features_for_every_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    used = {}
    for share in (0.25, 1.0):
        rows = BinnedRows(max_leaves=2, learning_rate=0.1, max_features=share)
        rows.bin(X)
        ensemble = rows.new_ensemble()
        ensemble.grow(lambda scores: (scores - X[:, :1], np.ones_like(scores)), 20)
        used[share] = np.flatnonzero(ensemble._booster.feature_importance())
    assert used[1.0].tolist() == [0]
    assert len(used[0.25]) > 3


def test_learns_what_no_linear_model_can(data):
    X, Y = data
    trees = BoostedTrees(n_trees=12, learning_rate=0.3)
    boosted = ConditionalBernoulliMixture(**{**TINY, "components": trees}, random_state=0).fit(X, Y)
    linear = ConditionalBernoulliMixture(
        n_components=2, early_stopping=False, max_iter=3, random_state=0
    )
    assert subset_accuracy(Y, boosted.predict(X)) > 0.9
    assert subset_accuracy(Y, linear.fit(X, Y).predict(X)) < 0.8
    assert (np.diff(boosted.trace_.objective) < 0).all()


def test_keeps_text_and_no_training_rows(data):
    model = ConditionalBernoulliMixture(**TINY, random_state=0).fit(*data)
    assert isinstance(model.gate_.ensemble.text, str)
    assert model.gate_.rows.data is None
    assert model.components_.training is None


def test_saved_file_answers_the_same(data, tmp_path):
    X, Y = data
    model = ConditionalBernoulliMixture(**TINY, random_state=0).fit(X, Y)
    model.save(tmp_path / "mixture.skops")
    again = load(tmp_path / "mixture.skops")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("structure", ["sparse", "dense"])
def test_own_checks(structure):
    tiny = ConditionalBernoulliMixture(
        **{**TINY, "components": BoostedTrees(n_trees=2), "max_iter": 1},
        init="sets",
        structure=structure,
    )
    for check in (
        checks.check_predict_decodes_joint,
        checks.check_label_permutation,
        checks.check_constant_labels,
        checks.check_sparse_equals_dense,
        checks.check_pickle,
        checks.check_one_row,
    ):
        check(tiny)
