"""Sets of bounded size, and how probable sizes are."""

import numpy as np

from labelfield._namespaces import is_tensor, namespace, to_host
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.kernels.sets.logspace import among_largest
from labelfield.rules import LabelRules

__all__ = ["best_of_size", "drop_empty", "fits", "largest_size", "sizes_of"]


def best_of_size(
    gains: FloatArray, min_size: int, max_size: int, rules: LabelRules | None = None
) -> LabelArray:
    """Return the sets of largest summed gain (n, L) within the size bounds, ties by lower label."""
    if rules is not None:
        from labelfield.joints.ising import IsingJoint

        return IsingJoint.given_only(gains, rules).sized_mode(min_size, max_size)
    xp = namespace(gains)
    chosen = gains > 0
    sizes = xp.count_nonzero(chosen, axis=1)
    for outside, size in ((sizes < min_size, min_size), (sizes > max_size, max_size)):
        if xp.any(outside):
            chosen[outside] = among_largest(gains[outside], size)
    return xp.astype(chosen, xp.uint8) if is_tensor(chosen) else chosen.view(np.uint8)


def sizes_of(by_size: FloatArray) -> FloatArray:
    """Return P(|y| = s) for s = 0..L from P(y_l = 1, |y| = s) (n, L, L): (n, L + 1)."""
    xp = namespace(by_size)
    present = xp.sum(by_size, axis=1)
    present = present / xp.arange(
        1, by_size.shape[2] + 1, dtype=by_size.dtype, device=by_size.device
    )
    absent = xp.clip(1.0 - xp.sum(present, axis=1, keepdims=True), min=0.0)
    sizes: FloatArray = xp.concat([absent, present], axis=1)
    return sizes


def largest_size(sizes: FloatArray, negligible: float) -> int:
    """Return the largest size beyond which no row of P(|y| = s) (n, L + 1) has more than that."""
    xp = namespace(sizes)
    if not sizes.shape[0]:
        return 1
    falling = xp.cumulative_sum(xp.flip(sizes, axis=1), axis=1)
    tail = to_host(xp.max(xp.flip(falling, axis=1), axis=0))
    return max(1, int(np.flatnonzero(tail > negligible).max(initial=0)))


def fits(sets: LabelArray, min_size: int, max_size: int) -> BoolArray:
    """Return which sets (..., L) have a size within the bounds: (...,)."""
    xp = namespace(sets)
    sizes = xp.sum(sets, axis=-1, dtype=xp.int64)
    answer: BoolArray = (sizes >= min_size) & (sizes <= max_size)
    return answer


def drop_empty(sets: LabelArray, scores: FloatArray) -> tuple[LabelArray, FloatArray]:
    """Take one of k + 1 best sets out: the empty one, or else the last: (n, k, L), (n, k)."""
    n_rows, n_sets, n_labels = sets.shape
    empty = np.logical_not(sets.any(axis=2))
    dropped = np.where(empty.any(axis=1), empty.argmax(axis=1), n_sets - 1)
    kept = np.arange(n_sets) != dropped[:, None]
    shape = (n_rows, n_sets - 1)
    return sets[kept].reshape(*shape, n_labels), scores[kept].reshape(shape)
