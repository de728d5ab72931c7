"""Every decoder with rules against the best expected metric over the sets that keep them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield.decode import (
    F1Decoder,
    HammingDecoder,
    JaccardDecoder,
    LabelThresholdDecoder,
    SubsetDecoder,
    TopKDecoder,
    resolve,
)
from labelfield.joints import IndependentJoint, SupportJoint
from labelfield.kernels.sets.bits import all_sets, pack
from labelfield.rules import LabelRules
from laws import enumerate_law, f1_of_all_pairs
from strategies import generators, random_mixture, random_rules

SETS = {L: all_sets(L) for L in range(1, 7)}


def jaccard_of_all_pairs(L):
    both = SETS[L].astype(float) @ SETS[L].T
    either = SETS[L].sum(axis=1)[:, None] + SETS[L].sum(axis=1) - both
    return np.where(either == 0, 1.0, both / np.maximum(either, 1))


METRICS = {
    "subset": lambda L: np.eye(2**L),
    "hamming": lambda L: (SETS[L][:, None] == SETS[L]).mean(axis=2),
    "f1": f1_of_all_pairs,
    "jaccard": jaccard_of_all_pairs,
}


def value_of(decoder, metric, bound, **options):
    """Return the expected metric of the decoded sets, and of the best set of every kind."""
    L = bound.n_labels
    value = enumerate_law(bound)[1] @ metric(L).T
    answer = decoder.decode(bound, **options)
    assert bound.rules.keeps(answer).all()
    where = np.searchsorted(pack(SETS[L]), pack(answer))
    return value[np.arange(len(bound)), where], value


@settings(max_examples=80, deadline=None)
@given(
    rng=generators,
    name=st.sampled_from(sorted(METRICS)),
    L=st.integers(1, 6),
    bounds=st.tuples(st.integers(0, 6), st.integers(0, 6)),
)
def test_decoders_find_the_best_set_that_keeps_the_rules(rng, name, L, bounds):
    joint, rules = random_mixture(rng, 4, L, "usual"), random_rules(rng, L)
    bound = joint.given_rules(rules)
    smallest, largest = sorted(min(b, L) for b in bounds)
    sizes = SETS[L].sum(axis=1)
    feasible = rules.keeps(SETS[L]) & (sizes >= smallest) & (sizes <= largest)
    decoder = type(resolve(name))(allow_empty=True, min_size=smallest, max_size=largest)
    if not feasible.any():
        with pytest.raises(ValueError, match="the rules"):
            decoder.decode(bound)
        return
    got, value = value_of(decoder, METRICS[name], bound)
    np.testing.assert_allclose(got, value[:, feasible].max(axis=1), atol=1e-9)
    assert decoder.certified(bound).all()


def tree_joint(L, n=30, seed=0):
    rng = np.random.default_rng(seed)
    parents = np.array([-1, *(rng.random(L - 1) * np.arange(1, L)).astype(int)])
    rules = LabelRules.from_parents(range(L), parents)
    return IndependentJoint(rng.normal(-0.5, 1.5, (n, L))).given_rules(rules)


def test_top_k_and_thresholds_keep_the_rules():
    bound = tree_joint(6)
    for k in (1, 3, 6):
        answer = TopKDecoder(k=k).decode(bound)
        assert (answer.sum(axis=1) == k).all()
        assert bound.rules.keeps(answer).all()
        kept = SETS[6][bound.rules.keeps(SETS[6]) & (SETS[6].sum(axis=1) == k)]
        best = (bound.marginals() @ kept.T).max(axis=1)
        np.testing.assert_allclose((answer * bound.marginals()).sum(axis=1), best, atol=1e-12)
    rng = np.random.default_rng(0)
    decoder = LabelThresholdDecoder().fit(rng.random((40, 6)), rng.random((40, 6)) < 0.4)
    kept = SETS[6][bound.rules.keeps(SETS[6])]
    gains = bound.marginals() - decoder.thresholds_
    answer = decoder.decode(bound)
    assert bound.rules.keeps(answer).all()
    np.testing.assert_allclose((answer * gains).sum(axis=1), (gains @ kept.T).max(axis=1))


def test_top_k_takes_a_size_that_the_rules_allow():
    rules = LabelRules(["a", "b", "c"]).implies("a", "b").implies("b", "a").implies("c", "a")
    bound = IndependentJoint.from_probabilities([[0.4, 0.9, 0.2]]).given_rules(rules)
    assert TopKDecoder(k=1).decode(bound, empty_seen=False).tolist() == [[1, 1, 0]]


def test_allowed_sets_must_keep_the_rules():
    bound = tree_joint(4)
    wrong = [[0, 1, 0, 0], [0, 0, 0, 1]]
    with pytest.raises(ValueError, match="allowed_sets keeps the rules"):
        SubsetDecoder(allowed_sets=wrong).decode(bound)
    answer = SubsetDecoder(allowed_sets=[*wrong, [1, 0, 0, 0]]).decode(bound)
    assert (answer == [1, 0, 0, 0]).all()


@pytest.mark.parametrize("decoder", [F1Decoder(), JaccardDecoder(), HammingDecoder()])
def test_decoders_keep_the_rules_of_many_labels(decoder):
    bound = tree_joint(60, n=8)
    answer = decoder.decode(bound)
    assert bound.rules.keeps(answer).all()
    if decoder.exact:
        assert decoder.certified(bound).all()


def test_f1_on_a_tree_is_never_beaten_by_nearby_sets():
    bound = tree_joint(40, n=5)
    answer = F1Decoder().decode(bound)
    by_size = bound.size_marginals()
    s = np.arange(1, 41)

    def expected(sets):
        return np.einsum("nl,nls,ns->n", sets, by_size, 2.0 / (sets.sum(axis=1)[:, None] + s))

    value = expected(answer)
    draws = bound.sample(200, 0)
    for k in range(200):
        assert (expected(draws[:, k]) <= value + 1e-9)[draws[:, k].any(axis=1)].all()


def test_rules_too_wide_for_proofs_still_hold():
    rng = np.random.default_rng(0)
    L = 40
    rules = LabelRules(range(L))
    for _ in range(200):
        a, b, c, d = rng.choice(L, 4, replace=False)
        rules = rules.any_of(str(a), needs=(str(b), str(c), str(d)))
    sets = (rng.random((400, L)) < 0.6).astype(np.uint8)
    sets = np.unique(np.concatenate([sets[rules.keeps(sets)], np.zeros((1, L), np.uint8)]), axis=0)
    assert len(sets) > 3
    joint = SupportJoint(sets, np.log(rng.dirichlet(np.ones(len(sets)), 5)))
    bound = joint.given_rules(rules)
    for name in ("hamming", "f1", "jaccard", "subset"):
        assert rules.keeps(resolve(name).decode(bound)).all()
    assert not HammingDecoder().certified(bound).any()
    assert SubsetDecoder().certified(bound).all()
