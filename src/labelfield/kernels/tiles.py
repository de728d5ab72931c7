"""Rows side by side, so that loops over them are the innermost ones."""

from labelfield._typing import FloatArray
from labelfield.kernels._compile import compiled

__all__ = ["load"]


@compiled
def load(values: FloatArray, first: int, tile: FloatArray) -> None:
    """Copy rows from `first` on into the columns of `tile`; a single row stands for all.

    Columns beyond the last row repeat it.
    """
    for lane in range(tile.shape[1]):
        row = 0 if len(values) == 1 else min(first + lane, len(values) - 1)
        for j in range(tile.shape[0]):
            tile[j, lane] = values[row, j]
