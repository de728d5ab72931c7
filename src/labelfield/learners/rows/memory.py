"""Rows in the memory of this process, cut into blocks that threads can share."""

from functools import cached_property
from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs

from labelfield.learners.rows.block import Block
from labelfield.learners.rows.rows import Rows
from labelfield.optim.executors import in_order
from labelfield.optim.history import HISTORY, HISTORY_BYTES

__all__ = ["MemoryRows", "columns_at_once", "cut_rows", "rows_of_block"]

SCORES = 2**18  # of a block, so that they stay in fast memory
WORTH = 8  # products with a block cost at least so many times what adding its part costs


class MemoryRows(Rows):
    """Rows whose features are in memory.

    Parameters
    ----------
    design : Design (n, d)
    targets : Targets (n, L), optional
    weight : array (n, G), optional
        1 by default; others than float64 are converted block by block. Anything with a `shape`
        whose slices are arrays will do.
    n_jobs : int, optional
        Threads.
    """

    def __init__(self, design, targets=None, weight=None, n_jobs=None):
        self.design, self.targets, self.n_jobs = design, targets, n_jobs
        self.shape, self.dtype, self.precision = design.shape, design.dtype, design.precision
        self.n_labels = 0 if targets is None else targets.n_labels
        self.weight = np.ones((self.shape[0], 1)) if weight is None else weight
        self.n_groups = self.weight.shape[1]

    def columns_at_once(self):
        return columns_at_once(self.shape[1], HISTORY_BYTES)

    def with_targets(self, targets, weight=None):
        """Return the same features with other targets (n, L) and weights (n, G)."""
        return MemoryRows(self.design, targets, weight, self.n_jobs)

    def each(self, function):
        n_threads = effective_n_jobs(self.n_jobs)
        return in_order(lambda rows: (rows, function(self._block(rows))), self._slices, n_threads)

    def _block(self, rows):
        design, targets = self._parts[rows.start]
        weight = np.ascontiguousarray(self.weight[rows], dtype=np.float64)
        return Block(design, targets, weight)

    @cached_property
    def _parts(self):
        """Features and targets of every block; weights of entries may be too many to keep."""
        return {
            rows.start: (
                self.design.take(rows),
                None if self.targets is None else self.targets[rows],
            )
            for rows in self._slices
        }

    @cached_property
    def _slices(self):
        n = self.shape[0]
        size = rows_of_block(self.shape[1], max(self.n_labels, 1), self.design.n_entries / n)
        return cut_rows(n, size)


def cut_rows(n, size):
    """Return slices of `size` rows, the last one shorter, of n rows."""
    return [slice(first, last) for first, last in pairwise([*range(0, n, size), n])]


def rows_of_block(d, n_columns, entries_per_row):
    """Return how many rows make a block, for products with (d, C) and rows of so many entries."""
    width = min(n_columns, columns_at_once(d, HISTORY_BYTES))
    return int(max(SCORES // width, WORTH * d / max(entries_per_row, 1.0), 1))


def columns_at_once(d, n_bytes, n_pairs=HISTORY):
    """Return how many columns of d weights a solver with so many pairs takes on in this memory."""
    return max(1, int(n_bytes // (16 * n_pairs * (d + 1))))
