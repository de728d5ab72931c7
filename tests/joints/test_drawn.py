"""Joints of many labels given rules: weighted draws against the list of all sets."""

import numpy as np
import pytest

from labelfield._exceptions import IntractableError
from labelfield.joints import (
    ChainJoint,
    IndependentJoint,
    IsingJoint,
    PooledJoint,
    RBMJoint,
    rbm,
)
from labelfield.joints.drawn import DrawnJoint
from labelfield.kernels.sets.bits import all_sets
from labelfield.rules import LabelRules

L = 13
SETS = all_sets(L)


def some_rules():
    names = [f"y{k}" for k in range(L)]
    rules = LabelRules(names).implies("y0", "y1").exclusive("y2", "y3", "y4", "y5", "y6")
    return rules.any_of("y7", needs=("y8", "y9")).at_most(6)


def make_chain(rng, n):
    coupling = rng.normal(0.0, 0.7, (L, L))
    return ChainJoint.linear(rng.normal(-0.5, 1.0, (n, L)), coupling, rng.permutation(L))


def make_rbm(rng, n, monkeypatch):
    monkeypatch.setattr(rbm, "MAX_EXACT", 8)
    monkeypatch.setattr(RBMJoint, "_max_listed", 8)
    return RBMJoint(
        rng.normal(-0.5, 1.0, (n, L)), rng.normal(0, 0.7, (L, 4)), rng.normal(0, 1, 4), n_draws=200
    )


def make_field(rng, n, monkeypatch):
    edges = [(i, j) for i in range(L) for j in range(i)]
    coupling = rng.normal(0, 0.3, len(edges))
    return IsingJoint(rng.normal(-0.5, 1.0, (n, L)), edges, coupling, inference="sum_product")


def law(joint, rules):
    kept = SETS[rules.keeps(SETS)]
    scores = joint.log_scores_of(kept)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    return kept, p / p.sum(axis=1, keepdims=True)


def spread_of(bound):
    """Return the largest standard error of a probability by weighted draws: (n, 1)."""
    _, log_weights = bound._draw()
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return 0.5 * np.sqrt((weights**2).sum(axis=1, keepdims=True))


@pytest.mark.parametrize("kind", ["chain", "rbm", "field"])
def test_draws_inside_the_rules(kind, monkeypatch):
    rng, rules = np.random.default_rng(0), some_rules()
    if kind == "chain":
        joint = make_chain(rng, 6)
    else:
        joint = {"rbm": make_rbm, "field": make_field}[kind](rng, 6, monkeypatch)
    bound = joint.given_rules(rules)
    assert isinstance(bound, DrawnJoint)
    assert not bound.exact
    sets, p = law(joint, rules)
    spread = spread_of(bound)
    assert spread.max() < 0.06
    assert (np.abs(bound.marginals() - p @ sets) < 5.0 * spread).all()
    sizes = (sets.sum(axis=1)[:, None] == np.arange(L + 1)).astype(float)
    assert (np.abs(bound.size_distribution() - p @ sizes) < 5.0 * spread).all()
    pairs = np.einsum("nm,ml,mk->nlk", p, sets, sets)
    assert (np.abs(bound.pair_marginals() - pairs) < 5.0 * spread[..., None]).all()
    best, _ = bound.top_k(5)
    assert rules.keeps(best).all()
    assert rules.keeps(bound.sample(50, 0)).all()
    proven = bound.certified(1)
    np.testing.assert_array_equal(best[proven, 0], sets[p.argmax(axis=1)][proven])
    one = joint.take(slice(2, 3)).given_rules(rules)
    np.testing.assert_allclose(one.marginals(), bound.marginals()[2:3], atol=1e-12)
    known = np.full((6, L), np.nan)
    known[:, 1] = 0.0
    given = bound.condition(known)
    agrees = sets[:, 1] == 0
    wanted = (p * agrees) / (p * agrees).sum(axis=1, keepdims=True)
    assert (np.abs(given.marginals() - wanted @ sets) < 5.0 * spread_of(given)).all()
    assert given.rules == rules
    tilt = rng.normal(0, 1, L)
    wanted = p * np.exp(sets @ tilt)
    wanted /= wanted.sum(axis=1, keepdims=True)
    tilted = bound.tilt(tilt)
    assert (np.abs(tilted.marginals() - wanted @ sets) < 5.0 * spread_of(tilted)).all()


def test_probabilities_of_a_chain_given_rules():
    joint, rules = make_chain(np.random.default_rng(1), 5), some_rules()
    bound = joint.given_rules(rules)
    exact = np.log(np.exp(joint.log_scores_of(SETS[rules.keeps(SETS)])).sum(axis=1))
    assert np.abs(joint.log_rules(rules) - exact).max() < 0.2
    _, log_prob = bound.top_k(3)
    assert (log_prob <= 0.0).all()
    sets, p = law(joint, rules)
    assert np.abs(np.exp(log_prob[:, 0]) - p.max(axis=1)).max() < 0.05
    known = np.full((5, L), np.nan)
    known[:, 3] = 0.0
    expected = np.log((p * (sets[:, 3] == 0)).sum(axis=1))
    assert np.abs(bound.log_evidence(known) - expected).max() < 0.2
    tilt = np.linspace(-1, 1, L)
    expected = np.log((p * np.exp(sets @ tilt)).sum(axis=1))
    assert np.abs(bound.log_tilt(tilt) - expected).max() < 0.3
    pool = PooledJoint([joint, joint], [0.5, 0.5]).given_rules(rules)
    assert rules.keeps(pool.mode()).all()
    assert not pool.exact


def test_machines_say_that_their_scores_have_no_scale(monkeypatch):
    joint = make_rbm(np.random.default_rng(0), 2, monkeypatch).given_rules(some_rules())
    with pytest.raises(IntractableError, match="known up to a constant"):
        joint.log_prob(np.zeros((2, L)))


def test_rules_too_wide_are_refused_with_a_way_out():
    names = [f"y{k}" for k in range(60)]
    rules, rng = LabelRules(names), np.random.default_rng(0)
    for _ in range(300):
        a, b, c, d = rng.choice(names, 4, replace=False)
        rules = rules.any_of(a, needs=(b, c, d))
    joint = IndependentJoint(np.zeros((2, 60)))
    with pytest.raises(IntractableError, match=r"60 labels.*width.*restrict\(support\)"):
        joint.given_rules(rules)
    listed = joint.restrict(np.eye(60)[:2] * 0 + np.array([[0.0], [1.0]])).given_rules(rules)
    assert rules.keeps(listed.mode()).all()
