"""Weights that depend on the row: against finite differences, plain weights and repeated rows."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from labelfield.models.stacking.gate import WeightGate, chosen_gate
from labelfield.models.stacking.weights import likelihood_weights


def problem(n_rows=300, seed=0, slope=3.0):
    """Return features, of which the first says which of three members is right."""
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n_rows, 2)) * [1.0, 40.0] + [0.0, 7.0]
    right = rng.random(n_rows) < 1.0 / (1.0 + np.exp(-slope * F[:, 0]))
    log_prob = np.log(np.where(right[:, None], [0.8, 0.1, 0.3], [0.1, 0.7, 0.3]))
    return F, log_prob


def folds_of(n_rows, n_folds=4):
    fold = np.arange(n_rows) % n_folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


def test_gradient_is_that_of_finite_differences():
    F, log_prob = problem(40)
    log_prob[3, 1] = -np.inf
    rng = np.random.default_rng(1)
    theta, share = rng.normal(size=(3, 3)), rng.random(40)
    gate, Z = WeightGate(alpha=2.0), F / [1.0, 40.0]

    def value(flat):
        return gate.loss(flat.reshape(3, 3), Z, log_prob, share)[0]

    _, gradient = gate.loss(theta, Z, log_prob, share)
    np.testing.assert_allclose(gradient.ravel(), approx_fprime(theta.ravel(), value), atol=1e-4)


def test_a_strong_penalty_leaves_the_plain_weights():
    F, log_prob = problem()
    found = WeightGate(alpha=1e9).fit(F, log_prob).weights(F)
    np.testing.assert_allclose(found, np.tile(likelihood_weights(log_prob), (300, 1)), atol=2e-3)


def test_weights_of_a_row_sum_to_one_and_follow_the_feature():
    F, log_prob = problem()
    weights = WeightGate(alpha=1.0).fit(F, log_prob).weights(F)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    assert weights[F[:, 0] > 1.0, 0].min() > 0.6 > 0.4 > weights[F[:, 0] < -1.0, 0].max()


def test_members_count_on_average_as_much_as_they_explain():
    """Constants are not penalised: mean weights are mean shares in the pool, as in EM."""
    F, log_prob = problem()
    weights = WeightGate(alpha=10.0).fit(F, log_prob).weights(F)
    terms = weights * np.exp(log_prob)
    shares = terms / terms.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weights.mean(axis=0), shares.mean(axis=0), atol=1e-3)


def test_sample_weights_count_rows():
    F, log_prob = problem(120)
    F = (F - F.mean(axis=0)) / F.std(axis=0)
    counts = np.arange(120) % 3
    weighted = WeightGate(alpha=5.0).fit(F, log_prob, counts.astype(float))
    repeated = WeightGate(alpha=5.0).fit(
        *(np.repeat(part, counts, axis=0) for part in (F, log_prob))
    )
    np.testing.assert_allclose(weighted.weights(F), repeated.weights(F), atol=1e-3)


def test_rows_impossible_to_all_members_say_nothing():
    F, log_prob = problem()
    lost = np.vstack([log_prob, np.full((1, 3), -np.inf)])
    some = WeightGate(alpha=5.0).fit(np.vstack([F, F.mean(axis=0)]), lost)
    assert np.isfinite(some.slopes_).all()
    all_lost = WeightGate(alpha=5.0).fit(F, np.full_like(log_prob, -np.inf))
    np.testing.assert_allclose(all_lost.weights(F), 1.0 / 3.0)


def test_a_gate_is_chosen_where_it_pays_and_nowhere_else():
    F, log_prob = problem()
    folds = folds_of(len(F))
    assert chosen_gate(F, log_prob, folds) is not None
    assert chosen_gate(F[::-1], log_prob, folds) is None
    assert chosen_gate(F, log_prob[:, :1], folds) is None
    assert chosen_gate(F, log_prob, folds, least_gain=2.0) is None
    assert chosen_gate(F, log_prob, folds, sample_weight=np.zeros(len(F)) + 2.0) is not None


@pytest.mark.parametrize("constant", [0.0, 5.0])
def test_a_feature_alike_for_all_rows_changes_nothing(constant):
    F, log_prob = problem()
    found = WeightGate(alpha=1.0).fit(np.full((300, 1), constant), log_prob).weights(F[:, :1])
    np.testing.assert_allclose(found[0], likelihood_weights(log_prob), atol=2e-3)
