"""Questions against enumeration, and answers from best sets against exact ones."""

import numpy as np
import pytest

from labelfield import IntractableError
from labelfield.joints import IndependentJoint, SupportJoint, ask_first, given_answers
from laws import enumerate_law
from strategies import KINDS


def entropy(p):
    p = p[p > 0]
    return -(p * np.log2(p)).sum()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_bits_are_the_expected_fall_of_the_entropy_of_the_set(kind):
    joint = KINDS[kind](np.random.default_rng(3), 3, 4, "usual")
    sets, law = enumerate_law(joint)
    asked = ask_first(joint, n_asked=4)
    assert not asked.from_best
    for i, p in enumerate(law):
        for label, bits in zip(asked.labels[i], asked.bits[i]):
            if label < 0:
                continue
            parts = [p[sets[:, label] == value] for value in (0, 1)]
            after = sum(part.sum() * entropy(part / part.sum()) for part in parts if part.sum() > 0)
            assert bits == pytest.approx(entropy(p) - after, abs=1e-8)
        assert (np.diff(asked.bits[i]) <= 0).all()


def test_known_labels_are_not_asked_and_count():
    joint = SupportJoint([[1, 1, 0], [1, 0, 1], [0, 0, 0]], np.log([[0.5, 0.3, 0.2]]))
    asked = ask_first(joint, [[1, np.nan, np.nan]])
    assert asked.labels.tolist() == [[1, 2, -1]]
    assert asked.bits[0, 0] == pytest.approx(entropy(np.array([0.625, 0.375])))
    settled = ask_first(joint, [[np.nan, 1, np.nan]])
    assert (settled.labels == -1).all()


class Stiff(IndependentJoint):
    """A joint that cannot be conditioned."""

    def condition(self, known):
        raise IntractableError("too many labels")


def test_other_joints_answer_from_their_best_sets():
    rng = np.random.default_rng(0)
    logits, known = rng.normal(-1, 2, (2, 6)), np.full((2, 6), np.nan)
    known[0, 1], known[1, 4] = 1, 0
    exact = given_answers(IndependentJoint(logits), known)
    listed = given_answers(Stiff(logits), known, n_best=64)
    assert (exact.from_best, listed.from_best) == (False, True)
    np.testing.assert_allclose(listed.joint.marginals(), exact.joint.marginals(), atol=1e-12)
    few = given_answers(Stiff(logits).take([0]), known[:1], n_best=3).joint
    assert (few.sets[:, 1] == 1).all()  # also where no best set has the label
    p = np.exp(IndependentJoint(logits[:1]).log_prob(few.sets[None])[0])
    np.testing.assert_allclose(np.exp(few.log_weights[0]), p / p.sum())
    assert ask_first(Stiff(logits), known).from_best


def test_wrong_answers_are_named():
    joint = IndependentJoint(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="known"):
        ask_first(joint, [[0.5, np.nan, np.nan]])
    with pytest.raises(ValueError, match="n_asked"):
        ask_first(joint, n_asked=0)
