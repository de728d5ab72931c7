import numpy as np
import pytest
import scipy.sparse as sp

from labelfield.learners import MultinomialLearner, strength_folds
from labelfield.learners.strengths.softmax import choose_softmax_strength


def draw(n=120, d=5, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 2.0
    scores = (X - 2.0) @ rng.normal(size=(d, n_classes)) + rng.gumbel(size=(n, n_classes))
    return X, np.eye(n_classes)[scores.argmax(axis=1)]


def held_out(X, T, folds, alpha, weight):
    """The textbook loop: a tight fit on the rows of every fold."""
    total = 0.0
    share = np.mean([weight[train].sum() for train, _ in folds]) / weight.sum()
    for train, test in folds:
        learner = MultinomialLearner(alpha=alpha * share, tol=1e-9)
        learner.fit(X[train], T[train], sample_weight=weight[train])
        total += weight[test] @ (T[test] * learner.log_proba(X[test])).sum(axis=1)
    return total / weight.sum()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_path_equals_separate_fits(form):
    X, T = draw()
    weight = np.random.default_rng(1).random(len(T)) + 0.1
    path = choose_softmax_strength(form(X), T, T, weight)
    folds = strength_folds(T, weight)
    expected = [held_out(X, T, folds, alpha, weight) for alpha in path.strengths]
    np.testing.assert_allclose(path.log_likelihood, expected, atol=2e-3)
    assert path.alpha == path.strengths[np.argmax(path.log_likelihood)]


def test_a_class_seen_once_says_nothing():
    X, T = draw()
    alone = np.column_stack([T, np.zeros(len(T))])
    alone[3] = [0, 0, 0, 0, 1]
    path = choose_softmax_strength(X, alone, alone)
    assert (path.log_likelihood > -2.0).all()  # log(1e-9) / 120 would be -.17 more a row


def test_few_rows_get_the_usual_strength():
    X, T = draw(n=8)
    path = choose_softmax_strength(X, T, T)
    np.testing.assert_allclose(path.alpha, 0.1 * 8 * X.var(axis=0).mean())
    assert np.isnan(path.log_likelihood).all()
