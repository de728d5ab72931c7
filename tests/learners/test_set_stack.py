"""The weights of a set stack against a general minimiser and numerical derivatives."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from labelfield.learners import SetStack


def scores(n=80, n_sets=5, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_sets, size=n)
    good = 1.5 * np.eye(n_sets)[truth] + rng.normal(size=(n, n_sets))
    return [good, rng.normal(size=(n, n_sets)), -0.3 * good], truth


def loss(weights, parts, truth, possible, row_weight):
    total = np.where(possible, sum(w * p for w, p in zip(weights, parts)), -np.inf)
    log_prob = total - logsumexp(total, axis=1, keepdims=True)
    own = log_prob[np.arange(len(truth)), truth]
    return -row_weight @ own + 0.5 * np.sum(np.square(weights))


def test_weights_minimise_the_penalised_loss():
    parts, truth = scores()
    rng = np.random.default_rng(1)
    possible = rng.random((80, 5)) < 0.7
    possible[np.arange(80), truth] = True
    weight = rng.random(80) + 0.5
    found = SetStack(free=(2,)).fit(parts, truth, possible, weight).weights_
    best = minimize(
        lambda w: loss(w, parts, truth, possible, weight),
        np.zeros(3),
        bounds=[(0, None), (0, None), (None, None)],
        tol=1e-12,
    )
    assert loss(found, parts, truth, possible, weight) <= best.fun + 1e-6
    np.testing.assert_allclose(found, best.x, atol=1e-2)


def test_impossible_sets_have_no_probability():
    parts, truth = scores()
    possible = np.ones((80, 5), dtype=bool)
    stack = SetStack().fit(parts, truth, possible)
    possible[:, 2] = False
    log_prob = stack.transform(parts, possible)
    assert np.isneginf(log_prob[:, 2]).all()
    np.testing.assert_allclose(np.exp(log_prob).sum(axis=1), 1.0)


def test_rows_without_a_possible_truth_say_nothing():
    parts, truth = scores()
    possible = np.ones((80, 5), dtype=bool)
    lost = truth.copy()
    lost[:20] = -1
    some = SetStack().fit(parts, lost, possible).weights_
    rest = SetStack().fit([p[20:] for p in parts], truth[20:], possible[20:]).weights_
    np.testing.assert_allclose(some, rest, atol=1e-6)


def test_blocks_do_not_change_the_answer(monkeypatch):
    parts, truth = scores()
    possible = np.ones((80, 5), dtype=bool)
    whole = SetStack().fit(parts, truth, possible).weights_
    monkeypatch.setattr("labelfield.learners.stacks.set_stack.BLOCK_CELLS", 100)
    np.testing.assert_allclose(SetStack().fit(parts, truth, possible).weights_, whole, atol=1e-5)


def test_a_warm_start_changes_the_steps_and_not_the_answer(monkeypatch):
    parts, truth = scores()
    possible = np.ones((80, 5), dtype=bool)
    fresh = SetStack().fit(parts, truth, possible).weights_
    warm = SetStack(warm_start=True).fit(parts, truth[::-1], possible)
    assert np.abs(warm.weights_ - fresh).max() > 0.1
    np.testing.assert_allclose(warm.fit(parts, truth, possible).weights_, fresh, atol=1e-3)
    monkeypatch.setattr("labelfield.learners.stacks.set_stack.MAX_ITER", 0)
    np.testing.assert_array_equal(warm.fit(parts, truth, possible).weights_, warm.weights_)
    assert np.abs(SetStack().fit(parts, truth, possible).weights_ - fresh).max() > 0.1
