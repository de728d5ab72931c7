import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from labelfield import kernels


def problem(seed=0):
    rng = np.random.default_rng(seed)
    X = sp.random_array((40, 12), density=0.3, rng=rng, format="csr")
    signs = rng.choice([-1.0, 1.0], size=(40, 3))
    signs[::9, 1] = 0.0
    return X, signs, rng.uniform(0.2, 2.0, 40) * (np.arange(40) % 8 > 0)


def primal(w, X, s, cost):
    loss = np.maximum(0.0, 1.0 - s * (X @ w[:-1] + w[-1])) * (s != 0.0)
    return 0.5 * w @ w + cost @ loss**2


def run(X, signs, cost, n_passes):
    weights, duals = np.zeros((X.shape[1] + 1, signs.shape[1])), np.zeros(signs.shape)
    rng = np.random.default_rng(1)
    for _ in range(n_passes):
        change = kernels.losses.hinge.hinge_pass(
            X.data, X.indices, X.indptr, signs, cost, rng.permutation(len(signs)), weights, duals
        )
    return weights, duals, change


def test_passes_reach_the_minimum_of_every_label():
    X, signs, cost = problem()
    weights, duals, change = run(X, signs, cost, 500)
    assert change < 1e-9
    for j in range(3):
        best = minimize(primal, np.zeros(13), args=(X, signs[:, j], cost), method="BFGS").fun
        assert primal(weights[:, j], X, signs[:, j], cost) == pytest.approx(best, rel=1e-6)
    extended = np.column_stack([X.toarray(), np.ones(40)])
    np.testing.assert_allclose(weights, extended.T @ (duals * signs), atol=1e-9)
    assert not duals[cost == 0.0].any()
    assert not duals[signs == 0.0].any()


def test_the_dual_objective_never_falls():
    X, signs, cost = problem(2)

    def dual(n_passes):
        weights, duals, _ = run(X, signs, cost, n_passes)
        used = cost > 0.0
        penalty = 0.25 * (duals[used] ** 2 / cost[used, None]).sum()
        return duals.sum() - 0.5 * (weights**2).sum() - penalty

    values = [dual(k) for k in (1, 2, 4, 8, 16)]
    assert all(np.diff(values) >= -1e-12)
