"""Figures that a document states, against those of the stored cells."""

import re
from dataclasses import dataclass

import numpy as np
from lab.cells import row_cells
from lab.runner import is_finished

from lab import Store, get_table
from labelfield.evaluation.answers import OWN

__all__ = ["Stated", "check", "numbers"]

STORE = Store()


@dataclass(frozen=True)
class Stated:
    """A figure in the line with `place`: of a table, its column, row and measure.

    `printed` says that it is the document's. The table has it times `unit`.
    """

    place: str
    shown: str
    id: str
    column: str
    row: str
    metric: str
    printed: bool = False
    unit: float = 1.0

    def __str__(self) -> str:
        return f"{self.place} {self.shown}"


def numbers(text):
    return re.findall(r"\d*\.\d+", text)


def check(stated, lines):
    """Check that one of the lines states the figure, and that the print or the cells have it."""
    (line,) = [line for line in lines if stated.place in line]
    assert stated.shown in numbers(line)
    digits = len(stated.shown.partition(".")[2])
    given = published(stated) if stated.printed else computed(stated)
    assert f"{given / stated.unit:.{digits}f}".removeprefix("0") == stated.shown


def published(stated):
    return get_table(stated.id).published[stated.column, stated.row, stated.metric].mean


def computed(stated):
    """Return the mean over the cells of the row, all of which must be there."""
    table = get_table(stated.id)
    (column,) = [one for one in table.columns if one.title == stated.column]
    (row,) = [one for one in table.methods if one.title == stated.row]
    cells = row_cells(table, column, row)
    records = [record for cell in cells if is_finished(record := STORE.read(cell.key))]
    assert len(records) == len(cells), "a figure is stated that not all of its cells are there for"
    return table.unit * np.mean(
        [one["figures"][row.decoder or OWN][stated.metric] for one in records]
    )
