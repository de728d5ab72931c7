"""Trees as arrays give scikit-learn's leaves; row weights give its probabilities."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

from labelfield.learners import RowForest
from labelfield.learners.trees.leaves import TreeArrays


def rows(n=120, d=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    Y = (X[:, :3] + 0.5 * rng.normal(size=(n, 3)) > 0.2).astype(np.uint8)
    return X, Y


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_leaves_are_those_of_scikit_learn(form):
    X, Y = rows()
    forest = ExtraTreesClassifier(11, random_state=0).fit(form(X), Y)
    trees = TreeArrays([tree.tree_ for tree in forest.estimators_], X.shape[1])
    fresh = form(rows(seed=1)[0])
    np.testing.assert_array_equal(trees.leaves(fresh) - trees.roots, forest.apply(fresh))
    assert trees.is_sound()


def test_row_weights_give_the_forests_probabilities():
    X, Y = rows()
    fresh = rows(seed=1)[0]
    ours = RowForest(30, min_samples_leaf=4, random_state=3).fit(X, Y)
    weights = ours.row_weights(fresh)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-5)
    theirs = ExtraTreesRegressor(30, max_features=6, min_samples_leaf=4, random_state=3).fit(X, Y)
    np.testing.assert_allclose(weights @ Y, theirs.predict(fresh), atol=1e-5)


def test_a_sparse_matrix_with_many_entries_grows_the_trees_of_its_table():
    X, Y = rows()
    fresh = rows(seed=1)[0]
    of_table = RowForest(10, random_state=3).fit(X, Y).row_weights(fresh)
    of_matrix = RowForest(10, random_state=3).fit(sp.csr_matrix(X), Y)
    np.testing.assert_array_equal(
        of_matrix.row_weights(sp.csr_matrix(fresh)).toarray(), of_table.toarray()
    )


def test_many_labels_are_told_apart_by_a_few_mixtures_of_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 6))
    Y = (X @ rng.normal(size=(6, 80)) > 1.0).astype(np.uint8)
    fresh, truth = X[400:], Y[400:]
    ours = RowForest(40).fit(X[:400], Y[:400]).row_weights(fresh) @ Y[:400]
    theirs = ExtraTreesRegressor(40, max_features=6, random_state=0).fit(X[:400], Y[:400])
    error, error_of_all = ((P - truth) ** 2 for P in (ours, theirs.predict(fresh)))
    assert error.mean() < 1.05 * error_of_all.mean()
    assert error_of_all.mean() < 0.6 * truth.var(axis=0).mean()


def test_heavier_rows_have_larger_shares():
    X, Y = np.zeros((3, 1)), np.array([[0], [1], [1]])
    weight = np.array([1.0, 2.0, 5.0])
    weights = RowForest(5).fit(X, Y, weight).row_weights(np.zeros((1, 1)))
    np.testing.assert_allclose(weights.toarray()[0], weight / 8.0, rtol=1e-6)


@pytest.mark.parametrize(
    ("array", "value"), [("children", 0), ("children", 10**6), ("feature", 99), ("roots", -1)]
)
def test_changed_trees_are_not_sound(array, value):
    X, Y = rows()
    trees = RowForest(3).fit(X, Y).trees_
    changed = getattr(trees, array).copy()
    changed.ravel()[np.flatnonzero(changed.ravel() != value)[-1]] = value
    setattr(trees, array, changed)
    assert not trees.is_sound()


def test_rows_of_another_width_are_refused():
    X, Y = rows()
    with pytest.raises(ValueError, match="X has 3 features; the trees know 7"):
        RowForest(3).fit(X, Y).row_weights(X[:, :3])
