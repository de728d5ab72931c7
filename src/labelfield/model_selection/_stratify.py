"""Dealing rows out to parts so that every part gets its share of each label."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import IntArray

__all__ = ["deal_rows"]


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
    each part takes, n in all. Both are used up. Whole numbers, so that ties are exact.
    Looking for the rarest label takes min(n, L) passes over the labels.
    """
    part = np.full(len(row_start) - 1, -1, dtype=np.intp)
    left = np.diff(label_start)
    _deal(row_start, row_labels, label_start, label_rows, wanted, row_worth, room, part, left)
    return part


@compiled
def _deal(
    row_start: IntArray,
    row_labels: IntArray,
    label_start: IntArray,
    label_rows: IntArray,
    wanted: IntArray,
    row_worth: int,
    room: IntArray,
    part: IntArray,
    left: IntArray,
) -> None:
    """Fill `part` (n,), -1 so far; left (L,) are the rows of each label that have none."""
    label = _rarest(left)
    while label >= 0:
        for k in range(label_start[label], label_start[label + 1]):
            row = label_rows[k]
            if part[row] >= 0:
                continue
            best = _neediest(wanted, label, row_labels, row_start[row], row_start[row + 1], room)
            part[row] = best
            room[best] -= 1
            for m in range(row_start[row], row_start[row + 1]):
                wanted[row_labels[m], best] -= row_worth
                left[row_labels[m]] -= 1
        label = _rarest(left)


@compiled
def _rarest(left: IntArray) -> int:
    """Return the label with the fewest rows left, -1 if none has any."""
    best = -1
    for label in range(left.size):
        if left[label] > 0 and (best < 0 or left[label] < left[best]):
            best = label
    return best


@compiled
def _neediest(
    wanted: IntArray, label: int, row_labels: IntArray, first: int, last: int, room: IntArray
) -> int:
    """Return the part with room that wants `label` most, then all labels, then has most room.

    The labels of the row are row_labels[first:last].
    """
    best = -1
    for part in range(room.size):
        if room[part] <= 0:
            continue
        if best < 0:
            best = part
            continue
        gap = wanted[label, part] - wanted[label, best]
        if gap == 0:
            for m in range(first, last):
                gap += wanted[row_labels[m], part] - wanted[row_labels[m], best]
        if gap == 0:
            gap = room[part] - room[best]
        if gap > 0:
            best = part
    return best
