"""Tables in CSV, JSON lines or Parquet: labels in named columns, or in columns of tags."""

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
from labelfield.datasets._frames import read_csv_frame, read_json_frame, read_parquet_frame
from labelfield.datasets._source import file_ending
from labelfield.datasets._tag_cells import read_tag_cells
from labelfield.datasets.dataset import Dataset

__all__ = ["CSV_FORMAT", "JSON_FORMAT", "PARQUET_FORMAT", "read_table"]

PARQUET_ENDINGS = (".parquet", ".pq")
JSON_ENDINGS = (".jsonl", ".ndjson")
_CODES = {"": np.nan, "0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0, "true": 1.0, "false": 0.0}


def read_table(
    path: str | PathLike[str],
    *,
    labels: Sequence[str] | None = None,
    label_prefix: str | None = None,
    tags: str | Sequence[str] | None = None,
    tag_separator: str | None = None,
    drop: Sequence[str] = (),
    as_text: Sequence[str] = (),
    separator: str | None = None,
    header: bool = True,
    as_frame: bool = True,
) -> Dataset:
    """Read a CSV, JSON lines or Parquet file with one row an example.

    Parameters
    ----------
    path : path
        A file ending in .parquet or .pq, .jsonl or .ndjson (an object a line), or else CSV, plain
        or packed (.gz, .bz2, .xz, .zip).
    labels : sequence of str or None
        The label columns; each holds 0, 1, true, false, or nothing for unknown.
    label_prefix : str or None
        Instead: the label columns are those whose names start with this.
    tags : str, sequence of str or None
        Instead: the column or columns that list the labels of a row, such as "sun,sea". An empty
        cell means no label; a tag that holds the separator stands in double quotes.
    tag_separator : str or None
        What stands between two tags; None takes the one of ; | and , that most cells hold.
    drop : sequence of str
        Columns to leave out.
    as_text : sequence of str
        Columns that are text even if they look like numbers, such as "007".
    separator : str or None
        What stands between two cells of a CSV file; None is a tab in .tsv files, else a comma or,
        where the first line has none, the semicolon, tab or bar that it has.
    header : bool, default True
        Whether the first line of a CSV file names the columns; they are called 1, 2, ... if not.
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
    lists = {"labels": labels, "drop": drop, "as_text": as_text}
    for argument, given in lists.items():
        if isinstance(given, str):
            raise ValueError(f"{argument} must be a list of column names; got the text {given!r}.")
    if tag_separator is not None and not tag_separator:
        raise ValueError("tag_separator must not be empty.")
    tagged = [tags] if isinstance(tags, str) else list(tags or ())
    frame = _read_frame(path, separator, tagged, list(as_text), header)
    columns = list(frame.columns)
    taken = tagged or _chosen_labels(path, columns, labels, label_prefix)
    for name in [*taken, *drop]:
        _refuse_unknown(path, name, columns)
    reading: dict[str, Any] = {}
    if tagged:
        Y, names, found = read_tag_cells([frame[name] for name in tagged], tag_separator)
        reading = {"tags": tagged, "tag_separator": found}
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
        reading=reading,
    )


def _read_frame(path, separator: str | None, tagged: list[str], as_text: list[str], header: bool):
    ending = file_ending(path)
    if ending in PARQUET_ENDINGS:
        return read_parquet_frame(path)
    if ending in JSON_ENDINGS:
        return read_json_frame(path)
    if ending == ".tsv" and separator is None:
        separator = "\t"
    return read_csv_frame(path, separator, as_written=tagged, as_text=as_text, header=header)


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
    return dict(notes.get("reading") or {"labels": notes["label_names"]})


PARQUET_FORMAT = Format(
    "Parquet files",
    PARQUET_ENDINGS,
    read_table,
    options={
        "label_columns": "labels",
        "label_prefix": "label_prefix",
        "tags": "tags",
        "tag_separator": "tag_separator",
        "drop": "drop",
    },
    label_options=("label_columns", "label_prefix", "tags"),
    needs_labels=True,
    unlabelled={"labels": []},
    labels_like=_labels_like,
    is_table=True,
)
JSON_FORMAT = replace(PARQUET_FORMAT, name="JSON lines", endings=JSON_ENDINGS)
CSV_FORMAT = replace(
    PARQUET_FORMAT,
    name="CSV files",
    endings=(".csv", ".tsv"),
    options={**PARQUET_FORMAT.options, "sep": "separator", "header": "header"},
)
