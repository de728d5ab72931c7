import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from labelfield import kernels
from laws import product_law
from strategies import flavours, generators, random_logits


def expand(logits, flips):
    """Return the sets (k, L) that lists of flips of one row stand for."""
    sets = np.tile((logits > 0).astype(np.uint8), (len(flips), 1))
    for y, labels in zip(sets, flips):
        for label in labels[labels >= 0]:
            y[label] ^= 1
    return sets


@settings(max_examples=200, deadline=None)
@given(rng=generators, L=st.integers(1, 7), k=st.integers(1, 128), flavour=flavours)
def test_best_sets_equal_enumeration(rng, L, k, flavour):
    k = min(k, 2**L)
    logits = random_logits(rng, (2, L), flavour)
    flips, log_prob = kernels.sets.kbest.k_best(logits, k)
    assert flips.shape == (2, k, int(np.log2(k)))
    p = product_law(expit(logits))
    np.testing.assert_allclose(np.exp(log_prob), -np.sort(-p, axis=1)[:, :k], atol=1e-14)
    for row in range(2):
        sets = expand(logits[row], flips[row])
        assert len(np.unique(sets, axis=0)) == k
        index = sets @ 2 ** np.arange(L)[::-1]
        np.testing.assert_allclose(p[row, index], np.exp(log_prob[row]), atol=1e-14)


def test_equal_costs_flip_few_labels_and_lower_ones_first():
    flips, log_prob = kernels.sets.kbest.k_best(np.zeros((1, 40)), 200)
    np.testing.assert_allclose(log_prob, 40 * np.log(0.5))
    sizes = (flips[0] >= 0).sum(axis=1)
    assert (np.diff(sizes) >= 0).all()
    assert sizes[0] == 0
    np.testing.assert_array_equal(flips[0, 1:41, 0], np.arange(40))


def test_only_cheap_labels_flip_and_far_labels_do_not_matter():
    rng = np.random.default_rng(0)
    logits = rng.normal(0.0, 3.0, (5, 2500))
    k = 30
    flips, log_prob = kernels.sets.kbest.k_best(logits, k)
    cheapest = np.argsort(np.abs(logits), axis=1)[:, : k - 1]
    for row in range(5):
        kept = np.sort(cheapest[row])
        few, few_log_prob = kernels.sets.kbest.k_best(logits[row : row + 1, kept], k)
        np.testing.assert_array_equal(flips[row], np.where(few >= 0, kept[few], -1)[0])
        others = np.delete(np.abs(logits[row]), kept)
        np.testing.assert_allclose(
            log_prob[row], few_log_prob[0] - np.log1p(np.exp(-others)).sum(), rtol=1e-13
        )


@pytest.mark.parametrize("k", [1, 4])
def test_impossible_sets_come_last(k):
    logits = np.array([[np.inf, -np.inf, 1.0]])
    _, log_prob = kernels.sets.kbest.k_best(logits, k)
    wanted = [np.log(expit(1.0)), np.log(expit(-1.0)), -np.inf, -np.inf]
    np.testing.assert_allclose(log_prob[0], wanted[:k])
