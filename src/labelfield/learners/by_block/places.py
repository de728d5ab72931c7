"""Work on blocks of rows wherever they lie: in memory, on disk, on the workers of a cluster."""

import numpy as np

from labelfield._gate.blocks import BlockSource
from labelfield._gate.cluster import ClusterSource
from labelfield._gate.reading import count_rows, take_rows
from labelfield.learners.rows.memory import cut_rows

__all__ = ["block_totals", "each_block", "slices_of"]


def slices_of(X, block_rows=None):
    """Return the rows of every block: as they came, or cut here into blocks of `block_rows`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.by_block.places import slices_of
    >>> slices_of(np.zeros((5, 1)), 3)
    [slice(0, 3, None), slice(3, 5, None)]
    """
    if isinstance(X, BlockSource):
        return X.slices
    n = count_rows(X)
    return cut_rows(n, n if block_rows is None else block_rows)


def block_totals(slices, weight):
    """Return what the rows of every block weigh together: weight (n,) -> (B,)."""
    return np.array([float(weight[rows].sum()) for rows in slices])


def each_block(X, slices, function, jobs):
    """Return `function(features, *job)` of every block and its job, in the order of the blocks.

    Parameters
    ----------
    X : array, CSR matrix or frame (n, d), or BlockSource
        Blocks from disk are read in one pass. Those of a cluster stay there: one task a block,
        repeated elsewhere if its worker is lost.
    slices : list of slice
    function : function of a module, which can be sent to workers
    jobs : list of tuple
    """
    if isinstance(X, ClusterSource):
        tasks = [
            X.client.submit(function, features, *job, pure=False, retries=2)
            for features, job in zip(X.features, jobs)
        ]
        return X.client.gather(tasks)
    if isinstance(X, BlockSource):
        return [function(features, *job) for (_, features), job in zip(X, jobs, strict=True)]
    parts = [X] if len(slices) == 1 else (take_rows(X, rows) for rows in slices)
    return [function(features, *job) for features, job in zip(parts, jobs)]
