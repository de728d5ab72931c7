"""Training data on the workers of a dask cluster: blocks stay there, sums come here."""

from functools import reduce
from importlib.util import find_spec

import numpy as np
import scipy.sparse as sp

from labelfield._gate.blocks import (
    BlockSource,
    Moments,
    _Columns,
    _difference,
    _joined_weights,
    _read_block,
    _read_features,
    _slices_of,
)
from labelfield._gate.reading import column_names

__all__ = ["ClusterBlocks", "ClusterSource", "dask_blocks", "is_dask", "on_cluster", "row_parts"]

EXTRA = "pip install labelfield[dask]"


def is_dask(X):
    """Return whether X is a dask array or data frame."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


class ClusterBlocks:
    """Blocks (X, Y[, weight]) as tasks of a dask cluster: what `on_cluster` returns.

    Attributes
    ----------
    client : distributed.Client
    tasks : list of Delayed or Future
        One of a tuple (X, Y) or (X, Y, weight) for every block.
    label_names : list of str or None
    """

    def __init__(self, client, tasks, label_names=None):
        self.client, self.tasks, self.label_names = client, tasks, label_names

    def __iter__(self):
        """Not meant to be read here: the blocks stay on the workers."""
        raise TypeError("Blocks of a cluster stay on its workers; fit a model to them.")


def on_cluster(blocks, client=None):
    """Return blocks of rows as tasks of a dask cluster, for `fit`.

    Parameters
    ----------
    blocks : iterable of (X, Y) or (X, Y, weight)
        Arrays or sparse matrices; sent to the workers.
    client : distributed.Client, optional
        By default the one that was made last.

    Returns
    -------
    blocks : ClusterBlocks

    Examples
    --------
    >>> from labelfield import BinaryRelevance, on_cluster
    >>> def fit(blocks, address):
    ...     from distributed import Client
    ...     return BinaryRelevance(alpha=1.0).fit(on_cluster(blocks, Client(address)))
    """
    client = _client(client)
    return ClusterBlocks(client, [client.submit(tuple, block, pure=False) for block in blocks])


def dask_blocks(X, Y, weight=None):
    """Return rows of dask arrays or frames as blocks of the cluster in use."""
    client = _client(None)
    if not is_dask(Y):
        raise TypeError(
            f"X is a dask collection but y is {type(Y).__name__}; give y as one of the same rows, "
            "such as dask.array.from_array(y, chunks=...)."
        )
    names = column_names(Y)
    lists = [row_parts(X, "X"), row_parts(Y, "y")]
    if weight is not None:
        lists.append(row_parts(weight, "sample_weight"))
    sizes = [len(parts) for parts in lists]
    if len(set(sizes)) > 1:
        raise ValueError(
            f"X and y have {sizes[0]} and {sizes[1]} chunks of rows; rechunk them alike, "
            "y.rechunk({0: X.chunks[0]})."
        )
    tasks = [client.compute(_delayed(tuple)(list(block))) for block in zip(*lists)]
    labels = None if names is None else [str(name) for name in names]
    return ClusterBlocks(client, tasks, labels)


def row_parts(X, name):
    """Return the chunks of rows of a dask array or frame as a list of Delayed."""
    if hasattr(X, "partitions") and column_names(X) is not None:
        X = X.to_dask_array()  # of unknown lengths, which are counted where the rows are
    if X.ndim == 2 and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    if X.ndim not in (1, 2):
        raise ValueError(f"{name} has {X.ndim} dimensions; give rows.")
    return X.to_delayed().ravel().tolist()


class ClusterSource(BlockSource):
    """Features on the workers; labels (sparse) and weights here, as in a BlockSource.

    Attributes
    ----------
    features : list of Future
        The features of every block, checked, with the columns in use.
    """

    checkpoint = None

    def __init__(self, blocks, all_columns=False):
        self.client, self.label_names = blocks.client, blocks.label_names
        _require_package(self.client)
        self.n_solves = self.n_passes = 0
        surveys = [
            self.client.submit(_survey, block, count, pure=False)
            for count, block in enumerate(blocks.tasks)
        ]
        found = self.client.gather(surveys)
        self.weight = _joined_weights([one["weight"] for one in found])
        first = found[0]
        for count, one in enumerate(found):
            if one["kind"] != first["kind"]:
                raise ValueError(_difference(count, one["kind"], first["kind"]))
        self._kind, self.target_sparse = first["kind"], first["target_sparse"]
        self.target_dtype = first["target_dtype"]
        self.dtype = np.result_type(*[one["dtype"] for one in found])
        self.Y = sp.vstack([one["Y"] for one in found], format="csr")
        self.shape = self.Y.shape[0], self._kind[1]
        self.n_entries = sum(one["n_entries"] for one in found)
        self.slices = _slices_of([one["Y"] for one in found])
        self.used = slice(None) if all_columns else _used([one["columns"] for one in found])
        self.moments = first["moments"]
        if self.moments is not None:
            self.moments = reduce(Moments.with_more, [one["moments"] for one in found])
        self.features = [
            self.client.submit(_features, block, count, self.used, pure=False)
            for count, block in enumerate(blocks.tasks)
        ]

    def __iter__(self):
        """Not meant to be read here: the features stay on the workers."""
        raise TypeError("Features of a cluster stay on its workers; sum over them there.")

    def joined(self, columns):
        """Return the same rows with more columns (n, m), a CSR matrix in memory, on the right."""
        from copy import copy

        columns, wider = sp.csr_matrix(columns), copy(self)
        d, m = self.shape[1], columns.shape[1]
        wider.shape = self.shape[0], d + m
        wider.n_entries = self.n_entries + columns.nnz
        if not isinstance(self.used, slice):
            wider.used = np.concatenate([self.used, d + np.arange(m)])
        wider.features = [
            self.client.submit(_beside, block, columns[rows], pure=False)
            for rows, block in zip(self.slices, self.features)
        ]
        return wider


def _client(client):
    try:
        from distributed import get_client
    except ImportError as error:
        raise ImportError(f"Fits on a cluster need dask: {EXTRA}.") from error
    if client is not None:
        return client
    try:
        return get_client()
    except ValueError as error:
        raise ValueError(
            "There is no dask cluster in use; make one, client = distributed.Client(), or "
            "distributed.Client(address of a scheduler)."
        ) from error


def _delayed(function):
    from dask import delayed

    return delayed(function, pure=False)


def _require_package(client):
    """Refuse a cluster whose workers cannot import labelfield."""
    found = client.run(find_spec, "labelfield")
    if not found:
        raise ValueError("The dask cluster has no workers; start some, or wait for them.")
    missing = sorted(worker for worker, spec in found.items() if spec is None)
    if missing:
        raise ImportError(
            f"labelfield is not installed on {len(missing)} of {len(found)} workers, such as "
            f"{missing[0]}; install the same version there."
        )


def _survey(block, count):
    X, Y, weight = _read_block(block, count)
    columns = _Columns(X)
    columns.add(X)
    return {
        "kind": (sp.issparse(X), X.shape[1], Y.shape[1]),
        "target_sparse": sp.issparse(block[1]),
        "target_dtype": getattr(block[1], "dtype", np.dtype(int)),
        "dtype": X.dtype,
        "Y": Y,
        "weight": weight,
        "n_entries": columns.n_entries,
        "columns": (columns.first, columns.busy),
        "moments": columns.moments,
    }


def _used(columns):
    """Return the columns that vary, within a block or from one block to another."""
    busy = np.any([busy for _, busy in columns], axis=0)
    first = columns[0][0]
    if first is not None:
        busy |= np.any([first != other for other, _ in columns], axis=0)
    return slice(None) if busy.all() else np.flatnonzero(busy)


def _features(block, count, used):
    X = _read_features(block[0], count)
    if isinstance(used, slice):
        return X
    return X[:, used] if sp.issparse(X) else X.take(used, axis=1)


def _beside(X, columns):
    if sp.issparse(X):
        return sp.hstack([X, columns.astype(X.dtype)], format="csr")
    return np.concatenate([X, columns.toarray().astype(X.dtype)], axis=1)
