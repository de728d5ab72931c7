"""Decisions that add up over labels: the set of largest summed gain."""

import numpy as np

from labelfield._exceptions import IntractableError
from labelfield._typing import FloatArray, LabelArray
from labelfield.joints import Joint
from labelfield.joints._parts.sizes import best_of_size, fits

__all__ = ["best_linear", "is_reachable"]

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


def is_reachable(joint: Joint) -> bool:
    """Return whether the best set by summed gains can be found for sure."""
    if joint.rules is None:
        return True
    try:
        best_of_size(np.zeros((1, joint.n_labels)), 0, joint.n_labels, joint.rules)
    except IntractableError:
        return False
    return True
