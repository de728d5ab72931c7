import numpy as np
import pytest

from labelfield.optim import Ridge, column_lbfgs
from labelfield.optim.losses import Terms


class Quartic:
    """sum of (z - t)^2 / 2 + (z - t)^4 over the scores z = A x: convex, not quadratic."""

    def __init__(self, A, targets, log=None):
        self.A, self.targets, self.log = A, targets, [] if log is None else log

    def take(self, columns):
        return Quartic(self.A, self.targets[:, columns], self.log)

    def terms(self, x):
        self.log.append(x.shape[1])
        off = self.A @ x - self.targets
        curvature = (1.0 + 12.0 * off**2).sum(axis=0)
        value = (off**2 / 2 + off**4).sum(axis=0)
        return Terms(value, self.A.T @ (off + 4.0 * off**3), curvature)

    def scale(self):
        return np.abs(self.A.T @ self.targets).max(axis=0)


class Diagonal:
    """A metric that is right about the scale of each parameter."""

    def __init__(self, A):
        self.squares = (A**2).sum(axis=0)

    def take(self, columns):
        return self

    def solve(self, rows, curvature):
        return rows / self.squares

    def norms(self, rows, curvature):
        return (rows**2 / self.squares).sum(axis=1)


@pytest.fixture
def loss():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(40, 30)) * np.logspace(-0.5, 0.5, 30)
    return Quartic(A, rng.normal(size=(40, 5)) * [0.1, 1.0, 2.0, 0.5, 3.0])


@pytest.mark.parametrize("with_metric", [False, True])
def test_every_column_ends_at_its_stationary_point(loss, with_metric):
    metric = Diagonal(loss.A) if with_metric else None
    W, trace = column_lbfgs(loss, Ridge(0.1), np.zeros((30, 5)), metric=metric, tol=1e-7)
    assert trace.reason == "converged"
    gradient = np.abs(loss.terms(W).gradient + 0.1 * W).max(axis=0)
    assert (gradient <= 1e-7 * loss.scale() * 1.01).all()
    value = loss.terms(W).value + Ridge(0.1).value(W)
    np.testing.assert_allclose(trace.objective[-1], value.sum(), rtol=1e-12)


def test_objective_never_rises(loss):
    _, trace = column_lbfgs(loss, Ridge(0.1), np.full((30, 5), 3.0), tol=1e-9)
    changes = np.diff(trace.objective)
    assert (changes <= 1e-13 * np.abs(trace.objective[1:])).all()


def test_a_column_does_not_feel_its_neighbours(loss):
    together, _ = column_lbfgs(loss, Ridge(0.1), np.zeros((30, 5)), tol=1e-9)
    for column in range(5):
        alone, _ = column_lbfgs(loss.take([column]), Ridge(0.1), np.zeros((30, 1)), tol=1e-9)
        np.testing.assert_allclose(alone[:, 0], together[:, column], atol=1e-6)


def test_finished_columns_leave_and_most_steps_need_one_pass(loss):
    _, trace = column_lbfgs(loss, Ridge(0.1), np.zeros((30, 5)), tol=1e-9)
    assert loss.log[0] == 5
    assert loss.log[-1] < 5
    assert trace.n_iter + 1 <= len(loss.log) <= 1.5 * trace.n_iter


def test_runs_out_of_iterations_where_they_are_few(loss):
    W, trace = column_lbfgs(loss, Ridge(0.1), np.zeros((30, 5)), tol=1e-9, max_iter=4)
    assert trace.reason == "max_iter"
    assert trace.n_iter == 4
    value = loss.terms(W).value + Ridge(0.1).value(W)
    np.testing.assert_allclose(trace.objective[-1], value.sum(), rtol=1e-12)


def test_impossible_tolerance_ends_at_the_limit_of_the_arithmetic(loss):
    W, trace = column_lbfgs(loss, Ridge(0.1), np.zeros((30, 5)), tol=0.0, max_iter=5000)
    assert trace.reason == "converged"
    gradient = np.abs(loss.terms(W).gradient + 0.1 * W).max(axis=0)
    assert (gradient <= 1e-7 * loss.scale()).all()


def test_zero_iterations_return_the_start(loss):
    start = np.random.default_rng(1).normal(size=(30, 5))
    W, trace = column_lbfgs(loss, Ridge(0.1), start, max_iter=0)
    np.testing.assert_array_equal(W, start)
    assert (trace.reason, trace.n_iter) == ("max_iter", 0)
