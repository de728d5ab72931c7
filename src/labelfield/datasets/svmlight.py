"""Multi-label svmlight (libsvm) files."""

import re
from bisect import bisect_left
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from labelfield.datasets._format import Format
from labelfield.datasets._source import Source, read_source
from labelfield.datasets.dataset import Dataset, canonical

__all__ = ["FORMAT", "counts_of_header", "read_svmlight"]

MAX_COLUMNS = 2**22
MAX_LABEL_CELLS = 2**32
_MAX_LABEL = 2**53
# What scikit-learn's reader would pass over in silence.
_REFUSED = {
    re.compile(rb"^[^#\n]*_", re.MULTILINE): "'_' is not part of a number",
    re.compile(rb"^[^#\n]*\bqid:", re.MULTILINE): (
        "qid: groups rows into queries, which has no meaning for label sets; remove it"
    ),
}
_COUNTS = re.compile(rb"[ \t]*(\d{1,10})[ \t]+(\d{1,10})[ \t]+(\d{1,10})[ \t]*\n")


def read_svmlight(
    path: str | PathLike[str],
    *,
    n_features: int | None = None,
    n_labels: int | None = None,
    zero_based: bool | str = "auto",
) -> Dataset:
    """Read a multi-label svmlight file: `label,label index:value index:value ...` on each line.

    A first line of three counts (rows, features, labels), as in the extreme classification
    repository, is understood, checked, and makes indices start at 0. Query numbers (qid:) are
    refused.

    Parameters
    ----------
    path : path
        The file, plain or packed.
    n_features : int or None
        Number of features d; None takes the largest index.
    n_labels : int or None
        Number of labels L, numbered 0 .. L-1; None takes the numbers that occur.
    zero_based : bool or "auto", default "auto"
        Whether feature indices start at 0; "auto" takes 0 if it occurs.

    Returns
    -------
    Dataset
        X is a CSR matrix; features (x1, x2, ...) and labels are named by their numbers in the
        file.

    Raises
    ------
    DataFormatError
        If a line cannot be read or an index lies outside the sizes given.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from labelfield.datasets import read_svmlight
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.svm")
    ...     _ = path.write_text("1,4 1:0.5 3:2" + chr(10) + "4 2:1" + chr(10))
    ...     data = read_svmlight(path)
    >>> data.label_names, data.X.shape, data.Y.tolist()
    (('1', '4'), (2, 3), [[1, 1], [0, 1]])
    """
    source = read_source(path)
    body, n_rows = source.raw, None
    if counts := _COUNTS.match(source.raw):
        n_rows, d, L = (int(group) for group in counts.groups())
        n_features, n_labels, zero_based = n_features or d, n_labels or L, True
        body = b"#\n" + source.raw[counts.end() :]  # keeps the line numbers
    for what, number in {"features": n_features, "labels": n_labels}.items():
        if number is not None and not 1 <= number <= MAX_COLUMNS:
            raise source.error(1, f"{number} {what}; there may be 1 to {MAX_COLUMNS}")
    entries, label_sets = _loaded(source, body)
    if n_rows is not None and len(label_sets) != n_rows:
        raise source.error(1, f"{n_rows} rows are announced, {len(label_sets)} follow")
    X, first = _features(source, body, entries, n_features, zero_based)
    Y, numbers = _indicator(source, body, label_sets, n_labels)
    return Dataset(
        X,
        Y,
        tuple(f"x{first + k}" for k in range(X.shape[1])),
        tuple(str(number) for number in numbers),
        name=Path(path).name.split(".")[0],
        description=f"Read from the svmlight file {Path(path).name}.",
    )


def counts_of_header(line: bytes) -> tuple[int, int, int] | None:
    """Return rows, features and labels of a first line of counts, None if it is none."""
    counts = _COUNTS.match(line)
    return None if counts is None else tuple(map(int, counts.groups()))  # type: ignore[return-value]


def _loaded(source: Source, body: bytes):
    """Entries at their indices in the file, and label tuples, from scikit-learn's reader."""

    def load(text):
        return load_svmlight_file(BytesIO(text), multilabel=True, zero_based=True)

    def complaint(text):
        try:
            load(text)
        except (ValueError, OverflowError, IndexError) as error:
            return str(error)
        return ""

    for pattern, problem in _REFUSED.items():
        if odd := pattern.search(body):
            raise source.error(body.count(b"\n", 0, odd.end()) + 1, problem)
    problem = complaint(body)
    if problem:
        lines = body.splitlines(keepends=True)
        good = bisect_left(
            range(len(lines)), True, key=lambda k: bool(complaint(b"".join(lines[: k + 1])))
        )
        raise source.error(good + 1, problem)
    return load(body)


def _features(source: Source, body: bytes, entries, n_features, zero_based: bool | str):
    """X as canonical CSR, and the index in the file of its first column."""
    indices = entries.indices
    if zero_based == "auto":
        zero_based = not len(indices) or indices.min() == 0
    first = 0 if zero_based else 1
    last = first - 1 + (MAX_COLUMNS if n_features is None else n_features)
    rows = np.repeat(np.arange(entries.shape[0]), np.diff(entries.indptr))
    for wrong, problem in [
        (~np.isfinite(entries.data), "the value of feature {} is not a finite number"),
        (indices < first, "feature index {} where indices start at 1"),
        (indices > last, f"feature index {{}} is beyond {last}, the last there may be"),
    ]:
        if wrong.any():
            line = _line_of_row(body, rows[wrong][0])
            raise source.error(line, problem.format(indices[wrong][0]))
    width = entries.shape[1] - first if n_features is None else n_features
    parts = (entries.data, indices - first, entries.indptr)
    return canonical(sparse.csr_matrix(parts, shape=(entries.shape[0], width))), first


def _indicator(source: Source, body: bytes, label_sets, n_labels: int | None):
    """Y (n, L) and the number of each label."""
    sizes = [len(labels) for labels in label_sets]
    rows = np.repeat(np.arange(len(sizes)), sizes)
    found = np.array([label for labels in label_sets for label in labels])
    top = _MAX_LABEL if n_labels is None else n_labels
    wrong = ~((found >= 0) & (found < top) & (found == np.floor(found)))
    if wrong.any():
        line = _line_of_row(body, rows[wrong][0])
        raise source.error(line, f"label {found[wrong][0]:g} is not a whole number below {top}")
    L = len(np.unique(found)) if n_labels is None else n_labels
    if len(sizes) * L > MAX_LABEL_CELLS:
        raise source.error(
            source.last_line, f"{len(sizes)} rows of {L} labels are too many for a dense matrix"
        )
    numbers = np.unique(found).astype(np.int64) if n_labels is None else np.arange(n_labels)
    Y = np.zeros((len(sizes), len(numbers)), dtype=np.uint8)
    Y[rows, np.searchsorted(numbers, found)] = 1
    return Y, numbers


def _line_of_row(body: bytes, row: int) -> int:
    """Line of the row-th line that holds data."""
    data = [k for k, line in enumerate(body.split(b"\n"), 1) if line.split(b"#")[0].strip()]
    return data[row]


def _columns_like(notes) -> dict[str, Any]:
    names = notes["feature_names"]
    start = {"x0": True, "x1": False}.get(names[0] if names else "", "auto")
    return {"n_features": len(names), "zero_based": start}


FORMAT = Format(
    "svmlight files",
    (".svm", ".svmlight", ".libsvm", ".txt"),
    read_svmlight,
    rows_list_labels=True,
    columns_like=_columns_like,
)
