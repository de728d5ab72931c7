import numpy as np
import pytest
from scipy.optimize import nnls

from labelfield.optim import L1, ElasticNet, GroupLasso, Ridge, fista


class Quadratic:
    """||A x - b||^2 / 2, columns of b being separate problems."""

    rounding = 1e-14

    def __init__(self, A, b, guess=1.0):
        self.A, self.b, self.guess = A, b, guess

    def take(self, columns):
        return Quadratic(self.A, self.b[:, columns], self.guess)

    def value(self, x):
        return 0.5 * ((self.A @ x - self.b) ** 2).sum(axis=0)

    def value_and_gradient(self, x):
        return self.value(x), self.A.T @ (self.A @ x - self.b)

    def lipschitz(self):
        return np.full(self.b.shape[1:], self.guess)

    def scale(self):
        return np.abs(self.A.T @ self.b).max(axis=0)


@pytest.fixture
def quadratic():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 8)) * np.logspace(-0.3, 0.3, 8)
    return Quadratic(A, rng.normal(size=(30, 4)) * [1.0, 3.0, 0.1, 10.0])


def test_ridge_equals_the_closed_form(quadratic):
    x, trace = fista(quadratic, Ridge(0.5), np.zeros((8, 4)), tol=1e-10, max_iter=20000)
    A, b = quadratic.A, quadratic.b
    assert trace.reason == "converged"
    np.testing.assert_allclose(x, np.linalg.solve(A.T @ A + 0.5 * np.eye(8), A.T @ b), rtol=1e-5)


def test_lasso_equals_nonnegative_least_squares(quadratic):
    """x = u - v with u, v >= 0 turns the lasso into NNLS on (A, -A; row of sqrt weights)."""
    A, b, alpha = quadratic.A, quadratic.b[:, 0], 2.0
    x, _ = fista(Quadratic(A, b), L1(alpha), np.zeros(8), tol=1e-10, max_iter=20000)
    # min ||Bz - c||^2/2 + alpha 1'z, z >= 0, by completing the square in the normal equations
    B = np.hstack([A, -A])
    gram, target = B.T @ B + 1e-10 * np.eye(16), B.T @ b - alpha
    root = np.linalg.cholesky(gram).T
    z = nnls(root, np.linalg.solve(root.T, target))[0]
    np.testing.assert_allclose(x, z[:8] - z[8:], atol=1e-5)


@pytest.mark.parametrize(
    "penalty", [L1(1.0), ElasticNet(1.0, 0.5), GroupLasso(1.0, np.arange(8) // 2)], ids=repr
)
@pytest.mark.parametrize("guess", [1e-3, 1.0, 1e6])
def test_columns_are_solved_as_if_alone_and_never_rise(quadratic, penalty, guess):
    quadratic.guess = guess
    x, trace = fista(quadratic, penalty, np.ones((8, 4)), tol=1e-9, max_iter=20000)
    assert trace.reason == "converged"
    assert (np.diff(trace.objective) <= 0).all()
    for column in range(4):
        loss = Quadratic(quadratic.A, quadratic.b[:, column], guess)
        alone, _ = fista(loss, penalty, np.ones(8), tol=1e-9, max_iter=20000)
        np.testing.assert_allclose(x[:, column], alone, atol=1e-6)
        # the optimum is where a proximal step leads back to itself
        gradient = loss.value_and_gradient(alone)[1]
        np.testing.assert_allclose(penalty.prox(alone - gradient, 1.0), alone, atol=1e-5)


def test_runs_out_of_iterations_where_they_are_few(quadratic):
    x, trace = fista(quadratic, L1(1.0), np.zeros((8, 4)), max_iter=3)
    assert trace.reason == "max_iter"
    assert trace.n_iter == 3
    total = quadratic.value(x) + L1(1.0).value(x)
    np.testing.assert_allclose(trace.objective[-1], total.sum())


def test_starting_at_the_answer_takes_one_step(quadratic):
    x, _ = fista(quadratic, L1(1.0), np.zeros((8, 4)), tol=1e-10, max_iter=20000)
    again, trace = fista(quadratic, L1(1.0), x, tol=1e-8)
    assert trace.n_iter <= 2
    np.testing.assert_allclose(again, x, atol=1e-8)


class Lifted(Quadratic):
    """The same with so large a constant that the objective shows the last steps no more."""

    rounding = 1e-13

    def value(self, x):
        return 1e5 + super().value(x)


def test_steps_that_do_not_show_in_the_objective_still_lead_to_the_minimum(quadratic):
    loss, penalty = Lifted(quadratic.A, quadratic.b[:, 1]), ElasticNet(1.0, 0.5)
    expected, _ = fista(quadratic.take([1]), penalty, np.zeros((8, 1)), tol=1e-12, max_iter=20000)
    x, trace = fista(loss, penalty, np.zeros(8), tol=1e-11, max_iter=300)
    assert trace.reason == "converged"
    np.testing.assert_allclose(x, expected[:, 0], atol=1e-9)
