"""Cells that list the labels of a row."""

import ast
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from labelfield._names import split_names

__all__ = ["read_tag_cells"]

SEPARATORS = (";", "|", ",")
_QUOTED = re.compile(r'"[^"]*"')


def read_tag_cells(
    columns: Sequence[Any], separator: str | None
) -> tuple[np.ndarray, tuple[str, ...], str]:
    """Return the indicator (n, L), the names in alphabetical order, and the separator.

    Each column is a pandas Series whose cells hold names joined by the separator, or lists; a row
    has the labels of all columns. A name that holds the separator stands in double quotes. A
    separator of None is the one among ; | and , that most cells hold.
    """
    cells = [
        [None if missing else cell for cell, missing in zip(column, column.isna())]
        for column in columns
    ]
    if separator is None:
        separator = _usual_separator([cell for column in cells for cell in column])
    sets = [set().union(*(_tags(cell, separator) for cell in row)) for row in zip(*cells)]
    names = tuple(sorted(set().union(*sets)))
    position = {name: k for k, name in enumerate(names)}
    Y = np.zeros((len(sets), len(names)), dtype=np.uint8)
    for row, tags in enumerate(sets):
        Y[row, [position[tag] for tag in tags]] = 1
    return Y, names, separator


def _usual_separator(cells: list[Any]) -> str:
    plain = [_QUOTED.sub("", cell) for cell in cells if isinstance(cell, str)]
    counts = {one: sum(one in cell for cell in plain) for one in SEPARATORS}
    usual = max(SEPARATORS, key=counts.__getitem__)
    return usual if counts[usual] else ","


def _tags(cell: Any, separator: str) -> set[str]:
    """The tags of a cell: nothing, text to be split, or a list, also one written as text."""
    if cell is None:
        return set()
    if isinstance(cell, str) and cell.startswith("[") and cell.endswith("]"):
        cell = _written_list(cell)
    listed = cell if isinstance(cell, list | np.ndarray) else _split(str(cell), separator)
    return {str(tag).strip() for tag in listed} - {""}


def _written_list(cell: str) -> Any:
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return cell


def _split(cell: str, separator: str) -> list[str]:
    if '"' not in cell or len(separator) > 1:
        return cell.split(separator)
    try:
        return split_names(cell, separator)
    except ValueError:  # a quote that belongs to a name, as in 5" disc
        return cell.split(separator)
