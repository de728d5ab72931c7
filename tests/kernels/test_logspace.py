import numpy as np
import pytest
from scipy.special import expit
from scipy.special import logsumexp as scipy_logsumexp

from labelfield.joints._parts.sizes import best_of_size
from labelfield.kernels.sets.bits import all_sets
from labelfield.kernels.sets.logspace import (
    clipped_logit,
    largest,
    log_bernoulli,
    log_product,
    logsumexp,
)
from laws import product_law


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_logsumexp_equals_scipy_and_survives_rows_of_minus_infinity(axis):
    a = np.random.default_rng(0).normal(0.0, 300.0, (3, 4, 5))
    a[0], a[:, 1], a[..., 2], a[1, 2, 3] = -np.inf, -np.inf, -np.inf, -np.inf
    np.testing.assert_allclose(logsumexp(a, axis), scipy_logsumexp(a, axis=axis), rtol=1e-14)


def test_log_bernoulli_of_certain_and_uncertain_labels():
    logits = np.array([0.3, -800.0, np.inf, -np.inf])
    present = log_bernoulli(np.ones(4, np.uint8), logits)
    absent = log_bernoulli(np.zeros(4, np.uint8), logits)
    np.testing.assert_allclose(present, [np.log(expit(0.3)), -800.0, 0.0, -np.inf])
    np.testing.assert_allclose(absent, [np.log(expit(-0.3)), 0.0, -np.inf, 0.0])


def test_log_product_multiplies_labels():
    rng = np.random.default_rng(1)
    logits = rng.normal(0.0, 3.0, (4, 2, 5))
    logits[rng.random(logits.shape) < 0.2] *= np.inf
    sets = all_sets(5)
    got = np.exp(log_product(sets, logits))
    np.testing.assert_allclose(
        got.swapaxes(1, 2), product_law(expit(logits)), rtol=1e-12, atol=1e-300
    )


def test_clipped_logit_is_finite_and_exact_inside():
    p = np.array([0.0, 1e-13, 0.25, 1.0])
    bound = np.log(1e-12)
    np.testing.assert_allclose(clipped_logit(p), [bound, bound, np.log(1 / 3), -bound], rtol=1e-5)


def test_largest_breaks_ties_by_index():
    values = np.array([[1.0, 3.0, 1.0, 3.0, 1.0], [-np.inf] * 5])
    np.testing.assert_array_equal(largest(values, 4), [[1, 3, 0, 2], [0, 1, 2, 3]])
    np.testing.assert_array_equal(largest(values, 1), [[1], [0]])


def test_largest_equals_a_stable_sort():
    values = np.random.default_rng(2).integers(0, 6, (50, 9)).astype(float)
    for k in range(1, 10):
        wanted = np.argsort(-values, axis=1, kind="stable")[:, :k]
        np.testing.assert_array_equal(largest(values, k), wanted)


@pytest.mark.parametrize("bounds", [(0, 9), (0, 3), (2, 4), (3, 3), (9, 9), (0, 0), (12, 12)])
def test_best_of_size_equals_a_stable_sort_of_every_row(bounds):
    rng = np.random.default_rng(0)
    gains = np.round(2.0 * rng.normal(size=(400, 9)))  # many ties, many zeros
    gains[rng.random(gains.shape) < 0.1] = -np.inf
    gains[rng.random(gains.shape) < 0.1] = np.inf
    sizes = np.clip((gains > 0).sum(axis=1), *bounds)
    ranked = np.argsort(np.argsort(-gains, axis=1, kind="stable"), axis=1, kind="stable")
    got = best_of_size(gains, *bounds)
    assert got.dtype == np.uint8
    np.testing.assert_array_equal(got, ranked < sizes[:, None])
