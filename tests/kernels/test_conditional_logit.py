import numpy as np
import pytest
from scipy.special import logsumexp

from labelfield import kernels


def problem(n_scores=3, n=40, n_sets=9, scale=1.0):
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=scale, size=(n_scores, n, n_sets)).astype(np.float32)
    possible = rng.random((n, n_sets)) < 0.6
    truth = rng.integers(n_sets, size=n)
    possible[np.arange(n), truth] = True
    return rng.normal(size=n_scores), scores, truth, possible, rng.random(n)


def formulas(coef, scores, truth, possible, weights):
    total = np.where(possible, np.tensordot(coef, scores.astype(np.float64), 1), -np.inf)
    rows = np.arange(len(truth))
    log_p = total - logsumexp(total, axis=1, keepdims=True)
    error = np.exp(log_p)
    error[rows, truth] -= 1.0
    return -weights @ log_p[rows, truth], np.einsum("i,is,mis->m", weights, error, scores)


@pytest.mark.parametrize("shape", [(3, 40, 9), (1, 5, 1), (2, 30, 300), (4, 0, 3)])
@pytest.mark.parametrize("scale", [1.0, 50.0])
def test_loss_and_gradient_equal_their_formulas(shape, scale):
    given = problem(*shape, scale)
    loss, gradient = kernels.losses.conditional_logit.choice_terms(*given)
    expected, slope = formulas(*given)
    assert loss == pytest.approx(expected, rel=1e-10, abs=1e-10)
    np.testing.assert_allclose(gradient, slope, rtol=1e-8, atol=1e-8)


def test_impossible_sets_do_not_count_however_high_their_score():
    coef, scores, truth, possible, weights = problem()
    higher = np.where(possible, scores, np.float32(1e6))
    choice_terms = kernels.losses.conditional_logit.choice_terms
    loss, gradient = choice_terms(coef, scores, truth, possible, weights)
    again, slope = choice_terms(coef, higher, truth, possible, weights)
    assert again == pytest.approx(loss)
    np.testing.assert_allclose(slope, gradient)
