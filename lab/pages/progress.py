"""How much of the tables is done, and how long the rest would take."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from lab.cells import Cell, cells_of
from lab.pages.status import status
from lab.published import TABLES
from lab.runner import is_finished, is_stale
from lab.store import Store
from lab.table import Table

__all__ = [
    "Estimates",
    "Tally",
    "cheapest_first",
    "is_complete",
    "list_progress",
    "number_reasons",
    "outdated",
    "tally",
]


@dataclass(frozen=True)
class Tally:
    """Cells of a table: how many there are, are done, were made by other code, or have failed.

    `stopped` cells ran out of the time they were given.

    `seconds_left` is about the CPU time of those to be done, as far as cells like them are stored;
    `unknown` counts the others. `without_data` cells wait for a file.
    """

    total: int
    done: int
    stale: int
    failed: int
    stopped: int
    without_data: int
    seconds_left: float
    unknown: int

    def __str__(self) -> str:
        words = f"done {self.done} of {self.total} cells"
        more = [
            ("stale", self.stale),
            ("failed", self.failed),
            ("stopped by a time limit", self.stopped),
            ("without data", self.without_data),
        ]
        told = ", ".join(f"{count} {what}" for what, count in more if count)
        return f"{words} ({told})" if told else words


def tally(table: Table, store: Store, estimates: "Estimates | None" = None) -> Tally:
    """Count the cells of a table.

    Examples
    --------
    >>> from lab import Store, get_table
    >>> from lab.pages.progress import tally
    >>> str(tally(get_table("qli2017-fig3.1"), Store("nowhere")))
    'done 0 of 288 cells'
    """
    done, to_do = [], []
    for cell in cells_of(table):
        record = store.read(cell.key)
        (done if is_finished(record) else to_do).append((cell, record))
    ready = [cell for cell, _ in to_do if not cell.source.missing()]
    estimates = estimates or Estimates(store)
    guesses = [estimates.seconds(cell) for cell in ready]
    return Tally(
        total=len(done) + len(to_do),
        done=len(done),
        stale=sum(is_stale(cell, record) for cell, record in done),
        failed=sum("error" in (record or ()) for _, record in to_do),
        stopped=sum("unfinished" in (record or ()) for _, record in to_do),
        without_data=len(to_do) - len(ready),
        seconds_left=sum(guess for guess in guesses if guess is not None),
        unknown=guesses.count(None),
    )


class Estimates:
    """CPU seconds of cells from those of stored ones: of the same row there, or the same model.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store):
        self._known: dict[str, list[float]] = {}
        for key in store:
            for like in _alike(key):
                self._known.setdefault(like, []).append(store.read(key)["seconds"])

    def seconds(self, cell: Cell) -> float | None:
        """Return about the CPU seconds of a cell, None where there is none like it."""
        known = next((self._known[like] for like in _alike(cell.key) if like in self._known), None)
        return None if known is None else float(median(known))


def _alike(key: str) -> tuple[str, str]:
    """Return what the key shares with its repetitions, and with other settings of the model."""
    row = key.rpartition("-")[0]
    return row, row.rpartition("-")[0]


def cheapest_first(cells: Iterable[Cell], store: Store) -> list[Cell]:
    """Return the cells that can be computed, those of known and short time first."""
    estimates = Estimates(store)
    ready = [(cell, estimates.seconds(cell)) for cell in cells if not cell.source.missing()]
    ready.sort(key=lambda pair: (pair[1] is None, pair[1] or 0.0))
    return [cell for cell, _ in ready]


def outdated(store: Store) -> set[str]:
    """Return the keys of stored cells that no table has any more."""
    wanted = {cell.key for table in TABLES.values() for cell in cells_of(table)}
    return {key for key in store if key not in wanted}


def list_progress(store: Store) -> list[dict[str, Any]]:
    """Return every table and figure of the documents with its tally and what it lacks.

    Returns
    -------
    list of dict
        With "id", "title", "kind", "cells" (in words), "lacks" (a tuple of reasons), and the
        numbers of its `Tally`.
    """
    rows, estimates = [], Estimates(store)
    for table in TABLES.values():
        found, counted = status(table), tally(table, store, estimates)
        rows.append(
            {
                "id": table.id,
                "title": table.title,
                "kind": found.kind,
                "cells": str(counted) if counted.total else "-",
                "lacks": tuple(filter(None, [*found.waiting_for, *found.reason.split("; ")])),
                **vars(counted),
            }
        )
    return rows


def is_complete(row: dict[str, Any]) -> bool:
    """Tell whether a table of `list_progress` lacks nothing but cells whose data are not here."""
    return row["done"] + row["without_data"] == row["total"]


def number_reasons(rows: Iterable[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Return what tables lack, each reason once, and for every table the numbers of its reasons.

    Examples
    --------
    >>> from lab.pages.progress import number_reasons
    >>> number_reasons([{"lacks": ("a",)}, {"lacks": ()}, {"lacks": ("a", "b")}])
    (['a', 'b'], ['1', '', '1, 2'])
    """
    lacks = [row["lacks"] for row in rows]
    reasons = list(dict.fromkeys(reason for ones in lacks for reason in ones))
    return reasons, [", ".join(str(reasons.index(one) + 1) for one in ones) for ones in lacks]
