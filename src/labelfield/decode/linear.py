"""Decisions that add up over labels: the set of largest summed gain."""

import numpy as np

from labelfield._exceptions import IntractableError
from labelfield._namespaces import namespace
from labelfield._typing import FloatArray, LabelArray
from labelfield.joints import Joint
from labelfield.joints._parts.sizes import best_of_size, fits

__all__ = ["best_linear", "best_listed", "is_reachable", "pick", "summed_gains"]

N_CANDIDATES = 256


def best_linear(joint: Joint, gains: FloatArray, smallest: int, largest: int) -> LabelArray:
    """Return the sets of largest summed gain (n, L) that keep the joint's rules and size bounds.

    Where the rules tie too many labels together for that, the best of the most probable sets.
    """
    try:
        return best_of_size(gains, smallest, largest, joint.rules)
    except IntractableError:
        sets, _ = joint.top_k(N_CANDIDATES, allow_empty=smallest == 0)
        worth = (sets @ gains[..., None])[..., 0]
        worth[~fits(sets, smallest, largest)] = -np.inf
        best: LabelArray = sets[np.arange(len(sets)), worth.argmax(axis=1)]
        return best


def summed_gains(gains: FloatArray, sets: LabelArray) -> FloatArray:
    """Return the summed gains (n, L) of listed sets (M, L): (n, M)."""
    xp = namespace(gains)
    summed: FloatArray = gains @ xp.astype(sets, gains.dtype).T
    return summed


def best_listed(gains: FloatArray, sets: LabelArray) -> LabelArray:
    """Return the listed sets (M, L) of largest summed gain (n, L): (n, L)."""
    return pick(sets, summed_gains(gains, sets))


def pick(sets: LabelArray, worth: FloatArray) -> LabelArray:
    """Return the listed sets (M, L) of largest worth (n, M) in each row: (n, L)."""
    xp = namespace(worth)
    chosen: LabelArray = xp.take(sets, xp.argmax(worth, axis=1), axis=0)
    return chosen


def is_reachable(joint: Joint) -> bool:
    """Return whether the best set by summed gains can be found for sure."""
    if joint.rules is None:
        return True
    try:
        best_of_size(np.zeros((1, joint.n_labels)), 0, joint.n_labels, joint.rules)
    except IntractableError:
        return False
    return True
