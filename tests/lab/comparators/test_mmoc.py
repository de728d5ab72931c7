"""The metric of MMOC against another solver, and its predictions against all sets."""

from itertools import product

import numpy as np
import pytest
from lab.comparators.mmoc import MaxMarginCoding, MetricProblem
from scipy.optimize import minimize

from comparator_contract import keeps_promises
from labelfield.datasets import make_multilabel

SETS = np.array(list(product([0.0, 1.0], repeat=2)))


def objective(Q, Y, guess, C):
    """The problem as it stands in the paper, row by row and set by set."""
    total = 0.0
    for y, g in zip(Y, guess):
        slack = [
            np.abs(y - other).sum() + (y - g) @ Q @ (y - g) - (other - g) @ Q @ (other - g)
            for other in SETS
        ]
        total += max(*slack, 0.0)
    return 0.5 * np.trace(Q) + C * total / len(Y)


def test_the_metric_is_as_good_as_a_search_over_factors():
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, (12, 2)).astype(float)
    guess = 0.5 * Y + 0.25 + rng.normal(0, 0.15, Y.shape)
    problem = MetricProblem(Y, guess, C=20.0)
    Q, value = problem.solve(4000)
    assert value == pytest.approx(objective(Q, Y, guess, 20.0))
    assert np.linalg.eigvalsh(Q).min() >= -1e-9

    def of_factor(v):
        V = np.array([[v[0], 0.0], [v[1], v[2]]])
        return objective(V @ V.T, Y, guess, 20.0)

    searches = [
        minimize(of_factor, start, method="Nelder-Mead", options={"maxiter": 600})
        for start in ([1.0, 0.0, 1.0], [2.0, 1.0, 2.0], [3.0, -1.0, 3.0])
    ]
    lowest = min(search.fun for search in searches)
    assert value < objective(np.eye(2), Y, guess, 20.0)
    assert value == pytest.approx(lowest, rel=5e-3)


def test_predictions_are_the_best_of_all_sets():
    data = make_multilabel(n_samples=120, n_labels=3, random_state=1)
    model = MaxMarginCoding(balance=0.5, max_iter=50).fit(data.X, data.Y)
    X = data.X[:20]
    sets = np.array(list(product([0.0, 1.0], repeat=3)))
    away = sets - (X @ model.coef_ + model.intercept_)[:, None]
    score = -np.einsum("nkl,lm,nkm->nk", away, model.metric_, away)
    score += 0.5 * model.problems_.log_odds(X) @ sets.T
    np.testing.assert_array_equal(model.predict_joint(X).mode(), sets[score.argmax(axis=1)])


def test_contract():
    keeps_promises(MaxMarginCoding(max_iter=5))
