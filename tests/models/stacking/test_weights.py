"""Weights of pools: against a general solver, and at their limits."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax

from labelfield.models.stacking.weights import exact_match_weights, likelihood_weights


def mean_log_likelihood(log_prob, weights):
    return np.log(np.exp(log_prob) @ weights).mean()


@pytest.mark.parametrize("seed", range(5))
def test_likelihood_weights_are_the_best_on_the_simplex(seed):
    rng = np.random.default_rng(seed)
    log_prob = np.log(rng.random((200, 4)) ** 3)
    found = likelihood_weights(log_prob)
    assert found.sum() == pytest.approx(1.0)
    best = minimize(
        lambda t: -mean_log_likelihood(log_prob, softmax(t)), np.zeros(4), method="BFGS"
    )
    reached = mean_log_likelihood(log_prob, found)
    assert reached >= -best.fun - 1e-6


@pytest.mark.parametrize("seed", range(20))
def test_likelihood_weights_equal_those_of_em(seed):
    """The slow twin: a weight becomes the mean share of its member in the pool, again and again."""
    rng = np.random.default_rng(seed)
    n_members = int(rng.integers(1, 9))
    log_prob = rng.normal(scale=rng.choice([0.1, 1.0, 5.0]), size=(80, n_members))
    if seed % 3 == 0:
        log_prob[rng.random(log_prob.shape) < 0.3] = -np.inf
    if seed % 4 == 0:
        log_prob = np.hstack([log_prob, log_prob[:, :1]])
    rows = rng.random(80)
    found = likelihood_weights(log_prob, rows)
    possible = np.isfinite(log_prob).any(axis=1)
    share = rows[possible] / rows[possible].sum()
    likelihood = np.exp(log_prob[possible])
    slow = np.full(log_prob.shape[1], 1.0 / log_prob.shape[1])
    for _ in range(20_000):
        slow = slow * (share @ (likelihood / (likelihood @ slow)[:, None]))
    reached, wanted = (share @ np.log(likelihood @ w) for w in (found, slow))
    assert found.min() >= 0.0
    assert found.sum() == pytest.approx(1.0)
    assert reached >= wanted - 1e-8
    gains = share @ (likelihood / (likelihood @ found)[:, None])
    assert gains.max() <= 1.0 + 1e-8  # nobody is better by more


def test_sample_weights_count_rows():
    rng = np.random.default_rng(0)
    log_prob = np.log(rng.random((50, 3)))
    counts = rng.integers(0, 4, size=50)
    repeated = likelihood_weights(np.repeat(log_prob, counts, axis=0))
    weighted = likelihood_weights(log_prob, counts.astype(float))
    np.testing.assert_allclose(weighted, repeated, atol=1e-6)


def test_impossible_rows_say_nothing():
    log_prob = np.log([[0.9, 0.1], [0.8, 0.2]])
    impossible = np.full((3, 2), -np.inf)
    np.testing.assert_allclose(
        likelihood_weights(np.vstack([log_prob, impossible])), likelihood_weights(log_prob)
    )
    np.testing.assert_allclose(likelihood_weights(impossible), [0.5, 0.5])


def test_a_member_that_covers_the_others_zeros_keeps_weight():
    log_prob = np.log(np.array([[0.9, 0.2], [1e-300, 0.2]]))
    log_prob[1, 0] = -np.inf
    assert likelihood_weights(log_prob)[1] > 0.3


def test_exact_match_weights_never_lose_matches():
    rng = np.random.default_rng(1)
    p = rng.random((300, 6, 3))
    right = np.zeros((300, 6), dtype=bool)
    right[np.arange(300), p[..., 2].argmax(axis=1)] = True  # the third member is always right

    def matches(weights):
        return right[np.arange(300), (p @ weights).argmax(axis=1)].mean()

    start = np.array([0.6, 0.4, 0.0])
    tuned = exact_match_weights(np.log(p), right, start)
    assert tuned.sum() == pytest.approx(1.0)
    assert matches(tuned) > matches(start) + 0.3
