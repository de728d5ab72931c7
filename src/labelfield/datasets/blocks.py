"""Data files read in blocks of rows, for fits to more rows than fit into memory."""

import csv
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from labelfield._exceptions import DataFormatError
from labelfield.datasets._frames import parquet_reader
from labelfield.datasets._source import file_ending
from labelfield.datasets.svmlight import FORMAT as SVMLIGHT
from labelfield.datasets.svmlight import counts_of_header
from labelfield.datasets.table import PARQUET_ENDINGS
from labelfield.io._inputs import open_input

__all__ = ["RowBlocks", "open_blocks"]


class RowBlocks:
    """Blocks (X, Y) or (X, Y, weight) that can be read again and again, for `fit`.

    Parameters
    ----------
    read : callable
        Returns a new iterator over the blocks; called once a pass.
    label_names : sequence of str, optional
    checkpoint : path, optional
        Folder in which a fit keeps its state after every pass: killed, it goes on from there. The
        files are deleted when the fit is done.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import BinaryRelevance
    >>> from labelfield.datasets import RowBlocks
    >>> def read():
    ...     for seed in range(3):
    ...         X = np.random.default_rng(seed).normal(size=(50, 2))
    ...         yield X, X > 0.5
    >>> BinaryRelevance(alpha=1.0).fit(RowBlocks(read)).predict([[1.0, 0.0]]).astype(int)
    array([[1, 0]])
    """

    def __init__(
        self,
        read: Callable[[], Iterator[Any]],
        *,
        label_names: Sequence[str] | None = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> None:
        self.read = read
        self.label_names = label_names
        self.checkpoint = checkpoint

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read())


def open_blocks(
    path: str | PathLike[str],
    *,
    labels: Sequence[str] | None = None,
    n_features: int | None = None,
    n_labels: int | None = None,
    zero_based: bool = False,
    block_rows: int = 20_000,
    checkpoint: str | PathLike[str] | None = None,
) -> RowBlocks:
    """Return the rows of a file in blocks, read anew in every pass.

    Parameters
    ----------
    path : path
        An svmlight file (.svm, .svmlight, .libsvm, .txt), a Parquet file (.parquet, .pq), or else
        CSV of numbers with a line of column names. Not packed.
    labels : sequence of str, optional
        Label columns of CSV and Parquet; all others are features.
    n_features, n_labels : int, optional
        Columns of an svmlight file; counted in a pass of their own where neither they nor a first
        line of counts says it.
    zero_based : bool, default=False
        Whether the features of an svmlight file are numbered from 0; a first line of counts says
        so by itself.
    block_rows : int, default=20000
        Rows of a block.
    checkpoint : path, optional
        See `RowBlocks`.

    Returns
    -------
    RowBlocks

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from labelfield import BinaryRelevance
    >>> from labelfield.datasets import open_blocks
    >>> lines = ["x,sun,sea"] + [f"{i % 7},{i % 2},{int(i % 7 > 3)}" for i in range(70)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.csv")
    ...     _ = path.write_text(chr(10).join(lines))
    ...     model = BinaryRelevance(alpha=0.1).fit(open_blocks(path, labels=["sun", "sea"]))
    >>> model.predict_names([[6.0]])
    [('sea',)]
    """
    path = Path(path)
    if not isinstance(block_rows, int) or block_rows < 1:
        raise ValueError(f"block_rows={block_rows!r} must be a whole number of at least 1.")
    options = {"checkpoint": checkpoint}
    ending = file_ending(path)
    if path.suffix.lower() != ending:
        raise ValueError(f"{path} is packed; unpack it, since it is read in many passes.")
    if ending in SVMLIGHT.endings:
        file = _SvmlightFile(path, n_features, n_labels, zero_based, block_rows)
        names = [str(number) for number in range(file.n_labels)]
        return RowBlocks(file.read, label_names=names, **options)
    if not labels:
        raise ValueError(f"{path} is a table: name its label columns by labels=[...].")
    table = _ParquetFile if ending in PARQUET_ENDINGS else _CsvFile
    return RowBlocks(table(path, list(labels), block_rows).read, label_names=labels, **options)


class _SvmlightFile:
    def __init__(self, path, n_features, n_labels, zero_based, block_rows):
        self.path, self.block_rows = path, block_rows
        with open_input(path) as file:
            counts = counts_of_header(file.readline())
        self.has_header = counts is not None
        if counts is not None:
            n_features, n_labels, zero_based = n_features or counts[1], n_labels or counts[2], True
        self.n_features, self.n_labels, self.zero_based = n_features, n_labels, zero_based
        if n_features is None or n_labels is None:
            self._count()

    def _count(self):
        d = L = 0
        for _, entries, sets in self._chunks(None):
            d = max(d, entries.shape[1])
            L = max([L, *(int(max(labels)) + 1 for labels in sets if len(labels))])
        self.n_features, self.n_labels = self.n_features or d, self.n_labels or L

    def _chunks(self, n_features):
        line = 1 + self.has_header
        with open_input(self.path) as file:
            if self.has_header:
                file.readline()
            while lines := list(islice(file, self.block_rows)):
                try:
                    entries, sets = load_svmlight_file(
                        BytesIO(b"".join(lines)),
                        n_features=n_features,
                        multilabel=True,
                        zero_based=self.zero_based,
                    )
                except (ValueError, OverflowError, IndexError) as error:
                    raise DataFormatError(
                        f"{self.path}, lines {line} to {line + len(lines) - 1}: {error}"
                    ) from error
                if entries.shape[0]:
                    yield line, entries, sets
                line += len(lines)

    def read(self):
        for line, X, sets in self._chunks(self.n_features):
            sizes = np.fromiter(map(len, sets), np.intp, len(sets))
            found = np.array([label for labels in sets for label in labels], dtype=np.float64)
            wrong = ~((found >= 0) & (found < self.n_labels) & (found == np.floor(found)))
            if wrong.any():
                raise DataFormatError(
                    f"{self.path}, at or after line {line}: label {found[wrong][0]:g} is not one "
                    f"of the {self.n_labels} declared, 0 to {self.n_labels - 1}; set n_labels."
                )
            starts = np.concatenate([[0], np.cumsum(sizes)])
            parts = (np.ones(len(found), np.uint8), found.astype(np.int32), starts)
            Y = sparse.csr_matrix(parts, shape=(len(sets), self.n_labels))
            Y.sum_duplicates()
            Y.data[:] = 1
            yield X, Y


class _Table:
    """A file whose columns have names, some of which are labels."""

    def __init__(self, path, labels, block_rows):
        self.path, self.block_rows = path, block_rows
        names = self._names()
        missing = [label for label in labels if label not in names]
        if missing:
            raise ValueError(f"{path} has no column {missing[0]!r}; there are {names[:8]}.")
        self.labels = [names.index(label) for label in labels]
        self.features = [j for j, name in enumerate(names) if name not in set(labels)]

    def read(self):
        for cells in self._cells():
            yield cells[:, self.features], cells[:, self.labels]


class _CsvFile(_Table):
    def _names(self):
        with open_input(self.path) as file:
            return next(csv.reader([file.readline().decode("utf-8-sig")]), [])

    def _cells(self):
        line = 2
        with open_input(self.path) as file:
            file.readline()
            while lines := list(islice(file, self.block_rows)):
                try:
                    text = [one.decode() for one in lines]
                    cells = np.loadtxt(text, delimiter=",", ndmin=2, comments=None)
                except ValueError as error:
                    raise DataFormatError(
                        f"{self.path}, lines {line} to {line + len(lines) - 1}: {error}. Blocks "
                        "of CSV hold numbers only; read text and gaps by read_table."
                    ) from error
                if len(cells):
                    yield cells
                line += len(lines)


class _ParquetFile(_Table):
    def _open(self):
        return parquet_reader()(self.path)

    def _names(self):
        with self._open() as file:
            return list(file.schema_arrow.names)

    def _cells(self):
        with self._open() as file:
            for batch in file.iter_batches(batch_size=self.block_rows):
                columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
                try:
                    yield np.column_stack(columns).astype(np.float64)
                except (TypeError, ValueError) as error:
                    raise DataFormatError(
                        f"{self.path} holds columns that are no numbers: {error}."
                    ) from error
