"""Restoring files of text."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from labelfield.restore.field import RandomMixedField
from labelfield.restore.restoration import Restoration
from labelfield.restore.tables.text_table import (
    Reader,
    TextTable,
    column_kinds,
    date_writing,
    most_decimals,
    number_text,
    read_number,
    read_schema,
)

__all__ = ["restore_file"]

Cells: TypeAlias = dict[tuple[int, str], str]


def restore_file(
    table: Path,
    out: Path,
    *,
    train: Path | None = None,
    schema: Path | None = None,
    top: int = 10,
    **parameters: Any,
) -> dict[str, Any]:
    """Restore a CSV or TSV file, write the result, and sum up what was done.

    Parameters
    ----------
    table, out : path
        The dirty file, and the one to write.
    train : path, optional
        A cleaner file with the same columns; without it the field learns from the table itself.
    schema : path, optional
        JSON of column names to kinds, see `read_schema`.
    top : int, default 10
        How many corrections to list.
    **parameters
        Of `RandomMixedField`.

    Returns
    -------
    dict
        Plain data: rows, columns with their kinds and counts, filled, corrected, corrections.
    """
    dirty = TextTable.read(table)
    clean = dirty if train is None else TextTable.read(train)
    kinds = column_kinds(clean, read_schema(schema))
    used = {name: kind for name, kind in kinds.items() if kind != "ignore"}
    if not used:
        raise ValueError(f"{clean.path} has no column to learn from.")
    categorical = [j for j, kind in enumerate(used.values()) if kind == "categorical"]
    dates = {name: date_writing(clean, name) for name, kind in used.items() if kind == "date"}
    readers = {
        name: None if kind == "categorical" else dates[name].days if name in dates else read_number
        for name, kind in used.items()
    }
    model = RandomMixedField(categorical=categorical, **parameters).fit(_array(clean, readers))
    answer = model.restore(_array(dirty, readers))
    cells = {
        (row, name): text
        for j, name in enumerate(used)
        for row, text in _new_cells(
            dirty, answer, j, name, _writer(dirty, clean, name, used, dates)
        )
    }
    dirty.replaced(cells).write(out)
    columns = _counts(kinds, list(used), answer, cells)
    return {
        "rows": len(dirty.rows),
        "columns": columns,
        "filled": sum(one["filled"] for one in columns),
        "corrected": sum(one["corrected"] for one in columns),
        "corrections": _corrections(dirty, list(used), answer, cells)[:top],
        "out": str(out),
    }


def _array(table: TextTable, readers: dict[str, Reader | None]) -> np.ndarray:
    return np.array(table.values(readers), dtype=object)


def _writer(
    dirty: TextTable, clean: TextTable, name: str, kinds: dict[str, str], dates: dict[str, Any]
) -> Callable[[Any], str]:
    """How values of a column are written: numbers as finely as the finest in either table."""
    if kinds[name] == "categorical":
        return str
    if name in dates:
        return dates[name].text
    decimals = most_decimals([*dirty.column(name), *clean.column(name)])
    return lambda value: number_text(value, decimals)


def _new_cells(
    dirty: TextTable, answer: Restoration, j: int, name: str, write: Callable[[Any], str]
) -> Iterator[tuple[int, str]]:
    """Rows of a column that were filled or corrected, and what to write there.

    A correction that is too small to show is none.
    """
    before = dirty.column(name)
    for row in np.flatnonzero(answer.filled[:, j] | answer.changed[:, j]).tolist():
        text = write(answer.table[row, j])
        number = read_number(text)
        same = text == before[row].strip() if number is None else number == read_number(before[row])
        if not same:
            yield row, text


def _counts(
    kinds: dict[str, str], used: list[str], answer: Restoration, cells: Cells
) -> list[dict[str, Any]]:
    """How many cells of every column were filled and corrected."""
    written = Counter(name for _, name in cells)
    filled = dict(zip(used, answer.filled.sum(axis=0).tolist()))
    return [
        {
            "column": name,
            "kind": kind,
            "filled": filled.get(name, 0),
            "corrected": written[name] - filled.get(name, 0),
        }
        for name, kind in kinds.items()
    ]


def _corrections(
    dirty: TextTable, used: list[str], answer: Restoration, cells: Cells
) -> list[dict[str, Any]]:
    """The corrected cells, the most surprising first."""
    return [
        {
            "line": change.row + 2,
            "column": used[change.column],
            "before": dirty.rows[change.row][dirty.names.index(used[change.column])],
            "after": cells[change.row, used[change.column]],
            "surprise": change.surprise,
        }
        for change in answer.changes()
        if (change.row, used[change.column]) in cells
    ]
