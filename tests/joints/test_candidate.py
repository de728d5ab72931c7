"""Joints with given probabilities for some sets."""

import numpy as np
import pytest

from labelfield.joints import (
    CandidateJoint,
    ChainJoint,
    IndependentJoint,
    MixtureJoint,
    SupportJoint,
)
from labelfield.kernels.sets.bits import all_sets, pack
from laws import enumerate_law


def by_hand(base, sets, p):
    """Return the law over all sets, set by set."""
    every, q = enumerate_law(base)
    law = np.empty_like(q)
    for row in range(len(base)):
        own = {tuple(s): c for s, c in zip(sets[row].tolist(), p[row])}
        total = sum(own.values())
        scale = 1.0 if total <= 1.0 else total
        outside = sum(q[row, i] for i, s in enumerate(every) if tuple(s.tolist()) not in own)
        for i, s in enumerate(every.tolist()):
            left = max(1.0 - total, 0.0)
            law[row, i] = own[tuple(s)] / scale if tuple(s) in own else left * q[row, i] / outside
    return law


@pytest.mark.parametrize("highest", [0.15, 0.9])
def test_other_sets_share_what_the_candidates_leave(highest):
    rng = np.random.default_rng(0)
    base = IndependentJoint(rng.normal(size=(6, 4)))
    sets, _ = base.top_k(5)
    p = rng.random((6, 5)) * highest
    joint = CandidateJoint(base, sets, p)
    _, law = enumerate_law(joint)
    np.testing.assert_allclose(law, by_hand(base, sets, p), atol=1e-12)
    np.testing.assert_allclose(law.sum(axis=1), 1.0)
    np.testing.assert_allclose(joint.other + joint.probabilities.sum(axis=1), 1.0)


def test_all_sets_as_candidates_and_no_confidence_at_all():
    base = IndependentJoint.from_probabilities([[0.7, 0.4]])
    sets = base.top_k(4)[0]
    np.testing.assert_allclose(
        enumerate_law(CandidateJoint(base, sets, np.zeros((1, 4))))[1], enumerate_law(base)[1]
    )
    shares = np.array([[0.1, 0.1, 0.1, 0.2]])
    np.testing.assert_allclose(CandidateJoint(base, sets, shares).probabilities, shares / 0.5)


def test_best_sets_of_a_small_support_are_different():
    base = SupportJoint(all_sets(2)[:3], np.log([[0.5, 0.3, 0.2]]))
    joint = CandidateJoint(base, base.top_k(2)[0], np.array([[0.0, 0.6]]))
    sets, log_prob = joint.top_k(4)
    assert len({tuple(s) for s in sets[0].tolist()}) == len(sets[0])
    np.testing.assert_allclose(np.exp(log_prob[0][:2]), [0.6, 0.4])


def test_wrong_arguments_are_named():
    base = IndependentJoint.from_probabilities([[0.7, 0.4]])
    with pytest.raises(ValueError, match=r"sets must have shape \(n, k, L\)"):
        CandidateJoint(base, np.zeros((1, 2, 3)), np.zeros((1, 2)))
    with pytest.raises(ValueError, match=r"probabilities must lie in \[0, 1\]"):
        CandidateJoint(base, base.top_k(1)[0], np.array([[1.5]]))


def bases(n_labels):
    """Return joints whose best set holds nearly all of the probability."""
    rng = np.random.default_rng(0)
    logits = 6.0 + rng.normal(0.0, 0.5, (2, n_labels))
    return {
        "independent": IndependentJoint(logits),
        "mixture": MixtureJoint(np.log([[0.5, 0.5]] * 2), np.stack([logits, logits + 1.0], axis=1)),
        "chain": ChainJoint.linear(logits, rng.normal(0.0, 0.3, (n_labels, n_labels))),
    }


@pytest.mark.parametrize("n_labels", [3, 13])
@pytest.mark.parametrize("kind", ["independent", "mixture", "chain"])
def test_draws_of_rare_other_sets_follow_their_probabilities(kind, n_labels):
    base = bases(n_labels)[kind]
    sets, _ = base.top_k(1)
    joint = CandidateJoint(base, sets, np.full((2, 1), 0.2))
    draws = joint.sample(2000, np.random.default_rng(1))
    others, log_prob = joint.top_k(6)
    p = np.exp(log_prob)
    frequency = (pack(draws)[:, :, None] == pack(others)[:, None]).mean(axis=1)
    assert p[:, 1].max() < 0.5  # no single other set has all that the candidate leaves
    np.testing.assert_allclose(frequency, p, atol=5 * np.sqrt(0.25 / 2000))


def test_evidence_about_many_labels_keeps_the_candidates():
    rng = np.random.default_rng(2)
    base = MixtureJoint(np.log([[0.3, 0.7]] * 3), rng.normal(0.0, 2.0, (3, 2, 13)))
    sets, _ = base.top_k(3)
    joint = CandidateJoint(base, sets, np.array([[0.3, 0.1, 0.2]] * 3))
    listed = joint.restrict(all_sets(13))
    known = np.where(rng.random((3, 13)) < 0.3, sets[:, 0], np.nan)
    log_odds = rng.normal(0.0, 1.0, (3, 13))
    np.testing.assert_allclose(joint.log_evidence(known), listed.log_evidence(known), atol=1e-9)
    np.testing.assert_allclose(joint.log_tilt(log_odds), listed.log_tilt(log_odds), atol=1e-9)
    for mine, slow in (
        (joint.condition(known), listed.condition(known)),
        (joint.tilt(log_odds), listed.tilt(log_odds)),
    ):
        np.testing.assert_allclose(mine.marginals(), slow.marginals(), atol=1e-9)
        np.testing.assert_allclose(mine.top_k(5)[1], slow.top_k(5)[1], atol=1e-9)
