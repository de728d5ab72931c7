"""Dealing rows out to parts so that every part gets its share of each label."""

from collections.abc import Callable, MutableSequence, Sequence
from functools import cache

import numpy as np

from labelfield._typing import IntArray

__all__ = ["deal_rows"]

SMALL = 200_000  # looks at a part or a label that take less time than compiling the loop


def deal_rows(
    row_start: IntArray,
    row_labels: IntArray,
    label_start: IntArray,
    label_rows: IntArray,
    wanted: IntArray,
    row_worth: int,
    room: IntArray,
) -> IntArray:
    """Return the part of each row (n,) by iterative stratification.

    The label with the fewest rows left is dealt out first (ties: the lower label), its rows in
    their order, each to the part that still wants the label most among the parts with room. Ties
    go to the part that wants all labels of the row most, then to the one with most room, then to
    the lower one.

    row_start (n + 1,) and row_labels: the labels of each row, as in CSR; every row has one at
    least. label_start (L + 1,) and label_rows: the rows of each label, as in CSC. wanted (L, P):
    what each part should get of each label, a row being worth `row_worth`; room (P,): the rows
    each part takes, n in all. Both may be used up. Whole numbers, so that ties are exact.
    Looking for the rarest label takes min(n, L) passes over the labels.
    """
    part = np.full(len(row_start) - 1, -1, dtype=np.intp)
    left = np.diff(label_start)
    arrays = (row_start, row_labels, label_start, label_rows, wanted.ravel(), room, part, left)
    if len(part) * len(room) + len(left) * min(len(part), len(left)) > SMALL:
        _compiled_loop()(*arrays, row_worth)
        return part
    lists = [array.tolist() for array in arrays]
    _deal(*lists, row_worth)
    return np.array(lists[6], dtype=np.intp)


@cache
def _compiled_loop() -> Callable[..., None]:
    from labelfield._compile import compiled

    return compiled(_deal)


def _deal(
    row_start: Sequence[int],
    row_labels: Sequence[int],
    label_start: Sequence[int],
    label_rows: Sequence[int],
    wanted: MutableSequence[int],
    room: MutableSequence[int],
    part: MutableSequence[int],
    left: MutableSequence[int],
    row_worth: int,
) -> None:
    """Fill `part` (n,), -1 so far; left (L,) are the rows of each label that have none.

    Plain statements only: few rows are dealt out as they stand here, many by the compiled loop.
    """
    n_parts = len(room)
    while True:
        label = -1
        for other in range(len(left)):
            if left[other] > 0 and (label < 0 or left[other] < left[label]):
                label = other
        if label < 0:
            return
        for k in range(label_start[label], label_start[label + 1]):
            row = label_rows[k]
            if part[row] >= 0:
                continue
            best = -1
            for p in range(n_parts):
                if room[p] <= 0:
                    continue
                if best < 0:
                    best = p
                    continue
                gap = wanted[label * n_parts + p] - wanted[label * n_parts + best]
                if gap == 0:
                    for m in range(row_start[row], row_start[row + 1]):
                        own = row_labels[m] * n_parts
                        gap += wanted[own + p] - wanted[own + best]
                if gap == 0:
                    gap = room[p] - room[best]
                if gap > 0:
                    best = p
            part[row] = best
            room[best] -= 1
            for m in range(row_start[row], row_start[row + 1]):
                wanted[row_labels[m] * n_parts + best] -= row_worth
                left[row_labels[m]] -= 1
