import numpy as np
import pytest

from labelfield.learners.logistic_loss import LogisticLoss
from labelfield.learners.rows import as_rows
from labelfield.optim import ElasticNet, fista, fixed_step_fista


class OneProblem:
    """A logistic loss of one label with its parameters in a vector."""

    def __init__(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(50, 4)) * [1.0, 2.0, 0.5, 1.0]
        self.many = LogisticLoss(as_rows(X, X[:, :1] + rng.normal(size=(50, 1)) > 0))
        self.rounding = self.many.rounding

    def value(self, x):
        return self.many.value(x[:, None])[0]

    def value_and_gradient(self, x):
        value, gradient = self.many.value_and_gradient(x[:, None])
        return value[0], gradient[:, 0]

    def lipschitz(self):
        return self.many.lipschitz()[0]

    def scale(self):
        return self.many.scale()[0]


def test_reaches_the_minimum_that_backtracking_finds():
    loss, penalty = OneProblem(), ElasticNet(2.0, 0.5, unpenalized=1)
    expected, _ = fista(loss, penalty, np.zeros(5), tol=1e-10)
    found, trace = fixed_step_fista(loss, penalty, np.zeros(5), tol=1e-9, max_iter=3000)
    assert trace.reason == "converged"
    assert trace.n_iter < 1000
    np.testing.assert_allclose(found, expected, atol=1e-7)
    assert trace.objective[-1] == pytest.approx(loss.value(expected) + penalty.value(expected))


class Kink:
    """|x_0| + x_1^2 / 200: no gradient is ever small beside the kink."""

    def value_and_gradient(self, x):
        return float(abs(x[0]) + x[1] ** 2 / 200.0), np.array([np.sign(x[0]) or 1.0, x[1] / 100.0])

    def lipschitz(self):
        return 1.0

    def scale(self):
        return 1.0


def test_at_a_kink_the_best_point_is_kept_and_not_called_converged():
    loss = Kink()
    x, trace = fixed_step_fista(loss, ElasticNet(0.0, 0.0), np.array([5.1, 1.0]), max_iter=100)
    assert trace.reason == "max_iter"
    assert loss.value_and_gradient(x)[0] == min(trace.objective) < trace.objective[-1]


def test_says_when_it_runs_out_of_steps():
    loss, penalty = OneProblem(), ElasticNet(2.0, 0.5, unpenalized=1)
    _, trace = fixed_step_fista(loss, penalty, np.zeros(5), tol=1e-9, max_iter=3)
    assert (trace.reason, len(trace.objective)) == ("max_iter", 3)
