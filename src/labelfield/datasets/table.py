"""Tables in CSV or Parquet: labels in named columns, or in one column of tags."""

from collections.abc import Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path

import numpy as np

from labelfield._exceptions import DataFormatError
from labelfield.datasets._arff_header import shown
from labelfield.datasets.dataset import Dataset

__all__ = ["read_table"]

_CODES = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0, "true": 1.0, "false": 0.0}


def read_table(
    path: str | PathLike[str],
    *,
    labels: Sequence[str] | None = None,
    tags: str | None = None,
    tag_separator: str = ",",
    drop: Sequence[str] = (),
    separator: str = ",",
    as_frame: bool = True,
) -> Dataset:
    """Read a CSV or Parquet file with one row an example.

    Parameters
    ----------
    path : path
        A file ending in .parquet or .pq, or else CSV with a header line, plain or packed.
    labels : sequence of str or None
        The label columns; each holds 0, 1, true, false, or nothing for unknown.
    tags : str or None
        Instead: the one column that lists the labels of a row, such as "sun,sea". An empty
        cell means no label.
    tag_separator : str, default ","
        What stands between two tags.
    drop : sequence of str
        Columns to leave out, such as row identifiers.
    separator : str, default ","
        What stands between two cells of a CSV file.
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
        If the file cannot be read, or a label cell holds something else; the message names
        the row (the first below the header is row 1).

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
    if (labels is None) == (tags is None):
        raise ValueError("Give either labels= (label columns) or tags= (one column of tags).")
    if isinstance(labels, str):
        raise ValueError(f"labels must be a list of column names; got the text {labels!r}.")
    frame = _read_frame(Path(path), separator)
    taken = [tags] if labels is None else list(labels)
    for name in [*taken, *drop]:
        _refuse_unknown(path, name, list(frame.columns))
    if labels is None:
        Y, names = _tag_indicator(frame[tags].tolist(), tag_separator)
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


def _read_frame(path: Path, separator: str):
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("Tables need pandas: pip install 'labelfield[frames]'.") from error
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        if path.suffix in (".parquet", ".pq"):
            frame = pd.read_parquet(path)
        else:
            frame = pd.read_csv(path, sep=separator, encoding="utf-8", index_col=False)
    except ImportError:
        raise
    except (ValueError, OSError, EOFError, Warning) as error:
        raise DataFormatError(f"{path}: not a readable table ({error})") from error
    names = [str(name) for name in frame.columns]
    frame.columns = names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataFormatError(f"{path}, line 1: two columns are called {shown(twice)}")
    if not len(frame):
        raise DataFormatError(f"{path}: the table has no row")
    return frame


def _label_columns(path, frame, names: list[str]) -> np.ndarray:
    """Label columns as an indicator (n, L)."""
    Y = np.empty((len(frame), len(names)))
    for k, name in enumerate(names):
        cells = frame[name].tolist()
        codes = {cell: _code(cell) for cell in set(cells) if cell == cell and cell is not None}
        for row, cell in enumerate(cells, 1):
            if codes.get(cell, 0.0) is None:
                raise DataFormatError(
                    f"{path}, row {row}: label {shown(name)} is {shown(str(cell))}; "
                    "it must be 0, 1, true, false or empty"
                )
        Y[:, k] = [codes.get(cell, np.nan) for cell in cells]
    return Y if np.isnan(Y).any() else Y.astype(np.uint8)


def _code(cell) -> float | None:
    text = str(cell).strip().lower()
    return np.nan if text == "" else _CODES.get(text)


def _tag_indicator(cells: list, separator: str) -> tuple[np.ndarray, tuple[str, ...]]:
    sets = [
        set() if cell is None or cell != cell else _tags(str(cell), separator) for cell in cells
    ]
    names = tuple(sorted(set().union(*sets)))
    position = {name: k for k, name in enumerate(names)}
    Y = np.zeros((len(sets), len(names)), dtype=np.uint8)
    for row, tags in enumerate(sets):
        Y[row, [position[tag] for tag in tags]] = 1
    return Y, names


def _tags(text: str, separator: str) -> set[str]:
    return {tag.strip() for tag in text.split(separator)} - {""}


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
