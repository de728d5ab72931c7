"""The ranking loss against its definition."""

import numpy as np
from scipy.optimize import check_grad

from labelfield.models.incomplete.ranking_loss import group_hinge


def test_group_hinge_equals_a_loop():
    rng = np.random.default_rng(0)
    scores, marked = rng.normal(size=(9, 5)), rng.random((9, 5)) < 0.4
    marked[0], marked[1] = False, True
    slow = 0.0
    for f, present in zip(scores, marked):
        for k in np.flatnonzero(present):
            errors = np.maximum(1.0 - f[k] + f[~present], 0.0)
            slow += np.sqrt(0.01 + np.sum(errors**2)) - 0.1
    value, gradient = group_hinge(scores, marked, 0.1)
    np.testing.assert_allclose(value, slow, rtol=1e-12)
    error = check_grad(
        lambda s: group_hinge(s.reshape(9, 5), marked, 0.1)[0],
        lambda s: group_hinge(s.reshape(9, 5), marked, 0.1)[1].ravel(),
        scores.ravel(),
    )
    assert error < 1e-5
    assert not gradient[:2].any()
