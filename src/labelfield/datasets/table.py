"""Tables in CSV or Parquet: labels in named columns, or in one column of tags."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from labelfield._exceptions import DataFormatError
from labelfield.datasets._arff.header import shown
from labelfield.datasets._format import Format
from labelfield.datasets._frames import read_csv_frame, read_parquet_frame
from labelfield.datasets._source import file_ending
from labelfield.datasets.dataset import Dataset

__all__ = ["CSV_FORMAT", "PARQUET_FORMAT", "read_table"]

PARQUET_ENDINGS = (".parquet", ".pq")
_CODES = {"": np.nan, "0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0, "true": 1.0, "false": 0.0}


def read_table(
    path: str | PathLike[str],
    *,
    labels: Sequence[str] | None = None,
    label_prefix: str | None = None,
    tags: str | None = None,
    tag_separator: str = ",",
    drop: Sequence[str] = (),
    separator: str | None = None,
    as_frame: bool = True,
) -> Dataset:
    """Read a CSV or Parquet file with one row an example.

    Parameters
    ----------
    path : path
        A file ending in .parquet or .pq, or else CSV with a header line, plain or packed (.gz,
        .bz2, .xz, .zip).
    labels : sequence of str or None
        The label columns; each holds 0, 1, true, false, or nothing for unknown.
    label_prefix : str or None
        Instead: the label columns are those whose names start with this.
    tags : str or None
        Instead: the one column that lists the labels of a row, such as "sun,sea". An empty
        cell means no label.
    tag_separator : str, default ","
        What stands between two tags.
    drop : sequence of str
        Columns to leave out, such as row identifiers.
    separator : str or None
        What stands between two cells of a CSV file; None is a tab in .tsv files, else a comma.
    as_frame : bool, default True
        Whether X is a pandas frame with its own column types, or a float array.

    Returns
    -------
    Dataset
        Y is uint8 (n, L), or float with NaN where a label is unknown. Tags are labels in
        alphabetical order.

    Raises
    ------
    DataFormatError
        If the file cannot be read, two columns have one name, a row is shorter or longer than
        the header, or a label cell holds something else; the message names the line, or the
        row (the first below the header is row 1).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from labelfield.datasets import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.csv")
    ...     _ = path.write_text("size,tags" + chr(10) + '3,"sun,sea"' + chr(10) + "4," + chr(10))
    ...     data = read_table(path, tags="tags")
    >>> data.label_names, data.Y.tolist()
    (('sea', 'sun'), [[1, 1], [0, 0]])
    """
    if sum(choice is not None for choice in (labels, label_prefix, tags)) != 1:
        raise ValueError(
            "Give one of labels= (label columns), label_prefix= (what their names start with) and "
            "tags= (one column of tags)."
        )
    for argument, given in {"labels": labels, "drop": drop}.items():
        if isinstance(given, str):
            raise ValueError(f"{argument} must be a list of column names; got the text {given!r}.")
    if not tag_separator:
        raise ValueError("tag_separator must not be empty.")
    ending = file_ending(path)
    if ending in PARQUET_ENDINGS:
        frame = read_parquet_frame(path)
    else:
        default = "\t" if ending == ".tsv" else ","
        as_text = [] if tags is None else [tags]
        frame = read_csv_frame(path, default if separator is None else separator, as_text)
    columns = list(frame.columns)
    taken = [tags] if tags is not None else _chosen_labels(path, columns, labels, label_prefix)
    for name in [*taken, *drop]:
        _refuse_unknown(path, name, columns)
    if tags is not None:
        Y, names = _tag_indicator(frame[tags], tag_separator)
    else:
        Y, names = _label_columns(path, frame, taken), tuple(taken)
    X = frame.drop(columns=[*taken, *drop])
    return Dataset(
        X if as_frame else _numbers(path, X),
        Y,
        tuple(str(name) for name in X.columns),
        names,
        name=Path(path).name.split(".")[0],
        description=f"Read from the table {Path(path).name}.",
    )


def _chosen_labels(path, columns: list[str], labels, prefix: str | None) -> list[str]:
    if prefix is None:
        for name in labels:
            if list(labels).count(name) > 1:
                raise ValueError(f"labels names the column {name!r} twice.")
        return list(labels)
    starting = [name for name in columns if name.startswith(prefix)]
    if not starting:
        raise DataFormatError(f"{path}, line 1: no column starts with {shown(prefix)}")
    return starting


def _label_columns(path, frame, names: list[str]) -> np.ndarray:
    """Label columns as an indicator (n, L)."""
    Y = np.empty((len(frame), len(names)))
    for k, name in enumerate(names):
        cells, missing = frame[name].tolist(), frame[name].isna().tolist()
        Y[:, k] = [np.nan if hole else _code(cell) for cell, hole in zip(cells, missing)]
        wrong = np.isinf(Y[:, k])
        if wrong.any():
            row = int(wrong.argmax())
            raise DataFormatError(
                f"{path}, row {row + 1}: label {shown(name)} is {shown(str(cells[row]))}; it must "
                "be 0, 1, true, false or empty"
            )
    return Y if np.isnan(Y).any() else Y.astype(np.uint8)


def _code(cell) -> float:
    """0 or 1, NaN for an empty cell, infinity for anything else."""
    return _CODES.get(str(cell).strip().lower(), np.inf)


def _tag_indicator(column, separator: str) -> tuple[np.ndarray, tuple[str, ...]]:
    sets = [
        set() if missing else _tags(cell, separator)
        for cell, missing in zip(column.tolist(), column.isna().tolist())
    ]
    names = tuple(sorted(set().union(*sets)))
    position = {name: k for k, name in enumerate(names)}
    Y = np.zeros((len(sets), len(names)), dtype=np.uint8)
    for row, tags in enumerate(sets):
        Y[row, [position[tag] for tag in tags]] = 1
    return Y, names


def _tags(cell, separator: str) -> set[str]:
    """The tags of a cell: text to be split, or a list as Parquet may hold it."""
    listed = cell if isinstance(cell, list | np.ndarray) else str(cell).split(separator)
    return {str(tag).strip() for tag in listed} - {""}


def _numbers(path, X) -> np.ndarray:
    import pandas as pd

    for name in X.columns:
        if not pd.api.types.is_numeric_dtype(X[name].dtype):
            raise DataFormatError(
                f"{path}: column {shown(name)} is not numeric; keep as_frame=True and encode it, "
                "or drop it"
            )
    return X.to_numpy(dtype=float, na_value=np.nan)


def _refuse_unknown(path, name: str, columns: list[str]) -> None:
    if name not in columns:
        near = get_close_matches(str(name), columns, n=3)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise DataFormatError(f"{path}, line 1: no column is called {shown(str(name))}{hint}")


def _labels_like(notes) -> dict[str, Any]:
    if "tag_column" in notes:
        return {"tags": notes["tag_column"], "tag_separator": notes["tag_separator"]}
    return {"labels": notes["label_names"]}


PARQUET_FORMAT = Format(
    "Parquet files",
    PARQUET_ENDINGS,
    read_table,
    options={
        "label_columns": "labels",
        "label_prefix": "label_prefix",
        "tag_column": "tags",
        "tag_separator": "tag_separator",
        "drop": "drop",
    },
    label_options=("label_columns", "label_prefix", "tag_column"),
    needs_labels=True,
    unlabelled={"labels": []},
    labels_like=_labels_like,
)
CSV_FORMAT = replace(
    PARQUET_FORMAT,
    name="CSV files",
    endings=(".csv", ".tsv"),
    options={**PARQUET_FORMAT.options, "separator": "separator"},
)
