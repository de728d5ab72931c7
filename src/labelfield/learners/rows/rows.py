"""The contract between losses and wherever the rows lie."""

import numpy as np

from labelfield._namespaces import HOST, namespace
from labelfield.learners.rows.design import SMALL, THIN
from labelfield.optim.executors import add_in_order

__all__ = ["Rows", "SourceRows", "find_center"]

TINY = 1e-300


class Rows:
    """Training rows in blocks, known only by sums over blocks.

    A solver keeps what has the size of its parameters; what has the size of the data stays with
    the blocks. Sums are added in the order of the blocks, so that equal blocks give equal answers
    whoever computes them: one thread or several, from memory, from disk, on other machines.

    Attributes
    ----------
    shape : (n, d)
    n_labels : int
        Columns of the targets.
    n_groups : int
        Columns of the weights: 1 for those of rows, `n_labels` for those of entries.
    dtype : of the features
    precision : float
        Of the products with the features.
    """

    shape: tuple[int, int]
    n_labels: int
    n_groups = 1
    dtype: np.dtype
    precision: float
    place = HOST  # where sums over the blocks live

    def each(self, function):
        """Yield (rows, `function(block)`) of every block in order; rows is a slice of all rows.

        `function` gets a Block and can be sent to other processes: a function of a module, or a
        `partial` of one.
        """
        raise NotImplementedError

    def columns_at_once(self):
        """Return how many columns a solver takes on at a time, by the memory of its histories."""
        return 2**62

    def watch(self, key):
        """Return what looks at the next solver after every step, or None; see `column_lbfgs`."""

    def sum(self, function):
        """Return the sums over blocks of the arrays that `function(block)` returns: a tuple."""
        return add_in_order(answer for _, answer in self.each(function))


def find_center(rows):
    """Return the weighted mean of the features: (d,)."""
    total, sums = rows.sum(_block_sums)
    return sums / max(float(total), TINY)


def _block_sums(block):
    xp = namespace(block.weight)
    weight = xp.mean(block.weight, axis=1, keepdims=True)
    return xp.sum(weight), block.design.rmatmul(weight)[:, 0]


class SourceRows(Rows):
    """Rows whose features are elsewhere, on disk or on workers; targets and weights are here."""

    def __init__(self, source, targets=None, weight=None):
        self.source, self.targets = source, targets
        used = source.used
        d = source.shape[1] if isinstance(used, slice) else len(used)
        self.shape, self.dtype = (source.shape[0], d), source.dtype
        cells = source.shape[0] * source.shape[1]
        self.as_sparse = source.is_sparse or (cells > SMALL and source.n_entries < THIN * cells)
        self.precision = float(np.finfo(np.float64 if self.as_sparse else self.dtype).eps)
        self.n_labels = 0 if targets is None else targets.n_labels
        self.weight = np.ones((self.shape[0], 1)) if weight is None else weight
        self.n_groups = self.weight.shape[1]
