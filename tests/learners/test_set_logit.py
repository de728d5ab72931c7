"""Softmax over listed sets on log-odds of labels."""

import numpy as np
import pytest
from scipy.special import logsumexp

from labelfield.learners import SetLogit
from labelfield.learners.stacks.set_logit import _loss

SETS = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0]], dtype=np.float32)


def rows(n=400, seed=0):
    """Return log-odds and the sets of rows drawn from a softmax with known parameters."""
    rng = np.random.default_rng(seed)
    log_odds = rng.normal(size=(n, 3))
    scores = (log_odds * [2.0, 1.0, 0.5] + [0.5, 0.0, -0.5]) @ SETS.T + [0.0, 0.0, 0.0, -1.0]
    truth = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return log_odds, truth, np.ones((n, 4), dtype=bool)


def slow_log_prob(logit, z, possible):
    scores = [
        sum(logit.slope_[j] * z[j] + logit.shift_[j] for j in range(3) if s[j]) + b
        for s, b in zip(SETS, logit.constants_)
    ]
    scores = np.where(possible, scores, -np.inf)
    return scores - logsumexp(scores)


def test_log_prob_equals_the_sum_over_sets():
    log_odds, truth, possible = rows()
    possible[:, 3] = np.arange(len(truth)) % 2 == 0
    logit = SetLogit().fit(log_odds, truth, SETS, possible)
    got = logit.transform(log_odds[:9], possible[:9])
    expected = [slow_log_prob(logit, z, p) for z, p in zip(log_odds[:9], possible[:9])]
    np.testing.assert_allclose(got, expected, atol=1e-9)


def test_the_gradient_is_that_of_the_loss():
    log_odds, truth, possible = rows(60)
    theta = np.random.default_rng(1).normal(size=10)
    weight = np.linspace(0.5, 2.0, 60)
    _, gradient = _loss(theta, SETS, log_odds, truth, possible, weight)
    for k in range(len(theta)):
        step = 1e-6 * np.eye(len(theta))[k]
        up, down = (
            _loss(theta + s, SETS, log_odds, truth, possible, weight)[0] for s in (step, -step)
        )
        assert gradient[k] == pytest.approx((up - down) / 2e-6, abs=1e-4)


def test_what_made_the_rows_is_found_again():
    log_odds, truth, possible = rows(20_000)
    logit = SetLogit(alpha=1e-3).fit(log_odds, truth, SETS, possible)
    np.testing.assert_allclose(logit.slope_, [2.0, 1.0, 0.5], atol=0.1)
    plain = SetLogit(alpha=1e12).fit(log_odds, truth, SETS, possible)
    np.testing.assert_allclose(plain.slope_, 1.0, atol=1e-3)
    picked = np.arange(len(truth))

    def likelihood(one):
        return one.transform(log_odds, possible)[picked, truth].mean()

    assert likelihood(logit) > likelihood(plain) + 0.02


def test_weights_are_repeated_rows_and_unlisted_sets_say_nothing():
    log_odds, truth, possible = rows()
    weight = np.arange(len(truth)) % 3
    twice = np.repeat(np.arange(len(truth)), weight)
    got = SetLogit().fit(log_odds, truth, SETS, possible, weight)
    expected = SetLogit().fit(log_odds[twice], truth[twice], SETS, possible[twice])
    np.testing.assert_allclose(got.slope_, expected.slope_, atol=2e-3)
    strange = np.where(np.arange(len(truth)) < 50, -1, truth)
    got = SetLogit().fit(log_odds, strange, SETS, possible)
    expected = SetLogit().fit(log_odds[50:], truth[50:], SETS, possible[50:])
    np.testing.assert_allclose(got.slope_, expected.slope_, atol=2e-3)
