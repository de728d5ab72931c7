"""Rows that wrappers learn from: in memory as they came, or in blocks where they lie."""

import numpy as np
from sklearn.base import clone

from labelfield._gate.blocks import BlockSource
from labelfield._gate.cluster import ClusterSource
from labelfield._gate.reading import count_rows, take_rows
from labelfield.base.weighted_blocks import fit_to_blocks

__all__ = ["as_calibration_rows"]


class RowsInMemory:
    """Rows of X (n, d) as it came."""

    def __init__(self, X):
        self.X = X

    def take(self, rows):
        """Return some of the rows, by their numbers."""
        return RowsInMemory(take_rows(self.X, rows))

    def fitted(self, estimator, Y):
        """Return a clone of an estimator, fitted to the rows and their labels Y (n, L)."""
        return clone(estimator).fit(self.X, Y)

    def pieces(self):
        """Yield the numbers of some of the rows, and these, until all have come."""
        yield slice(None), self.X

    def finish(self):
        """Leave nothing behind."""


class RowsInBlocks:
    """Some rows of a BlockSource, by their numbers (n,) in ascending order."""

    X = None  # nobody has all of it

    def __init__(self, source, numbers):
        self.source, self.numbers = source, numbers

    def take(self, rows):
        return RowsInBlocks(self.source, self.numbers[rows])

    def fitted(self, estimator, Y):
        del Y  # the source has it
        weight = np.zeros(self.source.shape[0])
        weight[self.numbers] = 1.0
        return fit_to_blocks(estimator, self.source, weight)

    def pieces(self):
        first = 0
        for X, *_ in self.source.blocks:
            last = first + count_rows(X)
            here = slice(*np.searchsorted(self.numbers, [first, last]))
            if here.stop > here.start:
                yield here, take_rows(X, self.numbers[here] - first)
            first = last

    def finish(self):
        self.source.finish()


def as_calibration_rows(X, Y):
    """Return the rows of X, which may be a BlockSource, and their labels as an array (n, L)."""
    if not isinstance(X, BlockSource):
        return RowsInMemory(X), Y
    if isinstance(X, ClusterSource):
        raise ValueError(
            "Confidence is learned from blocks here, not on a cluster; give blocks from disk, or "
            "fit the estimator on the cluster and calibrate with cv='prefit'."
        )
    if X.weight is not None:
        raise ValueError("Rows of a calibration have no weights; give blocks (X, Y) without them.")
    return RowsInBlocks(X, np.arange(X.shape[0])), Y.toarray()
