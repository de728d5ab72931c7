import numpy as np
import pytest

from labelfield.optim import Blocks, ElasticNet, fista, orthant_lbfgs


class Quadratic:
    """1/2 (x - best)' A (x - best), badly scaled."""

    rounding = 1e-14

    def __init__(self):
        rng = np.random.default_rng(0)
        root = rng.normal(size=(8, 8)) * np.geomspace(1.0, 5.0, 8)
        self.matrix = root.T @ root
        self.best = rng.normal(size=8)

    def value(self, x):
        return self.value_and_gradient(x)[0]

    def value_and_gradient(self, x):
        gradient = self.matrix @ (x - self.best)
        return 0.5 * float((x - self.best) @ gradient), gradient

    def lipschitz(self):
        return np.linalg.norm(self.matrix, 2)

    def scale(self):
        return float(np.abs(self.matrix @ self.best).max())


PENALTIES = [
    ElasticNet(3.0, 0.0),
    ElasticNet(20.0, 0.7, unpenalized=2),
    ElasticNet(1e6, 1.0),
    Blocks((5, 3), (ElasticNet(3.0, 0.0, unpenalized=2), ElasticNet(40.0, 0.9))),
]


@pytest.mark.parametrize("with_metric", [False, True])
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_reaches_the_minimum_that_fista_finds(penalty, with_metric):
    loss = Quadratic()
    diagonal = np.diag(loss.matrix)
    metric = (lambda v: v / diagonal) if with_metric else None
    expected, _ = fista(loss, penalty, np.zeros(8), tol=1e-11, max_iter=5000)
    found, trace = orthant_lbfgs(loss, penalty, np.ones(8), metric=metric, tol=1e-9)
    assert trace.reason == "converged"
    assert (np.diff(trace.objective) <= 0.0).all()
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_array_equal(found == 0.0, expected == 0.0)


def test_the_right_metric_needs_one_step():
    loss = Quadratic()
    inverse = np.linalg.inv(loss.matrix)
    x, trace = orthant_lbfgs(
        loss, ElasticNet(0.0, 0.0), np.zeros(8), metric=lambda v: inverse @ v, tol=1e-8
    )
    assert trace.n_iter == 1
    np.testing.assert_allclose(x, loss.best)


def test_says_when_it_runs_out_of_steps():
    _, trace = orthant_lbfgs(Quadratic(), ElasticNet(3.0, 0.5), np.zeros(8), tol=1e-9, max_iter=3)
    assert (trace.reason, trace.n_iter) == ("max_iter", 3)


def test_a_metric_that_mixes_penalised_entries_is_survived():
    loss, penalty = Quadratic(), ElasticNet(30.0, 0.9)
    inverse = np.linalg.inv(loss.matrix)
    expected, _ = fista(loss, penalty, np.zeros(8), tol=1e-11, max_iter=5000)
    found, _ = orthant_lbfgs(
        loss, penalty, np.ones(8), metric=lambda v: inverse @ v, tol=1e-8, max_iter=5000
    )
    np.testing.assert_allclose(found, expected, atol=1e-4)
