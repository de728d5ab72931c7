"""The decision for exact match."""

import warnings
from typing import ClassVar

import numpy as np

from labelfield._namespaces import row_numbers, to_host
from labelfield._typing import LabelArray
from labelfield.decode.base import Decoder
from labelfield.decode.linear import best_listed, pick
from labelfield.joints import Joint
from labelfield.kernels.sets.logspace import clipped_logit

__all__ = ["SubsetDecoder"]


class SubsetDecoder(Decoder):
    """The most probable set: best for exact match (subset accuracy, 0-1 loss).

    Where all `allowed_sets` have probability zero, the answer is the one of largest summed log-odds
    of the marginals, with a warning.

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
    follows_device = True

    def _best_sized(self, joint: Joint, smallest: int, largest: int) -> LabelArray:
        if largest == joint.n_labels and smallest <= 1:
            return joint.mode(allow_empty=smallest == 0)
        return joint.sized_mode(smallest, largest)

    def _best_listed(self, joint: Joint, sets: LabelArray) -> LabelArray:
        log_score = joint.log_scores_of(to_host(sets))
        answer = pick(sets, log_score)
        lost = joint.place.xp.max(log_score, axis=1) == -np.inf
        impossible = row_numbers(lost)
        if len(impossible):
            warnings.warn(
                f"In {len(impossible)} rows all allowed_sets have probability zero; they get the "
                "one of largest summed log-odds of its labels.",
                RuntimeWarning,
                stacklevel=4,
            )
            log_odds = clipped_logit(joint.take(impossible).marginals())
            answer[lost] = best_listed(log_odds, sets)
        return answer
