"""What the joint of one case says while a person answers label by label."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from labelfield._typing import FloatArray, LabelArray
from labelfield.desk.assist.promise import ask_first
from labelfield.joints import Joint
from labelfield.joints.base import MAX_ENUMERATED
from labelfield.kernels.sets.bits import all_sets

__all__ = ["N_LISTED", "Consultation", "Given"]

N_LISTED = 1000
ENOUGH = 30  # listed sets that must agree with what is known


@dataclass(frozen=True)
class Given:
    """What follows from known labels.

    Attributes
    ----------
    probabilities : (L,) array
        P(y_l = 1 | known labels).
    best : (L,) array
        The most probable set that agrees with them.
    probability : float or None
        Of that set, given them; None where only ratios are known.
    ask : int or None
        The label to ask first.
    possible : bool
        False if the model holds the known labels for impossible: the numbers are then those
        without them.
    listed : int or None
        The answer comes from so many best sets only; None if it is exact.
    """

    probabilities: FloatArray
    best: LabelArray
    probability: float | None
    ask: int | None
    possible: bool
    listed: int | None


class Consultation:
    """The joint of one row, asked again with every label that becomes known.

    Products, mixtures, lists of sets and pools of them are conditioned as they are; so are all
    joints of few labels, by listing every set. Other joints answer from their 1000 best sets, and
    `Given.listed` says so; where hardly any of these agrees with what is known, from the 1000 best
    sets that do.

    Parameters
    ----------
    joint : Joint of one row
    allow_empty : bool, default=True
        Whether the best set may be empty where the known labels leave a choice.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.desk.assist import Consultation
    >>> from labelfield.joints import SupportJoint
    >>> joint = SupportJoint([[1, 0], [0, 1], [1, 1]], np.log([[0.5, 0.4, 0.1]]))
    >>> given = Consultation(joint).given(np.array([0.0, np.nan]))
    >>> given.probabilities.round(3).tolist(), given.best.tolist(), given.listed
    ([0.0, 1.0], [0, 1], None)
    """

    def __init__(self, joint: Joint, *, allow_empty: bool = True) -> None:
        if len(joint) != 1:
            raise ValueError(f"joint must be of one row; got {len(joint)}.")
        self.joint = joint
        self.allow_empty = allow_empty

    @cached_property
    def _asked(self) -> tuple[Joint, int | None]:
        """The joint that is conditioned, and of how many sets it knows if not of all."""
        if self.joint._quick_to_condition:
            return self.joint, None
        if self.joint.n_labels <= MAX_ENUMERATED:
            return self.joint.restrict(all_sets(self.joint.n_labels)), None
        return _best_sets(self.joint)

    def given(self, known: FloatArray) -> Given:
        """Return what follows from known labels (L,): 1, 0 or NaN for unknown."""
        if np.isnan(known).all():
            return self._answer(self.joint, known, None)
        try:
            return self._answer(*self._condition(known))
        except ValueError:  # known labels of probability zero
            return replace(self.given(np.full(len(known), np.nan)), possible=False)

    def _condition(self, known: FloatArray) -> tuple[Joint, FloatArray, int | None]:
        """Return the joint given known labels, these, and the number of sets behind it."""
        asked, listed = self._asked
        if listed is not None:
            sets, _ = asked.top_k(listed)
            agreeing = (np.isnan(known) | (sets[0] == known)).all(axis=1).sum()
            if agreeing < ENOUGH:  # known labels the joint did not expect: other sets are best now
                asked, listed = _best_sets(self.joint.condition(known[None]))
        return asked.condition(known[None]), known, listed

    def _answer(self, given: Joint, known: FloatArray, listed: int | None) -> Given:
        best, log_prob = self._best(given)
        return Given(
            probabilities=given.marginals()[0],
            best=best,
            probability=float(np.exp(log_prob)) if given.normalized else None,
            ask=ask_first(given, known),
            possible=True,
            listed=listed,
        )

    def _best(self, given: Joint) -> tuple[LabelArray, float]:
        """Return the best set and its log-score; the empty one only where it may be or must be."""
        best, log_score = given.top_k(1)
        if not self.allow_empty and not best[0, 0].any():
            others, scores = given.top_k(2)
            if scores.shape[1] > 1 and np.isfinite(scores[0, 1]):
                return others[0, 1], float(scores[0, 1])
        return best[0, 0], float(log_score[0, 0])


def _best_sets(joint: Joint) -> tuple[Joint, int]:
    """Return the joint on its best sets, and their number."""
    sets, log_score = joint.top_k(N_LISTED)
    listed = sets[0][np.isfinite(log_score[0])]
    return joint.restrict(listed), len(listed)
