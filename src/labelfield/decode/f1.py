"""The decision for the F1 of each row."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from labelfield import kernels
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.decode.base import Decoder
from labelfield.decode.f1_rules import best_f1_given_rules
from labelfield.joints import Joint

__all__ = ["F1Decoder"]

# Set sizes that carry less probability than this in all are left out of the expectation, which
# changes an expected F1 by no more than it.
NEGLIGIBLE_MASS = 1e-12


class F1Decoder(Decoder):
    """The set of highest expected F1 (GFM: general F-measure maximiser), exact.

    Needs P(y_l = 1, |y| = s) only. Sizes of the answer run over 1..L and stop where an upper
    bound shows that no larger set can win. F1 of two empty sets counts 1.

    Parameters
    ----------
    allow_empty, min_size, max_size, allowed_sets
        Constraints on the answer, see `Decoder`.

    References
    ----------
    Waegeman, Dembczynski, Jachnik, Cheng, Hullermeier (2014): On the Bayes-optimality of
    F-measure maximizers. JMLR 15.

    Examples
    --------
    Two labels that exclude each other, equally likely: naming both is worth 2/3, one only 1/2.

    >>> import numpy as np
    >>> from labelfield import F1Decoder, SupportJoint
    >>> joint = SupportJoint(np.array([[1, 0], [0, 1]]), np.log([[0.5, 0.5]]))
    >>> F1Decoder().decode(joint)
    array([[1, 1]], dtype=uint8)
    """

    metric: ClassVar[str] = "f1"

    def _best_sized(self, joint: Joint, smallest: int, largest: int) -> LabelArray:
        return self._decide(joint, smallest, largest)[0]

    def _decide(self, joint: Joint, smallest: int, largest: int) -> tuple[LabelArray, BoolArray]:
        """Return the best sets (n, L) and which are proven to be, as far as the joint is exact."""
        answer = np.empty((len(joint), joint.n_labels), dtype=np.uint8)
        proven = np.ones(len(joint), dtype=bool)
        for rows, size_marginals, empty in self._size_tables(joint):
            if joint.rules is not None:
                answer[rows], proven[rows] = best_f1_given_rules(
                    joint.take(rows), size_marginals, empty, smallest, largest
                )
                continue
            answer[rows], _ = kernels.sets.gfm.maximize_f1(
                size_marginals, empty, min_size=smallest, max_size=largest
            )
        return answer, proven

    def certified(self, joint: Joint, *, empty_seen: bool = True) -> BoolArray:
        smallest, largest, listed = self._choices(joint, empty_seen)
        sure = np.full(len(joint), self.exact and joint.exact)
        if joint.rules is None or listed is not None or not sure.all():
            return sure
        return self._decide(joint, smallest, largest)[1]

    def _best_listed(self, joint: Joint, sets: LabelArray) -> LabelArray:
        sizes = sets.sum(axis=1, dtype=np.intp)
        answer = np.empty((len(joint), joint.n_labels), dtype=np.uint8)
        for rows, size_marginals, empty in self._size_tables(joint):
            value = np.empty((len(empty), len(sets)))
            for size in np.unique(sizes):
                same = sizes == size
                weights = 2.0 / (size + np.arange(1, size_marginals.shape[2] + 1))
                gains = size_marginals @ weights
                value[:, same] = gains @ sets[same].T if size else empty[:, None]
            answer[rows] = sets[value.argmax(axis=1)]
        return answer

    def _size_tables(self, joint: Joint) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Walk over blocks of rows: slice, P(y_l = 1, |y| = s) and P(empty)."""
        for rows, block in joint.blocks(16.0 * joint.n_labels * joint.n_labels):
            yield rows, *block.size_table(NEGLIGIBLE_MASS)
