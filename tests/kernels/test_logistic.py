import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from labelfield import kernels
from labelfield.learners.rows import Targets


def logistic_terms(scores, targets, weights):
    """Return losses, derivatives and curvatures of dense targets."""
    derivative, targets = scores.copy(), Targets.of(targets)
    groups = columns = np.arange(scores.shape[1])
    value, curvature = kernels.losses.logistic.logistic_terms(
        derivative,
        weights,
        groups,
        targets.starts,
        targets.labels,
        targets.values,
        np.arange(len(columns) + 1),
        columns,
    )
    return value, derivative, curvature


@pytest.mark.parametrize("shape", [(1, 1), (7, 1), (50, 3), (3, 2000), (0, 2), (2, 0)])
@pytest.mark.parametrize("own_weights", [False, True])
def test_terms_equal_their_formulas(shape, own_weights):
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=20.0, size=shape)
    targets, weights = rng.random(shape), rng.random((shape[0], shape[1] if own_weights else 1))
    value, derivative, curvature = logistic_terms(scores, targets, weights)
    p = expit(scores)
    losses = weights * (np.logaddexp(0.0, scores) - targets * scores)
    np.testing.assert_allclose(value, losses.sum(axis=0), rtol=1e-13)
    np.testing.assert_allclose(derivative, weights * (p - targets), atol=1e-15)
    exact = (weights * p * expit(-scores)).sum(axis=0)
    np.testing.assert_allclose(curvature, exact, rtol=1e-13)


@given(st.floats(-700.0, 700.0))
def test_single_scores_are_exact_to_the_last_digits(score):
    value, derivative, curvature = logistic_terms(
        np.full((1, 1), score), np.zeros((1, 1)), np.ones((1, 1))
    )
    np.testing.assert_allclose(value[0], np.logaddexp(0.0, score), rtol=4e-15)
    np.testing.assert_allclose(derivative[0, 0], expit(score), rtol=4e-15)
    np.testing.assert_allclose(curvature[0], expit(score) * expit(-score), rtol=4e-15)


def test_huge_scores_stay_finite():
    scores = np.array([[-1e300, 1e300]])
    value, derivative, curvature = logistic_terms(scores, np.array([[0.0, 1.0]]), np.ones((1, 1)))
    np.testing.assert_allclose([value, derivative[0], curvature], 0.0, atol=1e-300)
