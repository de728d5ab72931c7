import numpy as np
import pytest

from labelfield.optim.column_lbfgs import Identity
from labelfield.optim.pairs import Pairs


def bfgs_matrix(pairs, size):
    """The inverse Hessian by the update formula of a textbook."""
    H = np.eye(size)
    for s, y in pairs:
        rho = 1.0 / (s @ y)
        V = np.eye(size) - rho * np.outer(y, s)
        H = V.T @ H @ V + rho * np.outer(s, s)
    return H


@pytest.mark.parametrize("chunk_bytes", [1, 2**23])
def test_directions_are_those_of_the_update_formula(monkeypatch, chunk_bytes):
    monkeypatch.setattr("labelfield.optim.history.HISTORY", 4)
    monkeypatch.setattr("labelfield.optim.pairs.CHUNK_BYTES", chunk_bytes)
    rng = np.random.default_rng(0)
    m, size = 4, 6
    pairs = Pairs(Identity(), np.zeros((4, size)))
    kept = [[] for _ in range(4)]
    hessian = np.diag(np.arange(1.0, size + 1))
    for round_ in range(7):  # more than fit: the oldest are forgotten
        step = rng.normal(size=(len(kept), size))
        change = step @ hessian
        if round_ in (3, 5):
            change[0] *= -1.0  # negative curvature must not be kept, but takes a place
        pairs.push(step, change, np.ones(len(kept)))
        for b, (s, y) in enumerate(zip(step, change)):
            kept[b] = [*kept[b], (s, y) if s @ y > 0 else None][-m:]
        if round_ == 4:
            pairs.forget(np.array([False, True, False, False]))
            kept[1] = []
        if round_ == 5:
            pairs.keep(np.array([0, 1, 3]))
            kept = [kept[0], kept[1], kept[3]]
        pairs.stretch[:] = 1.0
        G, ones = rng.normal(size=(len(kept), size)), np.ones(len(kept))
        for own, g, found in zip(kept, G, pairs.directions(G, ones)):
            H = bfgs_matrix([pair for pair in own if pair is not None], size)
            np.testing.assert_allclose(found, -H @ g, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(pairs.counts, [5, 2, 7])
    restored = Pairs.restored(Identity(), pairs.kept() | {"problems": [0, 1, 3], "W": G})
    np.testing.assert_array_equal(restored.directions(G, ones), pairs.directions(G, ones))
