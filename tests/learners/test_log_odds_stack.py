"""The stack of log-odds: against a general solver, and at its limits."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from labelfield.learners import LogOddsStack


@pytest.fixture
def drawn():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(300, 3))
    Y = (rng.random((300, 3)) < expit(2.0 * truth)).astype(np.uint8)
    log_odds = [truth + rng.normal(scale=s, size=truth.shape) for s in (0.3, 1.0, 3.0)]
    return log_odds, Y


def test_equals_a_general_solver(drawn):
    log_odds, Y = drawn
    stack = LogOddsStack(alpha=2.0).fit(log_odds, Y)
    center = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    for label in range(3):
        columns = np.stack([Z[:, label] for Z in log_odds], axis=1)
        mean = columns.mean(axis=1, keepdims=True)
        features = np.hstack([mean, columns - mean, np.ones((300, 1))])

        def objective(w, features=features, y=Y[:, label]):
            z = features @ w
            return np.logaddexp(0, z).sum() - y @ z + np.square(w - center).sum()

        found = minimize(objective, center, method="BFGS", options={"gtol": 1e-8}).x
        np.testing.assert_allclose(stack.slope_[label], found[:-1], atol=1e-4)
        np.testing.assert_allclose(stack.shift_[label], found[-1], atol=1e-4)


def test_better_than_every_part(drawn):
    log_odds, Y = drawn

    def loss(Z):
        return (np.logaddexp(0, Z) - Y * Z).mean()

    stacked = LogOddsStack().fit(log_odds, Y).transform(log_odds)
    assert loss(stacked) < min(loss(Z) for Z in log_odds)


def test_without_rows_it_is_the_mean():
    log_odds = [np.array([[1.0], [2.0]]), np.array([[3.0], [-2.0]])]
    nothing = np.zeros((2, 1), dtype=bool)
    stack = LogOddsStack().fit(log_odds, np.zeros((2, 1)), known=nothing)
    np.testing.assert_allclose(stack.transform(log_odds), [[2.0], [0.0]])


def test_unknown_entries_do_not_count(drawn):
    log_odds, Y = drawn
    known = np.random.default_rng(1).random(Y.shape) < 0.6
    stack = LogOddsStack().fit(log_odds, np.where(known, Y, 1 - Y), known=known)
    kept = [Z[known[:, 0]] for Z in log_odds]
    alone = LogOddsStack().fit(kept, Y[known[:, 0]])
    np.testing.assert_allclose(stack.slope_[0], alone.slope_[0], atol=1e-8)


def test_separated_labels_stay_finite():
    Z = np.repeat([[500.0], [-500.0]], 20, axis=0)
    stack = LogOddsStack().fit([Z, Z], (Z > 0).astype(float))
    assert np.isfinite(stack.transform([Z, Z])).all()
