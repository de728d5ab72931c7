"""Nearest rows of a table of numbers and categories, by groups of rows with equal categories."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray

__all__ = ["nearest"]


@compiled
def nearest(
    numbers: FloatArray,
    codes: IntArray,
    stored: FloatArray,
    group_codes: IntArray,
    bounds: IntArray,
    position: IntArray,
    weight: float,
    k: int,
) -> tuple[IntArray, FloatArray]:
    """The k stored rows nearest to every row, exactly; the first of equals wins.

    The squared distance is the sum of squared differences of the numbers plus `weight` for every
    category that differs, over the cells that the row has. Groups are visited in the order of
    their differing categories, until no group left can hold a nearer row.

    Parameters
    ----------
    numbers : ndarray of shape (n, mc)
        NaN where a number is not compared.
    codes : ndarray of shape (n, md)
        -1 where a category is not compared.
    stored : ndarray of shape (N, mc)
        Numbers of the stored rows, group after group.
    group_codes : ndarray of shape (md, G)
        Categories of every group.
    bounds : ndarray of shape (G + 1,)
        First row of every group, and N.
    position : ndarray of shape (N,)
        What a stored row is called in the answer.
    weight : float
    k : int
        At most N.

    Returns
    -------
    index : ndarray of shape (n, k)
        Nearest first.
    square : ndarray of shape (n, k)
        Squared distances.
    """
    n, n_groups = numbers.shape[0], bounds.size - 1
    index = np.empty((n, k), dtype=np.int64)
    square = np.empty((n, k))
    differing = np.empty(n_groups, dtype=np.int64)
    for i in range(n):
        _count_differences(codes[i], group_codes, differing)
        seen = np.flatnonzero(~np.isnan(numbers[i]))
        square[i] = np.inf
        index[i] = position.size
        for level in range(codes.shape[1] + 1):
            if square[i, k - 1] < weight * level:
                break
            for group in range(n_groups):
                if differing[group] == level:
                    for row in range(bounds[group], bounds[group + 1]):
                        distance = weight * level
                        for s in seen:
                            distance += (numbers[i, s] - stored[row, s]) ** 2
                        _keep(index[i], square[i], position[row], distance)
    return index, square


@compiled
def _count_differences(codes: IntArray, group_codes: IntArray, differing: IntArray) -> None:
    differing[:] = 0
    for j in range(codes.size):
        code = codes[j]
        if code >= 0:
            for group in range(differing.size):
                differing[group] += group_codes[j, group] != code


@compiled
def _keep(index: IntArray, square: FloatArray, name: int, distance: float) -> None:
    """Put a row among the k nearest so far if it belongs there."""
    at = index.size
    while at > 0 and (
        distance < square[at - 1] or (distance == square[at - 1] and name < index[at - 1])
    ):
        at -= 1
    for slot in range(index.size - 1, at, -1):
        index[slot], square[slot] = index[slot - 1], square[slot - 1]
    if at < index.size:
        index[at], square[at] = name, distance
