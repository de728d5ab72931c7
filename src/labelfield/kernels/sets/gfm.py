"""The general F-measure maximiser: the set with the highest expected F1."""

import numpy as np

from labelfield._compile import compiled
from labelfield._namespaces import is_tensor, namespace, place_of
from labelfield._typing import FloatArray, IntArray, LabelArray
from labelfield.kernels.sets.logspace import largest
from labelfield.kernels.tensors.gfm import choose_sizes

__all__ = ["maximize_f1"]

CHUNK = 8


@compiled
def _sum_of_largest(values: FloatArray, k: int) -> float:
    """Return the sum of the k largest values (by quickselect, in place)."""
    left, right = 0, len(values) - 1
    while left < right:
        pivot = values[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            right = j
        elif k - 1 >= i:
            left = i
        else:
            break
    total = 0.0
    for t in range(k):
        total += values[t]
    return total


@compiled
def _choose_sizes(
    P: FloatArray, bounds: FloatArray, gains: FloatArray, first: int, last: int, value: FloatArray
) -> IntArray:
    """Return the best size of each row, 0 where `value` (n,) beats all; raise `value` to match.

    P (n, L, S); bounds (n, L + 1), no set of size k is worth more, falling in k; gains
    (chunks, S, CHUNK) holds 2 / (s + k), the sizes of one chunk next to each other.
    """
    n_rows, n_labels, _ = P.shape
    chosen = np.zeros(n_rows, np.int64)
    delta = np.empty((n_labels, CHUNK))
    column = np.empty(n_labels)
    for i in range(n_rows):
        for k in range(first, last + 1):
            if bounds[i, k] <= value[i]:
                break
            slot = (k - first) % CHUNK
            if slot == 0:
                np.dot(P[i], gains[(k - first) // CHUNK], delta)
            for label in range(n_labels):
                column[label] = delta[label, slot]
            worth = _sum_of_largest(column, k)
            if worth > value[i]:
                value[i] = worth
                chosen[i] = k
    return chosen


def maximize_f1(
    P: FloatArray,
    p_empty: FloatArray,
    *,
    min_size: int = 0,
    max_size: int | None = None,
    allow_empty: bool = True,
) -> tuple[LabelArray, FloatArray]:
    """Return the sets of highest expected F1 within the size bounds, and that F1.

    P (n, L, S) holds P(y_l = 1, |y| = s) at [i, l, s - 1]; p_empty (n,) is P(y empty), the worth
    of predicting nothing. A set h of size k is worth sum_(l in h) sum_s P_ls 2 / (s + k), at most
    sum_s P(|y| = s) 2 s / (s + k): sizes are tried upwards until this bound ends the search, also
    beyond S. Returns sets (n, L) and values (n,).
    """
    n_rows, n_labels, n_sizes = P.shape
    first = max(min_size, 0 if allow_empty else 1)
    last = n_labels if max_size is None else min(max_size, n_labels)
    if first > last:
        raise ValueError(
            f"no set of {n_labels} labels has a size from {first} to {last}: got min_size="
            f"{min_size}, max_size={max_size}, allow_empty={allow_empty}."
        )
    xp, place = namespace(P), place_of(P)
    value = xp.astype(p_empty, P.dtype) if first == 0 else xp.full_like(p_empty, -1.0)
    first = max(first, 1)
    sizes = xp.astype(1 + place.arange(n_sizes), P.dtype)
    tried = xp.astype(place.arange(n_labels + 1), P.dtype)
    bounds = xp.matmul(xp.sum(P, axis=1), 2.0 / (sizes[:, None] + tried))
    if is_tensor(P):
        chosen, value = choose_sizes(P, bounds, first, last, value)
        return _sets_of_size(P, sizes, chosen), value
    P = np.ascontiguousarray(P, dtype=float)
    n_chunks = -(-(last - first + 1) // CHUNK)
    gains = 2.0 / (sizes[:, None] + first + np.arange(n_chunks * CHUNK).reshape(n_chunks, 1, CHUNK))
    chosen = _choose_sizes(P, bounds, gains, first, last, value)
    return _sets_of_size(P, sizes, chosen), value


def _sets_of_size(P: FloatArray, sizes: FloatArray, chosen: IntArray) -> LabelArray:
    """Return the best set of the chosen size for each row, ties by lower label."""
    xp = namespace(P)
    delta = xp.matmul(P, (2.0 / (sizes + xp.astype(chosen, P.dtype)[:, None]))[..., None])[..., 0]
    rank = xp.argsort(largest(delta, delta.shape[1]), axis=1)
    sets: LabelArray = xp.astype(rank < chosen[:, None], xp.uint8)
    return sets
