"""The four UCI tables of the restoration experiments: adult, crx, australian, german."""

from dataclasses import dataclass
from os import PathLike

import numpy as np

from labelfield.datasets._arff.header import NUMBER, shown
from labelfield.datasets._source import Source, read_source
from labelfield.datasets.named.download import public_folder
from labelfield.datasets.named.folders import find_file, folder_of
from labelfield.restore.data.mixed_table import MixedTable

__all__ = ["UCI_TABLES", "UciTable", "load_mixed_table", "read_uci_table"]

_ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race "
    "sex capital-gain capital-loss hours-per-week native-country"
)
_GERMAN = (
    "status duration history purpose amount savings employment rate personal guarantors "
    "residence property age plans housing credits job dependants telephone foreign"
)

_MISSING = {"NA": "?"}


@dataclass(frozen=True)
class UciTable:
    """How the file of a UCI table is laid out; the class is the last column."""

    columns: tuple[str, ...]
    continuous: frozenset[str]
    separator: str | None
    classes: tuple[str, ...]
    files: tuple[str, ...]


def _layout(columns, continuous, separator, classes, *files):
    names = tuple(columns.split())
    return UciTable(names, frozenset(names[k - 1] for k in continuous), separator, classes, files)


UCI_TABLES = {
    "adult": _layout(
        _ADULT, (1, 3, 5, 11, 12, 13), ",", ("<=50K", ">50K"), "adult.data", "adult.test"
    ),
    "crx": _layout(
        " ".join(f"A{k}" for k in range(1, 16)), (2, 3, 8, 11, 14, 15), ",", ("+", "-"), "crx.data"
    ),
    "australian": _layout(
        " ".join(f"A{k}" for k in range(1, 15)),
        (2, 3, 7, 10, 13, 14),
        None,
        ("0", "1"),
        "australian.dat",
    ),
    "german": _layout(_GERMAN, (2, 5, 8, 11, 13, 16, 18), None, ("1", "2"), "german.data"),
}


def load_mixed_table(name: str, split: str | None = None) -> MixedTable:
    """Load adult, crx, australian or german, from LABELFIELD_DATA or as fetched before.

    Parameters
    ----------
    name : {"adult", "crx", "australian", "german"}
    split : {None, "train", "test"}, default None
        As in `read_uci_table`.

    Returns
    -------
    MixedTable

    Examples
    --------
    >>> from labelfield.restore import load_mixed_table
    >>> load_mixed_table("scene")
    Traceback (most recent call last):
        ...
    ValueError: 'scene' is not one of the tables adult, crx, australian, german.
    """
    key = str(name).lower()
    if key not in UCI_TABLES:
        raise ValueError(f"{name!r} is not one of the tables {', '.join(UCI_TABLES)}.")
    folder = folder_of(key) or public_folder(key)
    if folder is None:
        raise FileNotFoundError(
            f"No folder {key!r} was found. `labelfield datasets fetch {key}` downloads the table; "
            "or put its files into such a folder, and name the folder above it in LABELFIELD_DATA."
        )
    paths = [find_file(folder, file) for file in UCI_TABLES[key].files]
    for path, file in zip(paths, UCI_TABLES[key].files, strict=True):
        if path is None:
            raise FileNotFoundError(f"{folder} lacks the file {file}.")
    return read_uci_table(key, *paths, split=split)


def read_uci_table(name: str, *paths: str | PathLike[str], split: str | None = None) -> MixedTable:
    """Read a UCI table with mixed columns from its original file or files.

    Parameters
    ----------
    name : {"adult", "crx", "australian", "german"}
        Which layout the file has. "crx" is the table called Credit in the thesis.
    *paths : path
        The file; for adult the training file and the test file. May be .gz or .bz2.
    split : {None, "train", "test"}, default None
        The protocol of Q. Li's thesis, table 2.1. Training rows are the first two thirds
        (adult: the first file). Test rows are the rest, without those that lack a
        categorical value. None gives every row.

    Returns
    -------
    MixedTable
        A cell `?` or `NA` (which some copies of australian have) is missing. The states of
        a column are those of the whole table, sorted, so that both parts agree.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from labelfield.restore import read_uci_table
    >>> row = "b,30.83,0,u,g,w,v,1.25,t,t,01,f,g,00202,0,+"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "crx.data")
    ...     _ = path.write_text(row + chr(10) + row.replace("b,30.83", "a,?") + chr(10))
    ...     read_uci_table("crx", path)
    MixedTable('crx', n=2, 6 continuous, 9 categorical, 1 missing)
    """
    if name not in UCI_TABLES:
        raise ValueError(f"name must be one of {', '.join(UCI_TABLES)}; got {name!r}.")
    layout = UCI_TABLES[name]
    if len(paths) != len(layout.files):
        raise ValueError(f"{name} needs the files {', '.join(layout.files)}; got {len(paths)}.")
    if split not in (None, "train", "test"):
        raise ValueError(f"split must be None, 'train' or 'test'; got {split!r}.")
    parts = [_rows(read_source(path), layout) for path in paths]
    table = _assembled(name, layout, [row for part in parts for row in part])
    n = len(table.target)
    n_train = len(parts[0]) if len(parts) > 1 else round(2 * n / 3)
    if split == "train":
        return table.take(slice(0, n_train))
    if split == "test":
        kept = (table.categorical >= 0).all(axis=1)
        kept[:n_train] = False
        return table.take(kept)
    return table


def _rows(source: Source, layout: UciTable) -> list[list[str]]:
    """Rows of text cells, class last, checked against the layout."""
    rows, lines = [], []
    width = len(layout.columns) + 1
    for number, line in enumerate(source.raw.decode("utf-8").split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("|"):
            continue
        cells = [_MISSING.get(cell, cell) for cell in map(str.strip, line.split(layout.separator))]
        if len(cells) != width:
            raise source.error(number, f"{len(cells)} values where the table has {width}")
        cells[-1] = cells[-1].removesuffix(".")
        rows.append(cells)
        lines.append(number)
    if not rows:
        raise source.error(source.last_line, "no row in this file")
    for name, column in zip((*layout.columns, None), zip(*rows, strict=True), strict=True):
        if name is None:
            bad = set(column) - set(layout.classes)
            problem = f"is not one of the classes {layout.classes}"
        elif name in layout.continuous:
            bad = {cell for cell in set(column) if cell != "?" and not NUMBER.fullmatch(cell)}
            problem = f"is not a number, for column {name}"
        else:
            continue
        if bad:
            row = next(i for i, cell in enumerate(column) if cell in bad)
            raise source.error(lines[row], f"{shown(column[row])} {problem}")
    return rows


def _assembled(name: str, layout: UciTable, rows: list[list[str]]) -> MixedTable:
    *columns, classes = zip(*rows, strict=True)
    by_name = dict(zip(layout.columns, columns, strict=True))
    continuous = [c for c in layout.columns if c in layout.continuous]
    categorical = [c for c in layout.columns if c not in layout.continuous]
    numbers = [[np.nan if x == "?" else float(x) for x in by_name[c]] for c in continuous]
    states = [tuple(sorted(set(by_name[c]) - {"?"})) for c in categorical]
    codes = [_positions(by_name[c], s) for c, s in zip(categorical, states, strict=True)]
    return MixedTable(
        np.array(numbers).T,
        np.array(codes).T,
        tuple(states),
        tuple(continuous),
        tuple(categorical),
        target=np.array(_positions(classes, layout.classes)),
        class_names=layout.classes,
        name=name,
        columns=layout.columns,
    )


def _positions(column, states: tuple[str, ...]) -> list[int]:
    position = {state: k for k, state in enumerate(states)} | {"?": -1}
    return [position[cell] for cell in column]
