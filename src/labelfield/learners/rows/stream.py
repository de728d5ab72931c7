"""Rows whose features are read from disk, one block after the other, in every pass."""

import logging
import time

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from sklearn import get_config

from labelfield.learners.checkpoint import Checkpoint
from labelfield.learners.rows.block import Block
from labelfield.learners.rows.design import as_design
from labelfield.learners.rows.memory import columns_at_once, cut_rows, rows_of_block
from labelfield.learners.rows.rows import SourceRows
from labelfield.optim.executors import in_order
from labelfield.optim.history import SHORTEST

__all__ = ["StreamRows"]

LOG = logging.getLogger("labelfield")


class StreamRows(SourceRows):
    """Rows of a BlockSource: features read in passes, targets and weights in memory.

    Blocks are cut as rows in memory are, so that a file read in one block gives the bits of a fit
    in memory.

    Parameters
    ----------
    source : BlockSource
    targets : Targets (n, L), optional
    weight : array (n, G), optional
    n_jobs : int, optional
        Threads; one more reads ahead.
    """

    def __init__(self, source, targets=None, weight=None, n_jobs=None):
        super().__init__(source, targets, weight)
        self.n_jobs = n_jobs

    def with_targets(self, targets, weight=None):
        """Return the same features with other targets (n, L) and weights (n, G)."""
        return StreamRows(self.source, targets, weight, self.n_jobs)

    def columns_at_once(self):
        """Every turn reads the file anew: as many columns as the working memory holds.

        Short histories, and about as much again for the parameters and their gradients.
        """
        n_bytes = 2**20 * get_config()["working_memory"] / 2
        step = columns_at_once(self.shape[1], n_bytes, 2 * SHORTEST)
        LOG.info(
            "%d rows of %d features, %d labels: %d turns of at most %d labels, each in several "
            "passes over the rows",
            *self.shape,
            self.n_labels,
            -(-self.n_labels // step),
            step,
        )
        return step

    def watch(self, key):
        number = self.source.count_solve()
        path = self.source.checkpoint_of(number)
        return Checkpoint(path, f"{self.source.fingerprint} {number} {key}")

    def each(self, function):
        started = time.monotonic()
        n_threads = effective_n_jobs(self.n_jobs)
        yield from in_order(lambda part: (part[0], function(part[1])), self._parts(), n_threads)
        spent = time.monotonic() - started
        LOG.info("pass %d over %d rows: %.1f s", self.source.n_passes, self.shape[0], spent)

    def _parts(self):
        entries = self.source.n_entries if self.as_sparse else self.shape[0] * self.shape[1]
        size = rows_of_block(self.shape[1], max(self.n_labels, 1), entries / self.shape[0])
        for rows, X in self.source:
            X = X.astype(self.dtype, copy=False)
            design = as_design(sp.csr_matrix(X) if self.as_sparse else X)
            for part in cut_rows(rows.stop - rows.start, size):
                where = slice(rows.start + part.start, rows.start + part.stop)
                targets = None if self.targets is None else self.targets[where]
                weight = np.ascontiguousarray(self.weight[where], dtype=np.float64)
                yield where, Block(design.take(part), targets, weight)
