"""Every joint given random rules, against the list of the sets that keep them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield.joints import IndependentJoint, SupportJoint
from labelfield.kernels.sets.bits import pack
from labelfield.rules import LabelRules
from laws import enumerate_law, size_distribution_of, size_marginals_of
from strategies import KINDS, flavours, generators, random_rules

every_kind = pytest.mark.parametrize("kind", KINDS)


def close(actual, desired):
    np.testing.assert_allclose(actual, desired, rtol=0, atol=1e-9)


def law_given_rules(joint, rules):
    """Return all sets, their probabilities given the rules, and p(rules)."""
    sets, p = enumerate_law(joint)
    p = np.where(rules.keeps(sets), p, 0.0)
    total = p.sum(axis=1)
    return sets, p / np.where(total > 0.0, total, 1.0)[:, None], total


def draw_case(kind, rng, n, L, flavour):
    """Return a joint, rules, the joint given them and its law; None where they are impossible."""
    joint, rules = KINDS[kind](rng, n, L, flavour), random_rules(rng, L)
    sets, p, total = law_given_rules(joint, rules)
    close(np.exp(joint.log_rules(rules)), total)
    if (total == 0.0).any():
        with pytest.raises(ValueError, match="keeps the rules"):
            joint.given_rules(rules)
        check_fallback(joint, rules, sets, p, total)
        return None
    if (total < 1e-6).any():  # few digits are left of candidates and rejected sets
        return None
    return rules, joint.given_rules(rules), sets, p


def check_fallback(joint, rules, sets, p, total):
    if not rules.satisfiable:
        with pytest.raises(ValueError, match="contradict each other"):
            joint.given_rules(rules, fallback="product")
        return
    bound = joint.given_rules(rules, fallback="product")
    assert bound.rules == rules
    assert rules.keeps(bound.mode()).all()
    marginals = np.clip(joint.marginals(), 1e-6, 1.0 - 1e-6)
    product = np.where(sets, marginals[:, None], 1.0 - marginals[:, None]).prod(axis=2)
    product *= rules.keeps(sets)
    expected = np.where(total[:, None] > 0.0, p, product / product.sum(axis=1, keepdims=True))
    sure = (total == 0.0) | (total > 1e-6)
    close(enumerate_law(bound)[1][sure], expected[sure])


def check_answers(rules, bound, sets, p, rng):
    assert bound.rules == rules
    assert bound.exact
    assert bound.normalized
    close(enumerate_law(bound)[1], p)
    close(bound.marginals(), p @ sets)
    close(bound.pair_marginals(), np.einsum("nm,ml,mk->nlk", p, sets, sets))
    close(bound.size_marginals(), size_marginals_of(sets, p))
    close(bound.size_distribution(), size_distribution_of(sets, p))
    k = int(rng.integers(1, 2 * len(sets)))
    best, log_prob = bound.top_k(k)
    assert rules.keeps(best).all()
    ranked = -np.sort(-p, axis=1)
    close(np.exp(log_prob), ranked[:, : log_prob.shape[1]])
    close(ranked[:, log_prob.shape[1] : k], 0.0)
    for keys in pack(best):
        assert len(np.unique(keys)) == len(keys)
    assert bound.certified(k).all()
    assert rules.keeps(bound.sample(20, rng)).all()
    assert rules.keeps(bound.mode()).all()


def check_evidence(bound, sets, p, rng):
    truth = sets[[rng.choice(len(sets), p=row / row.sum()) for row in p]]
    known = np.where(rng.random(truth.shape) < 0.4, truth, np.nan)
    agrees = (np.isnan(known)[:, None] | (known[:, None] == sets)).all(axis=2)
    wanted = np.where(agrees, p, 0.0)
    close(np.exp(bound.log_evidence(known)), wanted.sum(axis=1))
    if (wanted.sum(axis=1) > 1e-6).all():
        given = bound.condition(known)
        close(enumerate_law(given)[1], wanted / wanted.sum(axis=1, keepdims=True))
        assert given.rules == bound.rules
    strange = np.where(rng.random(truth.shape) < 0.7, 1.0 - truth, np.nan)
    agrees = (np.isnan(strange)[:, None] | (strange[:, None] == sets)).all(axis=2)
    if (~(agrees & (p > 0.0)).any(axis=1)).any():
        with pytest.raises(ValueError, match="probability zero"):
            bound.condition(strange)
    log_odds = rng.normal(0.0, 2.0, (len(bound), bound.n_labels))
    wanted = p * np.exp(log_odds @ sets.T)
    close(bound.log_tilt(log_odds), np.log(wanted.sum(axis=1)))
    tilted = bound.tilt(log_odds)
    close(tilted.marginals(), wanted @ sets / wanted.sum(axis=1, keepdims=True))
    assert tilted.rules == bound.rules
    support = sets[rng.random(len(sets)) < 0.7]
    left = p[:, np.isin(pack(sets), pack(support))].sum(axis=1)
    if (left > 1e-6).all():
        listed = bound.restrict(support)
        assert listed.rules == bound.rules
        assert bound.rules.keeps(listed.top_k(5)[0]).all()


def check_more_rules(rules, bound, sets, p, rng):
    more = random_rules(rng, bound.n_labels)
    kept = np.where(more.keeps(sets), p, 0.0)
    close(np.exp(bound.log_rules(more)), kept.sum(axis=1))
    if (kept.sum(axis=1) > 1e-6).all():
        both = bound.given_rules(more)
        assert both.rules == rules & more
        close(both.marginals(), kept @ sets / kept.sum(axis=1, keepdims=True))


@every_kind
@settings(max_examples=25, deadline=None)
@given(rng=generators, n=st.integers(1, 3), L=st.integers(1, 5), flavour=flavours)
def test_joints_given_rules(kind, rng, n, L, flavour):
    case = draw_case(kind, rng, n, L, flavour)
    if case is not None:
        check_answers(*case, rng)
        check_evidence(*case[1:], rng)
        check_more_rules(*case, rng)


@pytest.mark.slow
@every_kind
@settings(max_examples=500, deadline=None)
@given(rng=generators, n=st.integers(1, 3), L=st.integers(1, 8), flavour=flavours)
def test_joints_given_rules_of_up_to_eight_labels(kind, rng, n, L, flavour):
    test_joints_given_rules.hypothesis.inner_test(kind, rng, n, L, flavour)


@every_kind
def test_rules_and_joints_of_other_labels_are_refused(kind):
    rng = np.random.default_rng(0)
    joint = KINDS[kind](rng, 2, 3, "usual")
    with pytest.raises(ValueError, match="about 4 labels, the joint has 3"):
        joint.given_rules(random_rules(rng, 4))
    with pytest.raises(ValueError, match="must be LabelRules, got str"):
        joint.given_rules("a implies b")
    with pytest.raises(ValueError, match="fallback must be 'error' or 'product', got 'close'"):
        joint.given_rules(random_rules(rng, 3), fallback="close")


def test_marginals_agree_with_the_rules_exactly():
    rng = np.random.default_rng(1)
    parents = np.array([-1, *((rng.random(199) * np.arange(1, 200)).astype(int))])
    rules = LabelRules.from_parents(range(200), parents)
    p = IndependentJoint(rng.normal(0, 3, (50, 200))).given_rules(rules).marginals()
    child = np.flatnonzero(parents >= 0)
    assert (p[:, child] <= p[:, parents[child]]).all()
    assert (p <= 1.0).all()


def test_rows_without_a_set_in_the_rules_fall_back_to_independent_labels():
    joint = SupportJoint([[1, 0], [1, 1]], np.log([[1.0, 1e-300], [0.5, 0.5]]))
    joint.log_weights[0, 1] = -np.inf
    rules = LabelRules(["flu", "fever"]).implies("flu", "fever")
    with pytest.raises(ValueError, match=r"row 0 keeps the rules.*'flu implies fever'.*fallback"):
        joint.given_rules(rules)
    bound = joint.given_rules(rules, fallback="product")
    assert rules.keeps(bound.mode()).all()
    # flu is (nearly) certain, fever nearly impossible: both sets in the rules need one surprise
    np.testing.assert_allclose(bound.marginals(), [[0.5, 0.5], [1.0, 1.0]], atol=1e-5)
