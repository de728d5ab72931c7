"""Runs the cells of tables, keeping each as soon as it is finished."""

import time
import warnings
from collections.abc import Sequence
from typing import Any

from lab.cells import Cell, cells_of
from lab.failures import describe_failure
from lab.provenance import code_of, made_now
from lab.store import Store
from lab.table import Table
from lab.tasks import TASKS
from labelfield.evaluation.work import Progress, run_all

__all__ = ["compute", "is_stale", "needs_work", "run_cell", "run_cells", "run_table"]


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
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Compute the cells that the store does not hold yet, in the given order.

    A cell that fails is stored with its error, does not stop the others, and is tried again by the
    next run. Interrupting keeps every finished cell.

    Parameters
    ----------
    cells : sequence of Cell
    store : Store
    refresh : bool
        Whether cells that other code has made are computed anew.
    n_jobs : int, optional
        Processes at once.
    progress : callable, optional
        Called as `progress(done, total, seconds_left)`.

    Returns
    -------
    counts : dict
        Numbers of cells that were "kept" from earlier runs, "computed", "failed", or are
        "without_data" because a file is not here.
    """
    unfinished = [cell for cell in cells if needs_work(cell, store, refresh=refresh)]
    open_cells = [cell for cell in unfinished if not cell.source.missing()]
    outcomes = run_all(
        run_cell, [(cell, store) for cell in open_cells], n_jobs=n_jobs, progress=progress
    )
    store.tidy()
    failed = sum(not succeeded for succeeded in outcomes)
    return {
        "kept": len(cells) - len(unfinished),
        "computed": len(open_cells) - failed,
        "failed": failed,
        "without_data": len(unfinished) - len(open_cells),
    }


def needs_work(cell: Cell, store: Store, *, refresh: bool = False) -> bool:
    """Tell whether a cell is missing, has failed or, with `refresh`, is stale."""
    record = store.read(cell.key)
    if record is None or "error" in record:
        return True
    return refresh and is_stale(cell, record)


def is_stale(cell: Cell, record: dict[str, Any]) -> bool:
    """Tell whether other code than today's has made a record."""
    return record.get("code") != code_of(cell)


def run_cell(cell: Cell, store: Store) -> bool:
    """Compute a cell and store its record, or its error; return whether it succeeded."""
    record = {"repetition": cell.repetition, **made_now(cell)}
    started = time.process_time()
    try:
        record.update(compute(cell))
    except Exception as error:
        record.update(describe_failure(error))
    record["seconds"] = time.process_time() - started
    store.write(cell.key, record)
    return "error" not in record


def compute(cell: Cell) -> dict[str, Any]:
    """Return the figures of a cell: per decoder and measure, with CPU seconds.

    Warnings of solvers do not stop a cell; what they say is part of the record.
    """
    part = cell.protocol.part(cell.source, cell.repetition)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = TASKS[cell.task](cell, part)
    said = sorted({f"{one.category.__name__}: {one.message}" for one in caught})
    return {**result, "warnings": said}
