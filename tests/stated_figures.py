"""Figures that a document states, against those of the stored cells."""

import re
from dataclasses import dataclass
from functools import cache

import pytest

from lab import Store, get_table, summarize

__all__ = ["OWN", "PRINTED", "Stated", "check", "numbers"]

OWN, PRINTED = "ours", "published"


@dataclass(frozen=True)
class Stated:
    """A figure in the line with `place`: of a table, its column, row and measure."""

    place: str
    shown: str
    id: str
    column: str
    row: str
    metric: str
    whose: str = OWN

    def __str__(self) -> str:
        return f"{self.place} {self.shown}"


def numbers(text):
    return re.findall(r"\d*\.\d+", text)


@cache
def summary(id):
    return summarize(get_table(id), Store())


def check(stated, lines):
    """Check that one of the lines states the figure, and that the cells have it."""
    (line,) = [line for line in lines if stated.place in line]
    assert stated.shown in numbers(line)
    (column,) = [one for one in summary(stated.id)["columns"] if one["title"] == stated.column]
    (row,) = [one for one in column["rows"] if one["title"] == stated.row]
    given = row["figures"][stated.metric][stated.whose]
    done, total = row["cells"]
    if given is None or (stated.whose == OWN and done < total):
        pytest.skip(f"{done} of {total} cells of {stated.id}, {stated.row} are stored")
    digits = len(stated.shown.partition(".")[2])
    assert f"{given['mean']:.{digits}f}".removeprefix("0") == stated.shown
