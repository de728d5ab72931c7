import numpy as np
import pytest

from labelfield.optim import lbfgs
from labelfield.optim.executors import product_threads, products_on
from labelfield.optim.lbfgs import lbfgs_steps


@pytest.fixture(scope="module")
def quadratic():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 8))
    b = rng.normal(size=30)

    def objective(x):
        residual = A @ x - b
        return 0.5 * float(residual @ residual), A.T @ residual

    return objective, np.linalg.lstsq(A, b)[0]


def test_finds_the_least_squares(quadratic):
    objective, expected = quadratic
    x, trace = lbfgs(objective, np.zeros(8), tol=1e-9, max_iter=100)
    np.testing.assert_allclose(x, expected, atol=1e-6)
    assert trace.reason == "converged"
    assert (np.diff(trace.objective) <= 0).all()
    assert trace.objective[0] == objective(np.zeros(8))[0]


def test_says_when_it_ran_out_of_iterations(quadratic):
    _, trace = lbfgs(quadratic[0], np.zeros(8), tol=1e-9, max_iter=2)
    assert trace.reason == "max_iter"
    assert trace.n_iter == 2


def test_only_the_objective_gets_the_threads_of_products(quadratic):
    inside, between = set(), set()

    def objective(x):
        inside.add(product_threads())
        return quadratic[0](x)

    with products_on(2):
        threads = product_threads()
        lbfgs_steps(objective, np.zeros(8), callback=lambda x: between.add(product_threads()))
        assert product_threads() == threads
    assert (inside, between) == ({threads}, {1})
