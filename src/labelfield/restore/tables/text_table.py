"""Tables of text: cells stay as they were written unless they are replaced."""

import csv
import io
import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from labelfield.datasets._source import read_source
from labelfield.io._aside import write_aside
from labelfield.io._inputs import read_input
from labelfield.restore.tables.written_dates import DateWriting

__all__ = [
    "KINDS",
    "Reader",
    "TextTable",
    "column_kinds",
    "date_writing",
    "most_decimals",
    "number_text",
    "read_number",
    "read_schema",
]

KINDS = ("numeric", "categorical", "date", "ignore")
MISSING = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"})
MOSTLY_NUMBERS = 0.9
MANY_STATES = 100
LONGEST_DECIMALS = 12
LARGEST_PLAIN = 1e15
MAX_SCHEMA_BYTES = 2**22

Reader = Callable[[str], float | None]


@dataclass(frozen=True)
class TextTable:
    """The cells of a CSV or TSV file as text, row by row, with their header."""

    path: Path
    names: list[str]
    rows: list[list[str]]

    @classmethod
    def read(cls, path: Path) -> "TextTable":
        """Read a file with a header line; .tsv is separated by tabs."""
        text = io.StringIO(read_source(path, keep_line_ends=True).raw.decode("utf-8"), newline="")
        try:
            lines = [line for line in csv.reader(text, delimiter=_separator(path)) if line]
        except csv.Error as error:
            raise ValueError(f"{path} is not a readable table: {error}.") from None
        if len(lines) < 2:
            raise ValueError(f"{path} needs a header line and at least one row.")
        names, *rows = lines
        if len(set(names)) < len(names):
            raise ValueError(f"{path}: two columns have the same name in {names}.")
        for number, row in enumerate(rows, 2):
            if len(row) != len(names):
                raise ValueError(
                    f"{path}, line {number}: {len(row)} values where the header has {len(names)}."
                )
        return cls(path, names, rows)

    def column(self, name: str) -> list[str]:
        """The cells of a column."""
        if name not in self.names:
            raise ValueError(f"{self.path} has no column {name!r}; it has {', '.join(self.names)}.")
        position = self.names.index(name)
        return [row[position] for row in self.rows]

    def known(self, name: str) -> dict[int, str]:
        """The cells of a column that are not missing, by row."""
        cells = {row: cell.strip() for row, cell in enumerate(self.column(name))}
        return {row: cell for row, cell in cells.items() if cell not in MISSING}

    def values(self, readers: dict[str, Reader | None]) -> list[list[Any]]:
        """Cells of some columns, None where missing: as read, or text where there is no reader."""
        columns = []
        for name, read in readers.items():
            cells: list[Any] = [None] * len(self.rows)
            for row, cell in self.known(name).items():
                cells[row] = cell if read is None else read(cell)
                if cells[row] is None:
                    raise ValueError(
                        f"{self.path}, line {row + 2}: {cell!r} in the column {name!r}, whose "
                        "other cells are numbers or dates."
                    )
            columns.append(cells)
        return [list(row) for row in zip(*columns)]

    def replaced(self, cells: dict[tuple[int, str], str]) -> "TextTable":
        """A copy with other text in the cells at (row, column name)."""
        rows = [list(row) for row in self.rows]
        for (row, name), text in cells.items():
            rows[row][self.names.index(name)] = text
        return TextTable(self.path, self.names, rows)

    def write(self, path: Path) -> None:
        """Write the table as CSV, or as TSV by the name of the file."""
        with write_aside(path, newline="") as file:
            writer = csv.writer(file, delimiter=_separator(path), lineterminator="\n")
            writer.writerow(self.names)
            writer.writerows(self.rows)


def read_schema(path: Path | None) -> dict[str, str]:
    """Kinds of columns from a JSON object of names to numeric, categorical, date or ignore."""
    if path is None:
        return {}
    try:
        schema = json.loads(read_input(path, MAX_SCHEMA_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"--schema {path}: {error}.") from None
    if not isinstance(schema, dict):
        raise ValueError(f"--schema {path} must hold one JSON object of column names to kinds.")
    for name, kind in schema.items():
        if kind not in KINDS:
            raise ValueError(f"--schema: {name!r} is {kind!r}; kinds are {', '.join(KINDS)}.")
    return schema


def column_kinds(table: TextTable, schema: dict[str, str]) -> dict[str, str]:
    """Kind of every column: as the schema says, else by what its cells look like."""
    for name in schema:
        table.column(name)
    return {name: schema.get(name) or _inferred(table, name) for name in table.names}


def _inferred(table: TextTable, name: str) -> str:
    known = table.known(name)
    text = {row: cell for row, cell in known.items() if not _is_number(cell)}
    if not known:
        return "ignore"
    if not text:
        return "numeric"
    if len(text) < (1 - MOSTLY_NUMBERS) * len(known):
        row, cell = next(iter(text.items()))
        raise ValueError(
            f"{table.path}, line {row + 2}: column {name!r} holds numbers, but here {cell!r}; "
            "mend the cell, or give the column's kind in --schema."
        )
    if DateWriting.of(known.values()) is not None:
        return "date"
    states = len(set(known.values()))
    return "ignore" if states > min(MANY_STATES, len(known) / 2) else "categorical"


def date_writing(table: TextTable, name: str) -> DateWriting:
    """How the dates of a column are written."""
    writing = DateWriting.of(table.known(name).values())
    if writing is None:
        raise ValueError(
            f"{table.path}: the cells of column {name!r} are no dates written in one way; mend "
            "them, or give another kind in --schema."
        )
    return writing


def read_number(cell: str) -> float | None:
    """The finite number that a cell holds, or None.

    Examples
    --------
    >>> from labelfield.restore.tables.text_table import read_number
    >>> read_number("15e-3"), read_number("1_000"), read_number("inf")
    (0.015, None, None)
    """
    if "_" in cell:  # which Python reads, and nobody writes into a table
        return None
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def most_decimals(cells: Iterable[str]) -> int:
    """Decimals of the number that is written most finely, 0 if all are whole.

    Examples
    --------
    >>> from labelfield.restore.tables.text_table import most_decimals
    >>> most_decimals(["12", "?", "1.50"]), most_decimals(["15e-3"]), most_decimals(["1.5e3"])
    (2, 3, 0)
    """
    numbers = (cell.strip() for cell in cells)
    exponents = [Decimal(cell).as_tuple().exponent for cell in numbers if _is_number(cell)]
    return max(0, -min(exponents, default=0))


def number_text(value: float, decimals: int) -> str:
    """A number as text; in full where that many decimals or digits nobody could read.

    Examples
    --------
    >>> from labelfield.restore.tables.text_table import number_text
    >>> number_text(11.46, 1), number_text(-0.2, 0), number_text(1.5e-20, 21)
    ('11.5', '0', '1.5e-20')
    """
    if decimals > LONGEST_DECIMALS or abs(value) >= LARGEST_PLAIN:
        return repr(float(value))
    return f"{round(float(value), decimals) + 0.0:.{decimals}f}"  # never "-0"


def _is_number(cell: str) -> bool:
    return read_number(cell) is not None


def _separator(path: Path) -> str:
    return "\t" if path.suffix == ".tsv" else ","
