"""Training data that come in blocks of rows, again and again in the same order."""

import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from labelfield._gate.indicator import read_indicator
from labelfield._gate.reading import as_numbers, column_names, sound_csr

__all__ = ["BlockSource", "comes_in_blocks"]

AGAIN = (
    "give a list of blocks, an object whose __iter__ begins anew each time, or "
    "labelfield.datasets.open_blocks(path)"
)
WANTED = "(X, Y) or (X, Y, weight) for rows of the same data"


def comes_in_blocks(X):
    """Return whether X is an iterable of blocks: no array, matrix, frame or list of rows."""
    if isinstance(X, (list, tuple)):
        return bool(X) and isinstance(X[0], tuple)
    plain = hasattr(X, "shape") or column_names(X) is not None or isinstance(X, (str, bytes, dict))
    return hasattr(X, "__iter__") and not plain


class BlockSource:
    """Features on disk or elsewhere, read in passes; labels (sparse) and weights in memory.

    The first pass, made here, checks every block, counts rows and columns, and keeps the labels.
    Later passes must give the same blocks: their checksums are compared.

    Parameters
    ----------
    blocks : re-iterable of (X, Y) or (X, Y, weight)
        Arrays or sparse matrices (b, d) and (b, L), weights (b,).
    all_columns : bool
        Whether columns that say nothing are in use too.

    Attributes
    ----------
    shape : (n, d)
    dtype : float64 or float32
    sparse : bool
    Y : CSR matrix (n, L) of uint8
    weight : array (n,) or None
    slices : list of slice
        The rows of every block.
    used : index array or slice
        The columns of X that vary (dense) or have entries (sparse).
    n_entries : int
        Entries of X that are not zero.
    fingerprint : int
        Of all blocks.
    moments : Moments or None
        Of the columns where they are dense.
    n_passes : int
        Passes begun.
    n_solves : int
        Problems that the fit has begun to solve.
    """

    def __init__(self, blocks, all_columns=False):
        if blocks is None or isinstance(blocks, (str, bytes)) or not hasattr(blocks, "__iter__"):
            raise TypeError(f"blocks must be an iterable of {WANTED}; got {blocks!r}.")
        if iter(blocks) is blocks:
            raise ValueError(
                "The blocks come from an iterator, which can be read only once, and a fit reads "
                f"them many times: {AGAIN}."
            )
        self.blocks = blocks
        folder = getattr(blocks, "checkpoint", None)
        self.checkpoint = None if folder is None else Path(folder)
        if self.checkpoint is not None:
            self.checkpoint.mkdir(exist_ok=True)
        self.n_solves = 0
        self.label_names = getattr(blocks, "label_names", None)
        self.n_passes = 0
        self._checksums = None
        self._survey()
        if all_columns:
            self.used = slice(None)

    @property
    def is_sparse(self):
        return self._kind[0]

    def __iter__(self) -> Iterator:
        """Yield the features of every block, as they are used: one pass."""
        self.n_passes += 1
        first = 0
        count = -1
        for count, block in enumerate(self.blocks):
            X = _read_features(block[0], count)
            if count >= len(self._checksums) or _checksum(X) != self._checksums[count]:
                raise ValueError(_CHANGED.format(f"block {count}"))
            rows = slice(first, first + X.shape[0])
            first = rows.stop
            if not isinstance(self.used, slice):
                X = X[:, self.used] if sp.issparse(X) else X.take(self.used, axis=1)
            yield rows, X
        if count + 1 != len(self._checksums):
            raise ValueError(_CHANGED.format(f"{count + 1} blocks, then {len(self._checksums)}"))

    def count_solve(self):
        """Return the number of the next problem that a fit solves."""
        self.n_solves += 1
        return self.n_solves - 1

    def checkpoint_of(self, number):
        """Return the file in which the state of a problem is kept, None for none."""
        return None if self.checkpoint is None else self.checkpoint / f"solve-{number:04d}.npz"

    def finish(self, first=0):
        """Delete the checkpoints of problems that are done, from the number `first` on."""
        if self.checkpoint is not None:
            for number in range(first, self.n_solves):
                self.checkpoint_of(number).unlink(missing_ok=True)

    def joined(self, columns):
        """Return the same rows with more columns (n, m), a CSR matrix in memory, on the right."""
        return _JoinedSource(self, columns)

    def _survey(self):
        checksums, labels, weights, columns = [], [], [], None
        for count, block in enumerate(self.blocks):
            X, Y, weight = _read_block(block, count)
            kind = (sp.issparse(X), X.shape[1], Y.shape[1])
            if not checksums:
                self._kind, self.dtype, columns = kind, X.dtype, _Columns(X)
                self.target_sparse = sp.issparse(block[1])
                self.target_dtype = getattr(block[1], "dtype", np.dtype(int))
            if kind != self._kind:
                raise ValueError(_difference(count, kind, self._kind))
            self.dtype = np.promote_types(self.dtype, X.dtype)
            columns.add(X)
            checksums.append(_checksum(X))
            labels.append(Y)
            weights.append(weight)
        self.weight = _joined_weights(weights)
        self.n_passes += 1
        self._checksums = checksums
        self.fingerprint = zlib.crc32(repr(checksums).encode())
        self.Y = sp.vstack(labels, format="csr")
        self.slices = _slices_of(labels)
        self.shape = self.Y.shape[0], self._kind[1]
        self.used, self.n_entries = columns.used(), columns.n_entries
        self.moments = columns.moments


class _JoinedSource(BlockSource):
    """A source with more columns than it reads."""

    def __init__(self, source, columns):
        d, m = source.shape[1], columns.shape[1]
        self.source, self.columns = source, sp.csr_matrix(columns)
        self.shape, self.dtype = (source.shape[0], d + m), source.dtype
        self._kind, self.moments = source._kind, None
        self.checkpoint, self.fingerprint = source.checkpoint, source.fingerprint
        self.n_entries = source.n_entries + self.columns.nnz
        used = np.arange(d) if isinstance(source.used, slice) else source.used
        self.used = slice(None)
        if len(used) < d:
            self.used = np.concatenate([used, d + np.arange(m)])

    @property
    def n_passes(self):
        return self.source.n_passes

    def count_solve(self):
        return self.source.count_solve()

    def __iter__(self):
        for rows, X in self.source:
            more = self.columns[rows]
            if self.is_sparse:
                yield rows, sp.hstack([X, more.astype(X.dtype)], format="csr")
            else:
                yield rows, np.concatenate([X, more.toarray().astype(X.dtype)], axis=1)


_CHANGED = (
    "The blocks changed between two passes ({}): a fit needs the same rows every time. Copy the "
    "data aside while they are fitted, and shuffle them before, not while, they are read."
)


class Moments(NamedTuple):
    """Number of rows, means of columns (d,) and sums of squared distances to them (d,)."""

    n: int
    mean: np.ndarray
    squares: np.ndarray

    @classmethod
    def of(cls, X):
        """Return the moments of an array (b, d)."""
        mean = X.mean(axis=0, dtype=np.float64)
        return cls(X.shape[0], mean, ((X - mean) ** 2).sum(axis=0))

    def with_more(self, other):
        """Return the moments of the rows of both."""
        n, apart = self.n + other.n, other.mean - self.mean
        squares = self.squares + other.squares + apart**2 * (self.n * other.n / n)
        return Moments(n, self.mean + apart * (other.n / n), squares)

    @property
    def spread(self):
        """Standard deviations (d,)."""
        return np.sqrt(self.squares / self.n)


class _Columns:
    """Which columns vary, and how many entries there are."""

    def __init__(self, X):
        self.n_entries = 0
        self.first = None if sp.issparse(X) else X[0].copy()
        self.busy = np.zeros(X.shape[1], dtype=bool)
        self.moments = None

    def add(self, X):
        if self.first is None:
            self.busy[X.indices] = True
            self.n_entries += X.nnz
        else:
            self.busy |= (self.first != X).any(axis=0)
            self.n_entries += int(np.count_nonzero(X))
            found = Moments.of(X)
            self.moments = found if self.moments is None else self.moments.with_more(found)

    def used(self):
        return slice(None) if self.busy.all() else np.flatnonzero(self.busy)


def _slices_of(labels):
    """Return which rows every block has, from the labels of each."""
    ends = np.cumsum([0] + [Y.shape[0] for Y in labels]).tolist()
    return [slice(*pair) for pair in pairwise(ends)]


def _joined_weights(weights):
    """Return the weights of all rows, None where no block has some."""
    if not weights:
        raise ValueError(f"There are no blocks; {AGAIN}, each block being {WANTED}.")
    given = [weight is not None for weight in weights]
    if any(given) and not all(given):
        raise ValueError(
            f"Block {given.index(False)} has no weights and others have; give all or none."
        )
    return np.concatenate(weights) if all(given) else None


def _read_block(block, count):
    """Return the features, CSR labels and weights (or None) of a block."""
    if not isinstance(block, (tuple, list)) or not 2 <= len(block) <= 3:
        raise ValueError(f"Block {count} is {type(block).__name__}; give {WANTED}.")
    X = _read_features(block[0], count)
    ones, unknown = read_indicator(block[1], f"Y of block {count}")
    if unknown.sum():
        raise ValueError(
            f"Y of block {count} holds NaN (unknown labels), which fits in blocks cannot learn "
            "from; drop the rows, fill in the labels, or give all rows at once."
        )
    Y = sp.csr_matrix(ones, dtype=np.uint8)
    weight = None
    if len(block) == 3 and block[2] is not None:
        weight = as_numbers(block[2], f"the weights of block {count}").astype(np.float64)
        if weight.ndim != 1 or not (np.isfinite(weight) & (weight >= 0)).all():
            raise ValueError(f"The weights of block {count} must be (b,), finite and not negative.")
    sizes = {X.shape[0], Y.shape[0]} | ({len(weight)} if weight is not None else set())
    if len(sizes) > 1 or 0 in sizes:
        raise ValueError(
            f"X, Y and weights of block {count} have {X.shape[0]}, {Y.shape[0]} and "
            f"{X.shape[0] if weight is None else len(weight)} rows; give as many, at least one."
        )
    return X, Y, weight


def _read_features(X, count):
    name = f"X of block {count}"
    if column_names(X) is not None:
        X = as_numbers(X, name)
    X = sound_csr(X, name) if sp.issparse(X) else as_numbers(X, name)
    if X.ndim != 2:
        raise ValueError(f"{name} has {X.ndim} dimensions; give (b, d).")
    if X.dtype not in (np.float64, np.float32):
        X = X.astype(np.float64)
    if not np.isfinite(X.data if sp.issparse(X) else X).all():
        raise ValueError(f"{name} holds NaN or infinity; fill in or drop such rows.")
    return X


def _checksum(X):
    if not sp.issparse(X):
        return X.shape, zlib.crc32(np.ascontiguousarray(X))
    parts = (X.data, X.indices.astype(np.int32, copy=False), np.diff(X.indptr).astype(np.int32))
    total = 0
    for part in parts:
        total = zlib.crc32(np.ascontiguousarray(part), total)
    return X.shape, total


def _difference(count, kind, wanted):
    def words(kind):
        return f"{'sparse' if kind[0] else 'dense'} X of {kind[1]} columns and {kind[2]} labels"

    return (
        f"Block {count} has {words(kind)}, the first one has {words(wanted)}; give all blocks the "
        "same columns, labels that do not occur in a block as columns of zeros."
    )
