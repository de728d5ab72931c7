import numpy as np

from labelfield import kernels
from labelfield.optim.column_lbfgs import Identity, _Pairs


def bfgs_matrix(pairs, size):
    """The inverse Hessian by the update formula of a textbook."""
    H = np.eye(size)
    for s, y in pairs:
        rho = 1.0 / (s @ y)
        V = np.eye(size) - rho * np.outer(y, s)
        H = V.T @ H @ V + rho * np.outer(s, s)
    return H


def test_directions_are_those_of_the_update_formula():
    rng = np.random.default_rng(0)
    n_problems, m, size = 3, 4, 6
    history = (
        np.full((n_problems, m, size), np.nan),
        np.full((n_problems, m, size), np.nan),
        np.full((n_problems, m), np.nan),
        np.zeros(n_problems, dtype=np.int64),
    )
    pairs = _Pairs(Identity(), np.zeros((n_problems, size)))
    pairs.arrays, pairs.counts = history, history[3]
    kept = [[] for _ in range(n_problems)]
    hessian = np.diag(np.arange(1.0, size + 1))
    for round_ in range(7):  # more than fit: the oldest are forgotten
        problems = np.array([0, 2]) if round_ % 2 else np.array([2])
        step = rng.normal(size=(len(problems), size))
        change = step @ hessian
        if round_ == 3:
            change[0] *= -1.0  # negative curvature must not be kept
        pairs.push(problems, step, change, np.ones(len(problems)))
        for b, s, y in zip(problems, step, change):
            if s @ y > 0:
                kept[b] = [*kept[b], (s, y)][-m:]
    np.testing.assert_array_equal(history[3], [2, 0, 7])
    problems = np.array([2, 0, 1])
    G = rng.normal(size=(3, size))
    rows = G.copy()
    weights = np.zeros((len(problems), history[0].shape[1]))
    kernels.losses.lbfgs.start_directions(*history, problems, rows, weights)
    kernels.losses.lbfgs.finish_directions(*history, problems, rows, weights)
    for b, g, row in zip(problems, G, rows):
        np.testing.assert_allclose(row, bfgs_matrix(kept[b], size) @ g, rtol=1e-10)
