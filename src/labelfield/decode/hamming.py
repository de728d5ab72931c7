"""The decision for the number of wrong labels."""

from typing import ClassVar, Literal

from numpy.typing import ArrayLike

from labelfield._typing import LabelArray
from labelfield.decode.base import Decoder
from labelfield.decode.linear import best_linear, best_listed
from labelfield.joints import Joint

__all__ = ["HammingDecoder"]


class HammingDecoder(Decoder):
    """Every label more likely than not: best for Hamming loss.

    Parameters
    ----------
    allow_empty : bool or "auto", default=True
        Unlike the other decoders this one allows the empty set by default: it is the
        plain reading of the marginals.
    min_size, max_size, allowed_sets
        Constraints on the answer, see `Decoder`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import HammingDecoder, IndependentJoint
    >>> joint = IndependentJoint.from_probabilities(np.array([[0.9, 0.2, 0.6], [0.1, 0.3, 0.2]]))
    >>> HammingDecoder().decode(joint)
    array([[1, 0, 1],
           [0, 0, 0]], dtype=uint8)
    """

    metric: ClassVar[str] = "hamming_accuracy"
    follows_device = True
    _adds_up = True

    def __init__(
        self,
        *,
        allow_empty: bool | Literal["auto"] = True,
        min_size: int = 0,
        max_size: int | None = None,
        allowed_sets: ArrayLike | None = None,
    ) -> None:
        super().__init__(
            allow_empty=allow_empty, min_size=min_size, max_size=max_size, allowed_sets=allowed_sets
        )

    def _best_sized(self, joint: Joint, smallest: int, largest: int) -> LabelArray:
        return best_linear(joint, joint.marginals() - 0.5, smallest, largest)

    def _best_listed(self, joint: Joint, sets: LabelArray) -> LabelArray:
        return best_listed(joint.marginals() - 0.5, sets)
