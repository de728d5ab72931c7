"""The decision for the Jaccard index of each row."""

from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval

from labelfield._typing import FloatArray, LabelArray
from labelfield.decode.base import Decoder
from labelfield.joints import Joint
from labelfield.joints.base import best_of_size

__all__ = ["JaccardDecoder"]


def _expected_jaccard(candidates: LabelArray, sets: LabelArray, p: FloatArray) -> FloatArray:
    """Return sum_s p_s |c and s| / |c or s| for every candidate: (n, C); empty on empty counts 1.

    candidates (n, C, L); sets (n, S, L); p (n, S).
    """
    left, right = candidates.astype(np.float32), sets.astype(np.float32)
    both = left @ right.transpose(0, 2, 1)
    either = left.sum(axis=2)[:, :, None] + right.sum(axis=2)[:, None, :] - both
    index = np.where(either > 0, both / np.maximum(either, 1), 1.0)
    return np.asarray((index * p[:, None, :]).sum(axis=2))


class JaccardDecoder(Decoder):
    """The candidate of highest expected Jaccard index (example accuracy).

    No polynomial algorithm is known. Candidates are the `n_candidates` most probable sets and the
    nested sets of the most probable labels; the expectation runs over the most probable sets,
    normalised. Exact (and `exact` says so after decoding) only where those are all sets.

    Parameters
    ----------
    n_candidates : int, default=64
        Number of most probable sets that stand for the distribution.
    allow_empty, min_size, max_size, allowed_sets
        Constraints on the answer, see `Decoder`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import JaccardDecoder, SupportJoint
    >>> joint = SupportJoint(np.array([[1, 0], [0, 1], [1, 1]]), np.log([[0.4, 0.25, 0.35]]))
    >>> JaccardDecoder().decode(joint)
    array([[1, 1]], dtype=uint8)
    """

    metric: ClassVar[str] = "jaccard"
    exact = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Decoder._parameter_constraints,
        "n_candidates": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_candidates: int = 64,
        allow_empty: bool | Literal["auto"] = "auto",
        min_size: int = 0,
        max_size: int | None = None,
        allowed_sets: ArrayLike | None = None,
    ) -> None:
        super().__init__(
            allow_empty=allow_empty, min_size=min_size, max_size=max_size, allowed_sets=allowed_sets
        )
        self.n_candidates = n_candidates

    def _best_sized(self, joint: Joint, smallest: int, largest: int) -> LabelArray:
        answer = np.empty((len(joint), joint.n_labels), dtype=np.uint8)
        n_nested = min(largest, self.n_candidates) - smallest + 1
        for rows, block in joint.blocks(self._bytes_per_row(joint, self.n_candidates + n_nested)):
            sets, p = self._law(block)
            gains = block.marginals()
            nested = [best_of_size(gains, s, s) for s in range(smallest, smallest + n_nested)]
            candidates = np.concatenate([sets, np.stack(nested, axis=1)], axis=1)
            value = _expected_jaccard(candidates, sets, p)
            sizes = candidates.sum(axis=2)
            value[(sizes < smallest) | (sizes > largest)] = -np.inf
            answer[rows] = candidates[np.arange(len(block)), value.argmax(axis=1)]
        return answer

    def _best_listed(self, joint: Joint, sets: LabelArray) -> LabelArray:
        answer = np.empty((len(joint), joint.n_labels), dtype=np.uint8)
        for rows, block in joint.blocks(self._bytes_per_row(joint, len(sets))):
            likely, p = self._law(block)
            listed = np.broadcast_to(sets, (len(block), *sets.shape))
            answer[rows] = sets[_expected_jaccard(listed, likely, p).argmax(axis=1)]
        return answer

    def _law(self, block: Joint) -> tuple[LabelArray, FloatArray]:
        sets, log_score = block.top_k(self.n_candidates)
        p = np.exp(log_score - log_score[:, :1])
        return sets, p / p.sum(axis=1, keepdims=True)

    def _bytes_per_row(self, joint: Joint, n_candidates: int) -> float:
        return 4.0 * n_candidates * (3 * self.n_candidates + 2 * joint.n_labels)
