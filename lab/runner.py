"""Runs the cells of tables, keeping each as soon as it is finished."""

import time
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from threadpoolctl import threadpool_limits

from lab.cells import Cell, cells_of
from lab.failures import describe_failure
from lab.limits import OutOfTime, at_most, describe_shortage, describe_timeout
from lab.provenance import code_of, made_now
from lab.store import Store
from lab.table import Table
from lab.tasks import TASKS
from labelfield.evaluation.work import Progress, run_all

__all__ = ["compute", "is_finished", "is_stale", "needs_work", "run_cell", "run_cells", "run_table"]

OUTCOMES = ("computed", "failed", "stopped")


def run_table(table: Table, store: Store, **options: Any) -> dict[str, int]:
    """Compute the cells of a table that the store does not hold; see `run_cells`.

    `columns` and `methods` (sequences of titles) choose a part of the table.
    """
    chosen = {name: options.pop(name, None) for name in ("columns", "methods")}
    return run_cells(cells_of(table, **chosen), store, **options)


def run_cells(
    cells: Sequence[Cell],
    store: Store,
    *,
    refresh: bool = False,
    limit: float | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Compute the cells that the store does not hold yet, in the given order.

    A cell that fails is stored with its error, does not stop the others, and is tried again by the
    next run; one that was stopped by a limit, by the next run with more time. Interrupting keeps
    every finished cell.

    Parameters
    ----------
    cells : sequence of Cell
    store : Store
    refresh : bool
        Whether cells that other code has made are computed anew.
    limit : float, optional
        CPU seconds after which a cell is stopped, and the other repetitions of its row with it.
    n_jobs : int, optional
        Processes at once.
    progress : callable, optional
        Called as `progress(done, total, seconds_left)`.

    Returns
    -------
    counts : dict
        Numbers of cells that were "kept" from earlier runs, "computed", "failed", "stopped" by the
        limit, or are "without_data" because a file is not here.
    """
    unfinished = [cell for cell in cells if needs_work(cell, store, refresh=refresh, limit=limit)]
    open_cells = [cell for cell in unfinished if not cell.source.missing()]
    outcomes = run_all(
        run_cell, [(cell, store, limit) for cell in open_cells], n_jobs=n_jobs, progress=progress
    )
    counts = Counter(outcomes)
    store.tidy()
    return {
        "kept": len(cells) - len(unfinished),
        **{outcome: counts[outcome] for outcome in OUTCOMES},
        "without_data": len(unfinished) - len(open_cells),
    }


def needs_work(
    cell: Cell, store: Store, *, refresh: bool = False, limit: float | None = None
) -> bool:
    """Tell whether a cell is missing, has failed, may have more time now or, by wish, is stale."""
    record = store.read(cell.key)
    if record is None or "error" in record:
        return True
    if "unfinished" in record:
        return limit is None or limit > (record["limit"] or 0.0)
    return refresh and is_stale(cell, record)


def is_finished(record: dict[str, Any] | None) -> bool:
    """Tell whether a record of the store, if there is one, holds figures."""
    return record is not None and "error" not in record and "unfinished" not in record


def is_stale(cell: Cell, record: dict[str, Any]) -> bool:
    """Tell whether other code than today's has made a record."""
    return record.get("code") != code_of(cell)


def run_cell(cell: Cell, store: Store, limit: float | None = None) -> str:
    """Compute a cell, store its record or why there are no figures; return one of OUTCOMES."""
    record = {"repetition": cell.repetition, **made_now(cell)}
    started = time.process_time()
    hopeless = _stop_of_first(cell, store, limit)
    outcome = "stopped" if hopeless else "computed"
    try:
        with at_most(limit):
            record.update(hopeless or compute(cell))
    except MemoryError:
        outcome = "stopped"
        record.update(describe_shortage(limit))
    except Exception as error:
        outcome = "failed"
        record.update(describe_failure(error))
    except OutOfTime:
        outcome = "stopped"
        record.update(describe_timeout(limit))
    record["seconds"] = time.process_time() - started
    if outcome == "computed" or not is_finished(store.read(cell.key)):
        store.write(cell.key, record)  # figures of other code are better than none
    return outcome


def _stop_of_first(cell: Cell, store: Store, limit: float | None) -> dict[str, Any]:
    """Return why the first repetition of a cell's row was stopped, if with as much time."""
    first = (store.read(replace(cell, repetition=0).key) if cell.repetition else None) or {}
    stopped = limit is not None and (first.get("limit") or 0.0) >= limit
    return {name: first[name] for name in ("unfinished", "limit")} if stopped else {}


def compute(cell: Cell) -> dict[str, Any]:
    """Return the figures of a cell: per decoder and measure, with CPU seconds.

    Warnings of solvers do not stop a cell; what they say is part of the record. Matrix libraries
    get one thread, so that neither figures nor seconds hang on how many cores there are.
    """
    part = cell.protocol.part(cell.source, cell.repetition)
    with threadpool_limits(limits=1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = TASKS[cell.task](cell, part)
    said = sorted({f"{one.category.__name__}: {one.message}" for one in caught})
    return {**result, "warnings": said}
