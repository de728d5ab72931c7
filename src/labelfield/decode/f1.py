"""The decision for the F1 of each row."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from labelfield import kernels
from labelfield._namespaces import to_host
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.decode.base import Decoder
from labelfield.decode.f1_rules import best_f1_given_rules
from labelfield.decode.linear import pick, summed_gains
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
    follows_device = True

    def _best_sized(self, joint: Joint, smallest: int, largest: int) -> LabelArray:
        return self._decide(joint, smallest, largest)[0]

    def _decide(self, joint: Joint, smallest: int, largest: int) -> tuple[LabelArray, BoolArray]:
        """Return the best sets (n, L) and which are proven to be, as far as the joint is exact."""
        answer, proven = self._answer_room(joint), joint.constant(True, "bool")
        for rows, size_marginals, empty in self._size_tables(joint):
            if joint.rules is not None:
                answer[rows], proven[rows] = best_f1_given_rules(
                    joint.take(rows), size_marginals, empty, smallest, largest
                )
                continue
            answer[rows, ...], _ = kernels.sets.gfm.maximize_f1(
                size_marginals, empty, min_size=smallest, max_size=largest
            )
        return answer, proven

    def certified(self, joint: Joint, *, empty_seen: bool = True) -> BoolArray:
        smallest, largest, listed = self._choices(joint, empty_seen)
        sure = self.exact and joint.exact
        if joint.rules is None or listed is not None or not sure:
            proven: BoolArray = joint.constant(sure, "bool")
            return proven
        return self._decide(joint, smallest, largest)[1]

    def _best_listed(self, joint: Joint, sets: LabelArray) -> LabelArray:
        xp, place = joint.place.xp, joint.place
        sizes = xp.sum(sets, axis=1, dtype=xp.int64)
        answer = self._answer_room(joint)
        for rows, size_marginals, empty in self._size_tables(joint):
            value = xp.zeros_like(empty)[:, None]
            for size in np.unique(to_host(sizes)).tolist():
                totals = xp.astype(
                    size + 1 + place.arange(size_marginals.shape[2]), size_marginals.dtype
                )
                gains = size_marginals @ (2.0 / totals)
                worth = summed_gains(gains, sets) if size else empty[:, None]
                value = xp.where(sizes == size, worth, value)
            answer[rows, ...] = pick(sets, value)
        return answer

    def _size_tables(self, joint: Joint) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Walk over blocks of rows: slice, P(y_l = 1, |y| = s) and P(empty)."""
        for rows, block in joint.blocks(16.0 * joint.n_labels * joint.n_labels):
            yield rows, *block.size_table(NEGLIGIBLE_MASS)
