"""What a few answers about labels say of the rest, and which label to ask about first."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr

from labelfield._exceptions import IntractableError
from labelfield._typing import FloatArray, IntArray
from labelfield.joints._parts.arrays import as_count, as_known
from labelfield.joints.base import Joint

__all__ = ["Answered", "Questions", "ask_first", "given_answers"]

N_BEST = 1000


class Answered(NamedTuple):
    """A joint given answers.

    Attributes
    ----------
    joint : Joint
    from_best : bool
        Whether it lists the best sets only, because the joint itself cannot be conditioned.
    """

    joint: Joint
    from_best: bool


class Questions(NamedTuple):
    """Labels that are worth asking about, the best first.

    Attributes
    ----------
    labels : (n, k) array of int
        Numbers of labels; -1 where nothing is left to ask.
    bits : (n, k) array
        By how much the answer lowers the entropy of the set, on average.
    from_best : bool
        Whether they come from the best sets only.
    """

    labels: IntArray
    bits: FloatArray
    from_best: bool


def given_answers(joint: Joint, known: Any, n_best: int = N_BEST) -> Answered:
    """Return the joint given answers about some labels, whatever the joint.

    Joints that cannot be conditioned answer from their best sets, with the known labels set to the
    answers: these have their right probabilities relative to each other, other sets have none.

    Parameters
    ----------
    joint : Joint of n rows
    known : (n, L) array of 1, 0 and NaN (unknown)
    n_best : int, default=1000

    Returns
    -------
    Answered

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.joints import SupportJoint, given_answers
    >>> joint = SupportJoint([[1, 1, 0], [1, 0, 1], [0, 0, 0]], np.log([[0.5, 0.3, 0.2]]))
    >>> given_answers(joint, [[1, np.nan, np.nan]]).joint.marginals().round(3).tolist()
    [[1.0, 0.625, 0.375]]
    """
    known = as_known(known, (len(joint), joint.n_labels))
    try:
        return Answered(joint.condition(known), False)
    except IntractableError:
        from labelfield.joints.support import SupportJoint

        rows = [_from_best(joint.take(np.array([i])), known[i], n_best) for i in range(len(joint))]
        if len(rows) == 1:
            return Answered(rows[0], True)
        sets = np.unique(np.concatenate([row.sets for row in rows]), axis=0)
        log_weights = np.concatenate([row.log_prob(sets[None]) for row in rows])
        return Answered(SupportJoint(sets, log_weights), True)


def _from_best(joint: Joint, known: FloatArray, n_best: int) -> Any:
    sets = joint.top_k(as_count(n_best, "n_best"))[0][0]
    answered = ~np.isnan(known)
    sets[:, answered] = known[answered]
    return joint.restrict(sets)


def ask_first(joint: Joint, known: Any = None, n_asked: int = 30) -> Questions:
    """Say which label's answer settles most of the set.

    The answer about label l lowers the entropy of the whole set by H(Y) - H(Y | y_l) on average,
    and as y_l is part of Y, this is the entropy of y_l itself given what is known: the label of
    which one is least sure. Dependence comes in through the answers: each one moves the
    probabilities of all other labels, so ask again after every answer.

    Parameters
    ----------
    joint : Joint of n rows
    known : (n, L) array of 1, 0 and NaN (unknown), optional
        Answers so far.
    n_asked : int, default=30
        How many labels to name.

    Returns
    -------
    Questions

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.joints import SupportJoint, ask_first
    >>> joint = SupportJoint([[1, 1, 0], [1, 0, 1], [0, 0, 0]], np.log([[0.5, 0.3, 0.2]]))
    >>> ask_first(joint).labels.tolist()
    [[1, 2, 0]]
    >>> ask_first(joint, [[np.nan, 0, np.nan]]).bits.round(2).tolist()
    [[0.97, 0.97, 0.0]]
    """
    shape = (len(joint), joint.n_labels)
    known = as_known(np.full(shape, np.nan) if known is None else known, shape)
    from_best = False
    if not np.isnan(known).all():
        joint, from_best = given_answers(joint, known)
    p = joint.marginals()
    bits = np.where(np.isnan(known), (entr(p) + entr(1.0 - p)) / np.log(2.0), 0.0)
    labels = np.argsort(-bits, axis=1, kind="stable")[:, : as_count(n_asked, "n_asked")]
    bits = np.take_along_axis(bits, labels, axis=1)
    return Questions(np.where(bits > 0.0, labels, -1), bits, from_best)
