"""Filling the holes of encoded tables."""

import numpy as np

from labelfield.restore.tables.codec import EncodedTable

__all__ = ["fill_holes", "mean_mode_filled", "most_frequent"]


def fill_holes(dirty: EncodedTable, numbers: np.ndarray, codes: np.ndarray) -> EncodedTable:
    """Keep what is there, take the rest from `numbers` and `codes`."""
    return EncodedTable(
        np.where(np.isnan(dirty.numbers), numbers, dirty.numbers),
        np.where(dirty.codes < 0, codes, dirty.codes),
    )


def mean_mode_filled(table: EncodedTable, modes: np.ndarray) -> EncodedTable:
    """Fill numbers with their training mean, which is 0, and states with `modes` (md,)."""
    return fill_holes(table, np.zeros(table.numbers.shape), modes)


def most_frequent(codes: np.ndarray) -> np.ndarray:
    """Most frequent state (md,) of every column, holes aside."""
    modes = [np.bincount(column[column >= 0]).argmax() for column in codes.T]
    return np.array(modes, dtype=np.int64)
