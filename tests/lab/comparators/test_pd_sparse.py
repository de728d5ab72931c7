"""PD-Sparse against a general convex solver, and its projection against the same."""

import numpy as np
import pytest
from lab.comparators.pd_sparse import (
    PrimalDualSparse,
    best_threshold,
    nearest_block,
    primal_value,
    solve_dual,
    with_constant,
)
from scipy.optimize import minimize

from comparator_contract import keeps_promises
from labelfield.datasets import make_multilabel
from labelfield.metrics import METRICS


@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_the_optimum_is_that_of_a_general_solver(alpha):
    """The problem with a slack a row and W as a difference of two parts that are not negative."""
    rng = np.random.default_rng(0)
    X, Y = (
        rng.normal(size=(5, 2)),
        np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1], [0, 1, 0]]),
    )
    rows = np.concatenate([X, np.ones((5, 1))], axis=1)

    def weights(theta):
        return (theta[:9] - theta[9:18]).reshape(3, 3)

    def objective(theta):
        quadratic = 0.5 * np.square(weights(theta)).sum()
        return quadratic + alpha * theta[:18].sum() + 2.0 * theta[18:].sum()

    def slack(theta):
        scores = rows @ weights(theta)
        return np.array(
            [
                theta[18 + i] - 1.0 - scores[i, absent] + scores[i, present]
                for i in range(5)
                for present in np.flatnonzero(Y[i])
                for absent in np.flatnonzero(1 - Y[i])
            ]
        )

    found = minimize(
        objective,
        np.full(23, 0.5),
        method="SLSQP",
        bounds=[(0.0, None)] * 23,
        constraints={"type": "ineq", "fun": slack},
        options={"maxiter": 500, "ftol": 1e-10},
    )
    W, trace = solve_dual(with_constant(X), Y, alpha, 2.0, 5000, 1e-7, rng)
    assert found.success
    assert trace[-1][0] == pytest.approx(found.fun, rel=1e-4)
    assert trace[-1][0] == pytest.approx(primal_value(rows, Y, W, alpha, 2.0))
    duals = np.array([dual for _, dual in trace])
    assert (np.diff(duals) >= -1e-9).all()
    assert (duals <= trace[-1][0] + 1e-9).all()


@pytest.mark.parametrize("C", [0.4, 10.0])
def test_the_nearest_block_has_no_nearer_neighbour(C):
    rng = np.random.default_rng(1)
    present = np.array([1, 1, 0, 0, 0], dtype=np.uint8)
    for _ in range(5):
        wanted = rng.normal(size=5)
        block = wanted.copy()
        nearest_block(block, present, C)
        found = minimize(
            lambda a: np.square(a - wanted).sum(),  # noqa: B023
            np.zeros(5),
            method="SLSQP",
            bounds=[(0, None) if one else (None, 0) for one in present],
            constraints=[
                {"type": "eq", "fun": np.sum},
                {"type": "ineq", "fun": lambda a: C - a[:2].sum()},
            ],
        )
        np.testing.assert_allclose(block, found.x, atol=1e-4)


def test_the_threshold_is_the_best_of_those_tried():
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, (30, 4))
    scores = Y + rng.normal(size=Y.shape)
    best = METRICS["f1_samples"](Y, scores > best_threshold(scores, Y))
    assert all(best >= METRICS["f1_samples"](Y, scores > t) - 0.02 for t in np.linspace(-2, 2, 41))


def test_a_stronger_penalty_leaves_fewer_weights():
    data = make_multilabel(n_samples=150, n_labels=4, random_state=0)
    n_left = [
        np.count_nonzero(PrimalDualSparse(alpha=a, random_state=0).fit(data.X, data.Y).coef_)
        for a in (0.01, 20.0)
    ]
    assert n_left[0] > n_left[1]


def test_contract():
    keeps_promises(
        PrimalDualSparse(random_state=0),
        check_constant_labels="labels are ranked, and one threshold cuts all of them",
    )
