"""Rows in the memory of this process, cut into blocks that threads can share."""

from functools import cached_property
from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs

from labelfield._namespaces import is_tensor
from labelfield.learners.design import Design, as_fit_design, narrow
from labelfield.learners.rows.block import Block, Targets
from labelfield.learners.rows.rows import Rows
from labelfield.learners.rows.tensors import TensorRows
from labelfield.learners.tensor_design import TensorDesign
from labelfield.optim.executors import add_in_order, in_order

__all__ = ["MemoryRows", "as_fit_rows", "as_rows"]

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

    def with_targets(self, targets, weight=None):
        """Return the same features with other targets (n, L) and weights (n, G)."""
        return MemoryRows(self.design, targets, weight, self.n_jobs)

    def sum(self, function):
        n_threads = effective_n_jobs(self.n_jobs)
        answers = in_order(lambda rows: function(self._block(rows)), self._slices, n_threads)
        return add_in_order(answers)

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
        n = max(self.shape[0], 1)
        size = rows_of_block(self.shape[1], max(self.n_labels, 1), self.design.n_entries / n)
        ends = [*range(0, n, size), n]
        return [slice(first, last) for first, last in pairwise(ends)]


def rows_of_block(d, n_columns, entries_per_row):
    """Return how many rows make a block, for products with (d, C) and rows of so many entries."""
    return int(max(SCORES // n_columns, WORTH * d / max(entries_per_row, 1.0), 1))


def as_rows(X, Y=None, weight=None, n_jobs=None):
    """Return training data as Rows; X that are Rows come back with targets and weights, if given.

    Parameters
    ----------
    X : array or CSR matrix (n, d), Design or Rows
    Y : array or sparse matrix (n, L) in [0, 1], or Targets, optional
    weight : array (n,) or (n, G), optional
    n_jobs : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.rows import as_rows
    >>> as_rows(np.eye(3), np.eye(3)).shape
    (3, 3)
    """
    if is_tensor(X) or isinstance(X, TensorDesign):
        return TensorRows.of(X, Y, weight)
    targets = Y if Y is None or isinstance(Y, Targets) else Targets.of(Y)
    if isinstance(weight, (np.ndarray, list)):
        weight = np.asarray(weight)
        weight = weight.reshape(len(weight), -1)
    if isinstance(X, Rows):
        return X if targets is None and weight is None else X.with_targets(targets, weight)
    design = X if isinstance(X, Design) else as_fit_design(X)
    return MemoryRows(design, targets, weight, n_jobs)


def as_fit_rows(X, Y, weight=None, n_jobs=None):
    """Return training data as Rows without the columns that say nothing, and which are left."""
    if isinstance(X, Rows):
        return as_rows(X, Y, weight), slice(None)
    design, used = narrow(X)
    return as_rows(design, Y, weight, n_jobs), used
