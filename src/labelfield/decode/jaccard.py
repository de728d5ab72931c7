"""The decision for the Jaccard index of each row."""

from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from labelfield._parameters import whole
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.decode.base import Decoder
from labelfield.joints import Joint
from labelfield.joints._parts.rules import require_size
from labelfield.joints._parts.sizes import best_of_size
from labelfield.kernels.sets.bits import all_sets

__all__ = ["JaccardDecoder"]

MAX_EXACT = 10  # labels up to which all sets are compared with all sets
PROVEN = 1e-9
NEGLIGIBLE_MASS = 1e-12


class JaccardDecoder(Decoder):
    """The set of highest expected Jaccard index (example accuracy).

    Exact for up to 10 labels, by comparing all sets. No polynomial algorithm is known beyond: the
    answer is the best of some candidates (the most probable sets, and for every size the labels
    that promise most), judged by their index against the most probable sets and a lower bound for
    all others. `bounds` says how much the answer is worth at least and any set at most, and
    `certified` for which rows that proves it best.

    Parameters
    ----------
    n_candidates : int, default=64
        Number of most probable sets that are candidates and whose index is exact.
    allow_empty, min_size, max_size, allowed_sets
        Constraints on the answer, see `Decoder`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import JaccardDecoder, SupportJoint
    >>> joint = SupportJoint(np.array([[1, 0], [0, 1], [1, 1]]), np.log([[0.4, 0.25, 0.35]]))
    >>> decoder = JaccardDecoder()
    >>> decoder.decode(joint)
    array([[1, 1]], dtype=uint8)
    >>> decoder.certified(joint)
    array([ True])
    """

    metric: ClassVar[str] = "jaccard"
    exact = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Decoder._parameter_constraints,
        "n_candidates": [whole(1)],
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

    def bounds(self, joint: Joint, *, empty_seen: bool = True) -> tuple[FloatArray, FloatArray]:
        """Return what the decoded sets are worth at least and what any set is worth at most.

        Expected Jaccard indices (n,) and (n,), as far as the numbers of the joint are exact.
        """
        _, worth, most = self._decide(joint, *self._choices(joint, empty_seen))
        return worth, most

    def certified(self, joint: Joint, *, empty_seen: bool = True) -> BoolArray:
        worth, most = self.bounds(joint, empty_seen=empty_seen)
        proven: BoolArray = (most - worth <= PROVEN) & joint.exact
        return proven

    def _best_sized(self, joint: Joint, smallest: int, largest: int) -> LabelArray:
        return self._decide(joint, smallest, largest, None)[0]

    def _best_listed(self, joint: Joint, sets: LabelArray) -> LabelArray:
        return self._decide(joint, 0, joint.n_labels, sets)[0]

    def _decide(
        self, joint: Joint, smallest: int, largest: int, listed: LabelArray | None
    ) -> tuple[LabelArray, FloatArray, FloatArray]:
        """Return the answers (n, L), their least worth (n,) and the most of any set (n,)."""
        answer = np.empty((len(joint), joint.n_labels), dtype=np.uint8)
        worth, most = np.empty(len(joint)), np.empty(len(joint))
        decide = _compare_all if joint.n_labels <= MAX_EXACT else self._compare_some
        for rows, block in joint.blocks(self._bytes_per_row(joint, listed)):
            candidates, least, bound = decide(block, smallest, largest, listed)
            best = least.argmax(axis=1)
            answer[rows] = candidates[np.arange(len(block)), best]
            worth[rows], most[rows] = least[np.arange(len(block)), best], bound
        return answer, worth, most

    def _compare_some(
        self, block: Joint, smallest: int, largest: int, listed: LabelArray | None
    ) -> tuple[LabelArray, FloatArray, FloatArray]:
        """Return candidates (n, C, L), their least worth (n, C) and a bound on any set (n,)."""
        likely, log_score = block.top_k(self.n_candidates)
        p = np.exp(log_score) if block.normalized else np.zeros(log_score.shape)
        by_size, empty = block.size_table(NEGLIGIBLE_MASS)
        promised = _labels_of_each_size(by_size, smallest, largest)
        if listed is not None:
            candidates = np.broadcast_to(listed, (len(block), *listed.shape))
        else:
            nested = [best_of_size(by_size.sum(axis=2), s, s) for s in promised]
            candidates = np.stack([*nested, *promised.values()], axis=1)
            candidates = np.concatenate([candidates, likely], axis=1)
        rest, no_label = _without(by_size, empty, likely, p)
        worth = _expected_jaccard(candidates, likely, p) + _least_worth(candidates, rest, no_label)
        sizes = candidates.sum(axis=2, dtype=np.intp)
        worth[(sizes < smallest) | (sizes > largest)] = -np.inf
        if block.rules is not None:
            worth[~block.rules.keeps(candidates)] = -np.inf
        bound = _most_worth(by_size, empty, smallest, largest)
        return candidates, worth, np.maximum(bound, worth.max(axis=1))

    def _bytes_per_row(self, joint: Joint, listed: LabelArray | None) -> float:
        n_labels = joint.n_labels
        if n_labels <= MAX_EXACT:
            return 32.0 * float(2**n_labels)
        n_candidates = self.n_candidates + 2 * n_labels if listed is None else len(listed)
        return 16.0 * n_candidates * (self.n_candidates + 2 * n_labels)


@lru_cache(maxsize=2)
def _jaccard_of_all(n_labels: int) -> FloatArray:
    """Return the index of every set against every set: (2^L, 2^L); empty on empty counts 1."""
    sets = all_sets(n_labels).astype(float)
    both = sets @ sets.T
    sizes = sets.sum(axis=1)
    either = sizes[:, None] + sizes - both
    return np.where(either > 0, both / np.maximum(either, 1.0), 1.0)


def _compare_all(
    block: Joint, smallest: int, largest: int, listed: LabelArray | None
) -> tuple[LabelArray, FloatArray, FloatArray]:
    """Return candidates (n, C, L), their worth (n, C) and that of the best (n,); all exact."""
    every = all_sets(block.n_labels)
    sizes = every.sum(axis=1)
    fitting = (sizes >= smallest) & (sizes <= largest)
    if listed is not None:
        numbers = listed @ (1 << np.arange(block.n_labels)[::-1])
        fitting = np.zeros(len(every), dtype=bool)
        fitting[numbers] = True
    table = _jaccard_of_all(block.n_labels)
    if block.rules is not None:
        require_size(block.rules, smallest, largest)
        table = table[block.rules.keeps(every)]  # other sets have no probability
        fitting &= block.rules.keeps(every)
    worth = np.exp(block.restrict(every).log_weights) @ table[:, fitting]
    candidates = np.broadcast_to(every[fitting], (len(block), *every[fitting].shape))
    return candidates, worth, worth.max(axis=1)


def _expected_jaccard(candidates: LabelArray, sets: LabelArray, p: FloatArray) -> FloatArray:
    """Return sum_s p_s |c and s| / |c or s| for every candidate: (n, C); empty on empty counts 1.

    candidates (n, C, L); sets (n, S, L); p (n, S).
    """
    left, right = candidates.astype(np.float32), sets.astype(np.float32)
    both = (left @ right.transpose(0, 2, 1)).astype(float)
    either = left.sum(axis=2)[:, :, None] + right.sum(axis=2)[:, None, :] - both
    index = np.where(either > 0, both / np.maximum(either, 1), 1.0)
    return np.asarray((index @ p[..., None])[..., 0])


def _without(
    by_size: FloatArray, empty: FloatArray, sets: LabelArray, p: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Take listed sets (n, S, L) of probability p (n, S) out of P(y_l = 1, |y| = s), P(empty)."""
    sizes = sets.sum(axis=2, dtype=np.intp)
    of_size = (sizes[..., None] == np.arange(1, by_size.shape[2] + 1)) * p[..., None]
    rest = by_size - sets.swapaxes(1, 2).astype(float) @ of_size
    no_label = empty - (p * (sizes == 0)).sum(axis=1)
    return np.maximum(rest, 0.0), np.maximum(no_label, 0.0)


def _least_worth(candidates: LabelArray, by_size: FloatArray, empty: FloatArray) -> FloatArray:
    """Return a lower bound of the expected index from P(y_l = 1, |y| = s) alone: (n, C).

    The index a / (k + s - a) is convex in the number of hits a, so that its mean over sets of s
    labels is no less than its value at the mean of a (Jensen).
    """
    s = np.arange(1.0, by_size.shape[2] + 1.0)
    k = candidates.sum(axis=2, dtype=float)[..., None]
    chance = (by_size.sum(axis=1) / s)[:, None]  # P(|y| = s)
    hits = candidates.astype(float) @ by_size / np.maximum(chance, 1e-300)
    hits = np.minimum(hits, np.minimum(k, s))
    worth: FloatArray = (chance * hits / np.maximum(k + s - hits, 1.0)).sum(axis=2)
    worth += (k[..., 0] == 0.0) * empty[:, None]
    return worth


def _labels_of_each_size(by_size: FloatArray, smallest: int, largest: int) -> dict[int, LabelArray]:
    """Return for every size k the k labels (n, L) of largest sum_s P(y_l = 1, |y| = s) / max(k, s).

    Hits count at most 1 / max(k, s) each, with equality where one set holds the other. Sizes end
    at twice that of the largest set of any probability.
    """
    s = np.arange(1, by_size.shape[2] + 1)
    last = min(largest, max(2 * by_size.shape[2], smallest))
    return {
        k: best_of_size(by_size @ (1.0 / np.maximum(k, s)), k, k) for k in range(smallest, last + 1)
    }


def _most_worth(by_size: FloatArray, empty: FloatArray, smallest: int, largest: int) -> FloatArray:
    """Return an upper bound of the expected index over all sets of fitting size: (n,)."""
    s = np.arange(1, by_size.shape[2] + 1)
    bound = empty.copy() if smallest == 0 else np.zeros(len(by_size))
    for k in range(max(smallest, 1), largest + 1):
        gains = -np.sort(-(by_size @ (1.0 / np.maximum(k, s))), axis=1)[:, :k]
        bound = np.maximum(bound, gains.sum(axis=1))
    return bound
