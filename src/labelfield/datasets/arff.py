"""ARFF files: of MULAN (labels in an XML file), of MEKA (counted by -C), and of hierarchies."""

import re
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelfield.datasets._arff.header import NUMBER, Attribute, Header, parse_header, shown, unquote
from labelfield.datasets._arff.labels import LabelChoice, class_names, label_positions
from labelfield.datasets._format import Format
from labelfield.datasets._source import Source, read_source
from labelfield.datasets.dataset import Dataset, canonical

__all__ = ["FORMAT", "read_arff"]

MAX_LABEL_CELLS = 2**32
_INLINE_CHOICES = 16
_PLAIN = re.compile(rb"[^ \t,{}'\"%\n]+")

_FAULTS = {
    "TOO_FEW_VALUES": "the row ends before its {m} values are complete",
    "TOO_MANY_VALUES": "the row has more than the {m} declared values",
    "EMPTY_VALUE": "a value is empty; write ? for a missing one",
    "UNCLOSED_QUOTE": "a quoted value is not closed",
    "UNCLOSED_BRACE": "the sparse row is not closed by }}",
    "BAD_INDEX": "expected a column number in a sparse row",
    "INDEX_TOO_LARGE": "column number beyond {last}, the last of {m} attributes (from 0)",
    "REPEATED_INDEX": "a column number occurs twice in one sparse row",
    "NO_VALUE_AFTER_INDEX": "expected a blank and a value after the column number",
    "TEXT_AFTER_VALUE": "expected a comma after a value; quote values that hold blanks",
    "TEXT_AFTER_ROW": "text after the closing brace (instance weights are not read)",
    "COMMENT_INSIDE_VALUE": "% inside a value; quote the value, or put a blank before a comment",
}


class _Body(NamedTuple):
    """The data section: row i holds columns[row_end[i-1]:row_end[i]] and their values."""

    columns: np.ndarray
    values: np.ndarray
    row_at: np.ndarray
    row_end: np.ndarray
    sparse_row: np.ndarray


def read_arff(path: str | PathLike[str], *, labels: LabelChoice = None) -> Dataset:
    """Read a multi-label ARFF file: MULAN, MEKA or hierarchical, dense or sparse, plain or packed.

    Parameters
    ----------
    path : path
        The ARFF file.
    labels : path, int, sequence of str or None, default None
        Which attributes are labels: a MULAN label file (.xml); a number, positive for the
        first columns and negative for the last; or names (an empty list: none). None takes
        the XML file of the same name beside the file, or else MEKA's -C option in the
        relation name. In a file with a hierarchical attribute its classes are the labels; names
        choose some of them.

    Returns
    -------
    Dataset
        X is a float array (n, d), or a CSR matrix if the file has sparse rows. Y is uint8
        (n, L) in the order of `labels`, or float with NaN where the file says `?`.

    Raises
    ------
    DataFormatError
        If the file does not hold what it declares; the message names file and line.

    Notes
    -----
    A missing value `?` becomes NaN. Sparse rows may list their columns in any order. What a
    sparse row leaves out is 0, or the first declared value of a nominal attribute. A per
    cent sign after a blank starts a comment. Classes of a hierarchical attribute are paths such as
    01/03 and rows have sets of them, 01/03@20; a row has all classes above its own, and
    `LabelRules.from_paths(data.label_names)` are the rules. Attributes of type string, date or
    relational, infinite numbers and instance weights are refused.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from labelfield.datasets import read_arff
    >>> text = "@relation 'toy: -C 1'\\n@attribute y {0,1}\\n@attribute x real\\n@data\\n1,0.5\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.arff")
    ...     _ = path.write_text(text)
    ...     data = read_arff(path)
    >>> data.X, data.Y, data.label_names
    (array([[0.5]]), array([[1]], dtype=uint8), ('y',))
    """
    source = read_source(path)
    header = parse_header(source)
    if header.hierarchy_at is None:
        label_at = label_positions(source, header, labels)
        body = _read_body(source, header)
        X, Y = _split(source, header, body, np.array(label_at, dtype=np.intp))
        names = tuple(header.attributes[j].name for j in label_at)
    else:
        label_at = [header.hierarchy_at]
        names = class_names(source, header, labels)
        body = _read_body(source, header)
        X, Y = _split_classes(source, header, body, names)
    features = [a for j, a in enumerate(header.attributes) if j not in label_at]
    return Dataset(
        X,
        Y,
        tuple(a.name for a in features),
        names,
        name=Path(path).name.split(".")[0],
        description=f"Read from the ARFF file {Path(path).name}.",
        categories={a.name: a.nominal.values for a in features if a.nominal},
    )


def _read_body(source: Source, header: Header) -> _Body:
    from labelfield.datasets._arff import rows as scan

    text = np.frombuffer(source.raw, dtype=np.uint8)[header.data_at :]
    n_lines = np.count_nonzero(text == ord("\n"))
    capacity = n_lines + np.count_nonzero(text == ord(","))
    row_at, row_end = np.empty(n_lines, np.int64), np.empty(n_lines, np.int64)
    columns, values = np.empty(capacity, np.int32), np.empty(capacity)
    n, used, fault, at = scan.scan_rows(
        text, *_declarations(header), row_at, row_end, columns, values
    )
    body = _Body(
        columns[:used], values[:used], row_at[:n], row_end[:n], text[row_at[:n]] == ord("{")
    )
    _resolve_open_values(source, header, text, body)
    if fault != scan.SOUND:
        m = len(header.attributes)
        name = next(key for key in _FAULTS if getattr(scan, key) == fault)
        raise source.error_at(header.data_at + at, _FAULTS[name].format(m=m, last=m - 1))
    if n == 0:
        raise source.error(source.last_line, "no row follows @data")
    return body


def _resolve_open_values(source: Source, header: Header, text: np.ndarray, body: _Body) -> None:
    """Fill in, or refuse, the values that the scan only located."""
    from labelfield.datasets._arff.rows import token_end

    open_at = np.flatnonzero(body.columns < 0)
    body.columns[open_at] = -1 - body.columns[open_at]
    starts = body.values[open_at].astype(np.int64)
    in_sparse = body.sparse_row[np.searchsorted(body.row_at, starts, side="right") - 1]
    for i, start, sparse_row in zip(open_at, starts.tolist(), in_sparse, strict=True):
        end, _ = token_end(text, start, ord("}" if sparse_row else "\n"))
        token = text[start:end].tobytes().decode("utf-8")
        problem, body.values[i] = _resolve(header.attributes[body.columns[i]], token)
        if problem:
            raise source.error_at(header.data_at + start, problem)


def _declarations(header: Header) -> tuple[np.ndarray, ...]:
    """Nominal declarations as the flat arrays that the scan compares with."""
    number = {}
    kind = np.full(len(header.attributes), -1, np.int32)
    first, bounds, choices, codes = [0], [0], [], []
    for j, (_, _, nominal) in enumerate(header.attributes):
        if nominal is None:
            continue
        if id(nominal) not in number:
            number[id(nominal)] = len(number)
            if len(nominal.values) <= _INLINE_CHOICES:
                for value, code in nominal.codes.items():
                    written = value.encode()
                    if _PLAIN.fullmatch(written):
                        choices.append(written)
                        bounds.append(bounds[-1] + len(written))
                        codes.append(code)
            first.append(len(choices))
        kind[j] = number[id(nominal)]
    flat = np.frombuffer(b"".join(choices) or b"\0", dtype=np.uint8)
    return kind, np.array(first), np.array(bounds), flat, np.array(codes or [0.0])


def _resolve(attribute: Attribute, token: str) -> tuple[str, float]:
    """(what is wrong or "", number) of a value that the scan left open."""
    text = unquote(token)
    if attribute.nominal is not None:
        code = attribute.nominal.code_of(text)
        if code is not None:
            return "", code
        declared = shown(",".join(attribute.nominal.shown))
        return f"{shown(text)} is not a declared value of {shown(attribute.name)}: {declared}", 0.0
    value = float(text) if NUMBER.fullmatch(text) else np.nan
    if not np.isfinite(value):
        return f"{shown(text)} is not a finite number, for attribute {shown(attribute.name)}", 0.0
    return "", value


def _split(source: Source, header: Header, body: _Body, label_at: np.ndarray):
    """Features and labels of the rows that were read."""
    n, m, L = len(body.row_end), len(header.attributes), len(label_at)
    _refuse_too_many(source, n, L)
    is_label = np.zeros(m, dtype=bool)
    is_label[label_at] = True
    if not body.sparse_row.any():
        table = body.values.reshape(n, m)
        return table[:, ~is_label], _labels(source, header, body, label_at, table[:, label_at])
    rows, columns, values = _with_defaults(header, body)
    slot = np.empty(m, np.int32)
    slot[label_at] = np.arange(L)
    slot[~is_label] = np.arange(m - L)
    of_label = is_label[columns]
    Y = np.zeros((n, L), np.float64 if np.isnan(values[of_label]).any() else np.uint8)
    bad = of_label & (values != 0) & (values != 1) & ~np.isnan(values)
    if bad.any():
        raise _label_error(source, header, body, rows[bad][0], columns[bad][0])
    Y[rows[of_label], slot[columns[of_label]]] = values[of_label]
    kept = ~of_label & (values != 0)
    entries = values[kept], (rows[kept], slot[columns[kept]])
    return canonical(sparse.csr_matrix(entries, shape=(n, m - L))), Y


def _split_classes(source: Source, header: Header, body: _Body, names: tuple[str, ...]):
    """Features, and the named classes of a hierarchical attribute."""
    n, at = len(body.row_end), header.hierarchy_at
    _refuse_too_many(source, n, len(names))
    own = body.columns == at
    codes = np.zeros(n)
    codes[np.repeat(np.arange(n), np.diff(body.row_end, prepend=0))[own]] = body.values[own]
    body.values[own] = 0.0  # a label that every row lacks, for `_split`
    X, _ = _split(source, header, body, np.array([at]))
    return X, header.attributes[at].nominal.labels(codes, names)


def _refuse_too_many(source: Source, n: int, n_labels: int) -> None:
    if n * n_labels > MAX_LABEL_CELLS:
        raise source.error(
            source.last_line, f"{n} rows of {n_labels} labels are more than {MAX_LABEL_CELLS} cells"
        )


def _labels(source: Source, header: Header, body: _Body, label_at, Y: np.ndarray) -> np.ndarray:
    unknown = np.isnan(Y)
    bad = np.argwhere((Y != 0) & (Y != 1) & ~unknown)
    if len(bad):
        i, k = bad[0]
        raise _label_error(source, header, body, i, label_at[k])
    return np.ascontiguousarray(Y) if unknown.any() else Y.astype(np.uint8)


def _label_error(source: Source, header: Header, body: _Body, i: int, j: int):
    name = shown(header.attributes[j].name)
    return source.error_at(header.data_at + body.row_at[i], f"label {name} is neither 0 nor 1")


def _with_defaults(header: Header, body: _Body):
    """(rows, columns, values), with the values that sparse rows leave out where not zero."""
    n = len(body.row_end)
    rows = np.repeat(np.arange(n, dtype=np.int32), np.diff(body.row_end, prepend=0))
    parts = [(rows, body.columns, body.values)]
    for j, (_, _, nominal) in enumerate(header.attributes):
        default = nominal.codes[nominal.values[0]] if nominal else 0.0
        if default != 0:
            absent = body.sparse_row.copy()
            absent[rows[body.columns == j]] = False
            at = np.flatnonzero(absent).astype(np.int32)
            parts.append((at, np.full(len(at), j, np.int32), np.full(len(at), default)))
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


FORMAT = Format(
    "ARFF files",
    (".arff",),
    read_arff,
    options={"labels": "labels", "xml": "labels", "label_columns": "labels"},
    label_options=("labels", "xml", "label_columns"),
    unlabelled={"labels": []},
    labels_like=lambda notes: {"labels": notes["label_names"]},
)
