"""Rows side by side, so that loops over them are the innermost ones.

Plain loops throughout: numba compiles them many times faster than slices.
"""

from labelfield._compile import compiled
from labelfield._typing import FloatArray

__all__ = ["fill", "load", "store"]


@compiled
def load(values: FloatArray, first: int, tile: FloatArray) -> None:
    """Copy rows from `first` on into the columns of `tile`; a single row stands for all.

    Columns beyond the last row repeat it.
    """
    for lane in range(tile.shape[1]):
        row = 0 if len(values) == 1 else min(first + lane, len(values) - 1)
        for j in range(tile.shape[0]):
            tile[j, lane] = values[row, j]


@compiled
def store(tile: FloatArray, first: int, values: FloatArray) -> None:
    """Copy the columns of `tile` into the rows of `values` from `first` on, as far as they go."""
    for row in range(first, min(first + tile.shape[1], len(values))):
        for j in range(tile.shape[0]):
            values[row, j] = tile[j, row - first]


@compiled
def fill(tile: FloatArray, value: float) -> None:
    """Set all of `tile` (m, width) to `value`."""
    for j in range(tile.shape[0]):
        for lane in range(tile.shape[1]):
            tile[j, lane] = value
