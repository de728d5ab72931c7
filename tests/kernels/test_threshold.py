import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from labelfield import kernels
from laws import product_law
from strategies import flavours, generators, random_log_weights, random_logits

MANY = 10_000


@settings(max_examples=200, deadline=None)
@given(
    rng=generators,
    K=st.integers(1, 6),
    L=st.integers(1, 7),
    k=st.integers(1, 128),
    flavour=flavours,
    allow_empty=st.booleans(),
)
def test_best_sets_of_mixtures_equal_enumeration(rng, K, L, k, flavour, allow_empty):
    k = min(k, 2**L - (not allow_empty))
    log_weights = random_log_weights(rng, (2, K))
    logits = random_logits(rng, (2, K, L), flavour)
    sets, log_prob, proven = kernels.sets.threshold.best_sets(
        log_weights, logits, k, allow_empty, MANY
    )
    p = (np.exp(log_weights)[:, :, None] * product_law(expit(logits))).sum(axis=1)
    if not allow_empty:
        p[:, 0] = -1.0
    assert proven.all()
    np.testing.assert_allclose(np.exp(log_prob), -np.sort(-p, axis=1)[:, :k], atol=1e-13)
    for row in range(2):
        index = sets[row] @ 2 ** np.arange(L)[::-1]
        assert len(np.unique(index)) == k
        np.testing.assert_allclose(p[row, index], np.exp(log_prob[row]), atol=1e-13)


def test_components_that_agree_yield_a_set_once():
    logits = np.tile(np.random.default_rng(0).normal(size=6), (1, 3, 1))
    log_weights = np.log([[0.2, 0.3, 0.5]])
    sets, log_prob, _ = kernels.sets.threshold.best_sets(log_weights, logits, 64, True, MANY)
    assert len(np.unique(sets[0], axis=0)) == 64
    alone = kernels.sets.kbest.k_best(logits[:, 0], 64)[1]
    np.testing.assert_allclose(log_prob, alone, rtol=1e-12)


def test_a_hard_row_stops_without_proof():
    L = 30
    logits = np.stack([np.full(L, 1e-3), np.full(L, -1e-3)])[None]
    logits[0, :, ::2] *= -1.0
    log_weights = np.log([[0.5, 0.5]])
    _, log_prob, proven = kernels.sets.threshold.best_sets(log_weights, logits, 1, True, 100)
    assert not proven[0]
    np.testing.assert_allclose(log_prob[0, 0], L * np.log(0.5), atol=1e-2)
