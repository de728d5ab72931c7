"""Data sets of the R package mldr, written anew as ARFF files with a list of labels."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
from scipy import sparse

from labelfield._exceptions import DataFormatError
from labelfield.datasets.named.rda import Numbers, RObject, read_rda
from labelfield.io._aside import write_aside

__all__ = ["as_arff"]

ADDED = (".labelcount", ".SCUMBLE")  # by the package, to every table
PLAIN = re.compile(r"[A-Za-z0-9_.-]+")
BINARY = "{0,1}"


def as_arff(path: Path) -> None:
    """Write the data set of an .rda file beside it: rows to .arff, names of the labels to .xml.

    Rows, columns and values stay what and where they are. The ARFF file is written last, so that
    where there is one, both are whole.
    """
    columns, labels = _columns(path)
    lines = [f"<label name={quoteattr(name)}/>\n" for name in labels]
    with write_aside(path.with_suffix(".xml")) as file:
        file.writelines(["<labels>\n", *lines, "</labels>\n"])
    with write_aside(path.with_suffix(".arff")) as file:
        file.write(f"@relation {_quoted(path.stem)}\n")
        for name, numbers in columns.items():
            kind = BINARY if np.isin(numbers.values, (0, 1)).all() else "numeric"
            file.write(f"@attribute {_quoted(name)} {kind}\n")
        file.write("@data\n")
        file.writelines(_rows(_table(list(columns.values()))))


def _columns(path: Path) -> tuple[dict[str, Numbers], list[str]]:
    """Return the columns of a data set by their names, and which of them are labels."""
    found = list(read_rda(path).values())
    parts = found[0].named() if len(found) == 1 else {}
    if not {"dataset", "labels"} <= set(parts):
        raise DataFormatError(f"{path}: not one data set of the package mldr")
    columns = parts["dataset"].named()
    numbers = {name: _numbers(path, name, columns[name]) for name in columns if name not in ADDED}
    labels = parts["labels"].texts("row.names")
    if not labels or not set(labels) <= set(numbers):
        raise DataFormatError(f"{path}: its labels are not among its columns")
    if len({column.length for column in numbers.values()}) > 1:
        raise DataFormatError(f"{path}: its columns differ in length")
    return numbers, labels


def _numbers(path: Path, name: str, column: RObject) -> Numbers:
    if not isinstance(column.value, Numbers) or "levels" in column.attributes:
        raise DataFormatError(f"{path}: column {name!r} does not hold numbers")
    return column.value


def _table(columns: list[Numbers]) -> sparse.csr_matrix:
    starts = np.cumsum([0, *(len(column.at) for column in columns)])
    values = np.concatenate([column.values for column in columns])
    rows = np.concatenate([column.at for column in columns])
    shape = columns[0].length, len(columns)
    return sparse.csc_matrix((values, rows, starts), shape=shape).tocsr()


def _rows(table: sparse.csr_matrix) -> Iterator[str]:
    """Yield the rows in ARFF's sparse form, or its dense one where most entries are not 0."""
    for start, stop in zip(table.indptr, table.indptr[1:]):
        at, texts = table.indices[start:stop], [_text(v) for v in table.data[start:stop]]
        if table.nnz < table.shape[0] * table.shape[1] / 2:
            yield "{" + ",".join(f"{j} {text}" for j, text in zip(at, texts)) + "}\n"
        else:
            whole = ["0"] * table.shape[1]
            for j, text in zip(at, texts):
                whole[j] = text
            yield ",".join(whole) + "\n"


def _text(value: float) -> str:
    if np.isnan(value):
        return "?"
    return str(int(value)) if value == int(value) else repr(float(value))


def _quoted(name: str) -> str:
    return name if PLAIN.fullmatch(name) else "'" + re.sub(r"(['\\])", r"\\\1", name) + "'"
