"""Rows on the workers of a dask cluster: one task a block and step, sums by a tree."""

import numpy as np
import scipy.sparse as sp

from labelfield.learners.rows.block import Block
from labelfield.learners.rows.design import as_design
from labelfield.learners.rows.memory import columns_at_once
from labelfield.learners.rows.rows import SourceRows
from labelfield.optim.history import HISTORY_BYTES

__all__ = ["ClusterRows"]

AT_ONCE = {"optimize_graph": False, "retries": 2}


class ClusterRows(SourceRows):
    """Rows of a ClusterSource: blocks persist on workers, and the solver here gets sums.

    A lost worker costs its blocks: dask makes them again elsewhere and repeats the tasks. The tree
    that sums are added by depends on the number of blocks alone.

    Parameters
    ----------
    source : ClusterSource
    targets : Targets (n, L), optional
    weight : array (n, G), optional
    """

    def __init__(self, source, targets=None, weight=None):
        super().__init__(source, targets, weight)
        self.client = source.client
        kind = (np.dtype(self.dtype), self.as_sparse)
        self._blocks = [
            self._submit(
                _make_block,
                features,
                *kind,
                None if targets is None else targets[rows],
                np.ascontiguousarray(self.weight[rows], dtype=np.float64),
            )
            for rows, features in zip(source.slices, source.features)
        ]

    def with_targets(self, targets, weight=None):
        """Return the same features with other targets (n, L) and weights (n, G)."""
        return ClusterRows(self.source, targets, weight)

    def columns_at_once(self):
        return columns_at_once(self.shape[1], HISTORY_BYTES)

    def each(self, function):
        answers = self.client.compute(self._apply(function), **AT_ONCE)
        for rows, answer in zip(self.source.slices, answers):
            yield rows, answer.result()

    def sum(self, function):
        from dask import delayed

        add, parts = delayed(_add, pure=False), self._apply(function)
        while len(parts) > 1:
            pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
            parts = [add(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
        totals = self.client.compute(parts[0], **AT_ONCE).result()
        return tuple(np.array(total, dtype=np.float64) for total in totals)

    def _apply(self, function):
        """Return tasks of `function(block)`, which go to the scheduler together."""
        from dask import delayed

        self.source.n_passes += 1
        shared = self._submit(_itself, function)  # workers hand the weights on among themselves
        call = delayed(_call, pure=False)
        return [call(shared, block) for block in self._blocks]

    def _submit(self, function, *arguments):
        return self.client.submit(function, *arguments, pure=False, retries=2)


def _make_block(X, dtype, as_sparse, targets, weight):
    X = X.astype(dtype, copy=False)
    return Block(as_design(sp.csr_matrix(X) if as_sparse else X), targets, weight)


def _itself(function):
    return function


def _call(function, block):
    return function(block)


def _add(first, second):
    return tuple(np.add(a, b, dtype=np.float64) for a, b in zip(first, second))
