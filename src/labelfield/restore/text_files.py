"""Restoring files of text."""

from pathlib import Path
from typing import Any

import numpy as np

from labelfield.restore.field import RandomMixedField
from labelfield.restore.tables.text_table import TextTable, column_kinds, read_schema

__all__ = ["restore_file"]


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
        A cleaner file with the same columns; without it the table teaches itself.
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
    used = [name for name, kind in kinds.items() if kind != "ignore"]
    if not used:
        raise ValueError(f"{clean.path} has no column to learn from.")
    categorical = [j for j, name in enumerate(used) if kinds[name] == "categorical"]
    model = RandomMixedField(categorical=categorical, **parameters).fit(_array(clean, kinds))
    answer = model.restore(_array(dirty, kinds))
    cells = _new_cells(clean, answer, used, kinds)
    dirty.replaced(cells).write(out)
    filled, changed = answer.filled.sum(axis=0), answer.changed.sum(axis=0)
    return {
        "rows": len(dirty.rows),
        "columns": [
            {"column": name, "kind": kind, **_counts(name, used, filled, changed)}
            for name, kind in kinds.items()
        ],
        "filled": int(filled.sum()),
        "corrected": int(changed.sum()),
        "corrections": [
            {
                "line": change.row + 2,
                "column": used[change.column],
                "before": dirty.column(used[change.column])[change.row],
                "after": cells[change.row, used[change.column]],
                "surprise": change.surprise,
            }
            for change in answer.changes(top)
        ],
        "out": str(out),
    }


def _array(table: TextTable, kinds: dict[str, str]) -> Any:
    return np.array(table.values(kinds), dtype=object)


def _counts(name: str, used: list[str], filled: Any, changed: Any) -> dict[str, int]:
    if name not in used:
        return {"filled": 0, "corrected": 0}
    j = used.index(name)
    return {"filled": int(filled[j]), "corrected": int(changed[j])}


def _new_cells(
    clean: TextTable, answer: Any, used: list[str], kinds: dict[str, str]
) -> dict[tuple[int, str], str]:
    """Text of every cell that was filled or corrected; whole-number columns stay whole."""
    cells = {}
    for j, name in enumerate(used):
        whole = kinds[name] == "numeric" and not any("." in cell for cell in clean.column(name))
        for row in (answer.filled[:, j] | answer.changed[:, j]).nonzero()[0]:
            value = answer.table[row, j]
            if kinds[name] == "numeric":
                value = f"{round(value)}" if whole else f"{value:.6g}"
            cells[int(row), name] = value
    return cells
