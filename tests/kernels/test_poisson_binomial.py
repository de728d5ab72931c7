import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from labelfield import kernels
from labelfield.kernels.sets.bits import all_sets
from laws import product_law, size_distribution_of, size_marginals_of
from strategies import flavours, generators, random_log_weights, random_logits


@settings(max_examples=150, deadline=None)
@given(
    rng=generators,
    K=st.integers(1, 3),
    L=st.integers(1, 9),
    flavour=flavours,
    max_size=st.integers(1, 9),
)
def test_sizes_equal_enumeration(rng, K, L, flavour, max_size):
    weights = np.exp(random_log_weights(rng, (2, K)))
    means = expit(random_logits(rng, (2, K, L), flavour))
    p = (weights[:, :, None] * product_law(means)).sum(axis=1)
    max_size = min(max_size, L)
    np.testing.assert_allclose(
        kernels.sets.poisson_binomial.size_marginals(weights, means, max_size),
        size_marginals_of(all_sets(L), p)[..., :max_size],
        rtol=0,
        atol=1e-14,
    )
    np.testing.assert_allclose(
        kernels.sets.poisson_binomial.size_distribution(weights, means),
        size_distribution_of(all_sets(L), p),
        rtol=0,
        atol=1e-14,
    )


@pytest.mark.parametrize("centre", [-4.0, 0.0, 4.0])
def test_many_labels_equal_removing_each_label_by_hand(centre):
    rng = np.random.default_rng(0)
    L = 120
    means = expit(rng.normal(centre, 3.0, L))
    means[:6] = [0.0, 1.0, 0.5, 0.5 + 1e-9, 0.5 - 1e-9, 1e-300]

    def sizes(means):
        f = np.ones(1)
        for mean in means:
            f = np.convolve(f, [1.0 - mean, mean])
        return f

    wanted = np.stack([means[j] * sizes(np.delete(means, j)) for j in range(L)])
    got = kernels.sets.poisson_binomial.size_marginals(np.ones((1, 1)), means[None, None], L)[0]
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-15)
    total = kernels.sets.poisson_binomial.size_distribution(np.ones((1, 1)), means[None, None])[0]
    np.testing.assert_allclose(total, sizes(means), rtol=0, atol=1e-15)
