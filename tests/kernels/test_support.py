import numpy as np
import pytest
from scipy.special import log_softmax

from labelfield import kernels


@pytest.mark.parametrize("n_rows", [0, 1, 15, 16, 17, 40])
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_terms_equal_their_formulas(n_rows, scale):
    rng = np.random.default_rng(n_rows)
    sets = np.unique(rng.integers(0, 2, size=(9, 5)), axis=0)  # the empty set among them or not
    sets = np.concatenate([np.zeros((1, 5), dtype=int), sets[sets.any(axis=1)]])
    known = rng.integers(len(sets), size=n_rows)
    field, own = scale * rng.normal(size=(n_rows, 5)), rng.normal(size=len(sets))
    rows, labels = np.nonzero(sets)
    starts = np.searchsorted(rows, np.arange(len(sets) + 1))
    weight = rng.integers(3, size=n_rows) + rng.random(n_rows)
    arrays = field, own, labels, starts, known, weight
    value, gradient, mass = kernels.losses.support.support_terms(*arrays)
    log_p = log_softmax(field @ sets.T + own, axis=1)
    surplus = weight[:, None] * (np.exp(log_p) - np.eye(len(sets))[known])
    assert value == pytest.approx(-weight @ log_p[np.arange(n_rows), known], rel=1e-12)
    np.testing.assert_allclose(gradient, surplus @ sets, atol=1e-12)
    np.testing.assert_allclose(mass, surplus.sum(axis=0), atol=1e-12)
