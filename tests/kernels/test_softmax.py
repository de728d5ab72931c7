import numpy as np
import pytest
from scipy.special import log_softmax

from labelfield import kernels
from labelfield.learners.rows import Targets


def softmax_terms(scores, targets, weights):
    """Return the loss, derivatives and curvatures of dense targets."""
    derivative, targets = scores.copy(), Targets.of(targets)
    value, curvature = kernels.losses.softmax.softmax_terms(
        derivative, weights, targets.starts, targets.labels, targets.values
    )
    return value, derivative, curvature


@pytest.mark.parametrize("shape", [(1, 1), (7, 2), (50, 3), (3, 2000), (0, 2)])
def test_terms_equal_their_formulas(shape):
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=20.0, size=shape)
    targets, weights = rng.dirichlet(np.ones(shape[1]), size=shape[0]), rng.random(shape[0])
    value, derivative, curvature = softmax_terms(scores, targets, weights)
    log_p = log_softmax(scores, axis=1)
    p = np.exp(log_p)
    assert value == pytest.approx(-(weights @ (targets * log_p).sum(axis=1)), rel=1e-12)
    np.testing.assert_allclose(derivative, weights[:, None] * (p - targets), atol=1e-14)
    np.testing.assert_allclose(curvature, weights @ (p * (1.0 - p)), atol=1e-13)


def test_huge_scores_stay_finite():
    scores = np.array([[1e300, -1e300, 0.0]])
    value, derivative, curvature = softmax_terms(scores, np.array([[1.0, 0.0, 0.0]]), np.ones(1))
    assert value == pytest.approx(0.0, abs=1e-300)
    np.testing.assert_allclose(derivative, 0.0, atol=1e-300)
    np.testing.assert_allclose(curvature, 0.0, atol=1e-300)
