"""The decision for exact match."""

from typing import ClassVar

from labelfield._typing import LabelArray
from labelfield.decode.base import Decoder
from labelfield.joints import Joint

__all__ = ["SubsetDecoder"]


class SubsetDecoder(Decoder):
    """The most probable set: best for exact match (subset accuracy, 0-1 loss).

    Parameters
    ----------
    allow_empty, min_size, max_size, allowed_sets
        Constraints on the answer, see `Decoder`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import IndependentJoint, SubsetDecoder
    >>> joint = IndependentJoint.from_probabilities(np.array([[0.9, 0.2, 0.4], [0.1, 0.3, 0.2]]))
    >>> SubsetDecoder(allow_empty=False).decode(joint)
    array([[1, 0, 0],
           [0, 1, 0]], dtype=uint8)
    """

    metric: ClassVar[str] = "subset_accuracy"

    def _best_sized(self, joint: Joint, smallest: int, largest: int) -> LabelArray:
        if largest == joint.n_labels and smallest <= 1:
            return joint.mode(allow_empty=smallest == 0)
        return joint.sized_mode(smallest, largest)

    def _best_listed(self, joint: Joint, sets: LabelArray) -> LabelArray:
        return joint.restrict(sets).mode()
