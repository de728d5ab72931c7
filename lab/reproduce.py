"""python -m lab reproduce."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.exits import FAILED, INTERRUPTED
from labelfield.cli.options import JobCount

__all__ = ["reproduce"]


EVERYTHING = "all"


def reproduce(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID", help='Published tables or figures, such as qli2017-3.6, or "all".'
        ),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Show every table and how much of it is done.")
    ] = False,
    missing: Annotated[
        bool, typer.Option("--missing", help="List only tables with cells to be computed.")
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="List how long the cells to be computed would take.")
    ] = False,
    columns: Annotated[
        list[str] | None, typer.Option("--columns", help="Only this column (repeatable).")
    ] = None,
    rows: Annotated[
        list[str] | None, typer.Option("--rows", help="Only this row (repeatable).")
    ] = None,
    folds: Annotated[
        int | None, typer.Option(help="Only the first folds or repetitions.", min=1)
    ] = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Compute cells anew that other code has made.")
    ] = False,
    limit: Annotated[
        float | None,
        typer.Option(min=1.0, help="CPU seconds after which a cell is stopped, and said to be."),
    ] = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Drop stored cells that no table has any more.")
    ] = False,
    results: Annotated[Path | None, typer.Option(help="Folder of finished cells.")] = None,
    pages: Annotated[
        Path | None, typer.Option(help="Also write pages of all stored results to this folder.")
    ] = None,
    jobs: JobCount = 1,
    as_json: console.JsonFlag = False,
):
    """Compute published tables anew and print ours beside the printed figures.

    Finished cells are kept one by one in the results folder: an interrupted run goes on where it
    stopped when started again. Tables that are named together share fits. "all" computes what is
    missing in any table, cheapest first.

    `python -m lab reproduce --list`

    `python -m lab reproduce qli2017-3.6 --jobs 2`
    """
    from lab import Store

    store = Store() if results is None else Store(results)
    if listed or missing or estimate:
        show_list(store, only_missing=missing, estimate=estimate, as_json=as_json)
        return
    if forget:
        drop_outdated(store)
        return
    if not ids:
        raise typer.BadParameter("give the id of a table, or --list to see them.", param_hint="ID")
    try:
        counts = run(
            ids,
            store,
            columns=columns,
            rows=rows,
            folds=folds,
            refresh=refresh,
            limit=limit,
            n_jobs=jobs,
            silent=as_json,
        )
    except KeyboardInterrupt:
        store.tidy()
        console.note(f"Interrupted; finished cells are kept in {store.folder}. Run again to go on.")
        raise typer.Exit(INTERRUPTED) from None
    if pages is not None:
        write_pages(store, pages)
    show_summary(ids, store, counts, as_json=as_json)
    if counts["failed"]:
        raise typer.Exit(FAILED)


def show_list(store, *, only_missing, estimate, as_json):
    """Print every table of the documents: cells done, what it lacks; reasons once, below."""
    from lab.pages.progress import is_complete, list_progress, number_reasons

    tables = list_progress(store)
    if only_missing:
        tables = [row for row in tables if not is_complete(row)]
    if as_json:
        console.print_json(tables)
        return
    reasons, marks = number_reasons(tables)
    lines = [
        (row["id"], row["cells"], mark, *([time_left(row)] if estimate else []))
        for row, mark in zip(tables, marks)
    ]
    heading = ["id", "cells", "lacks", *(["CPU time left"] if estimate else [])]
    console.print_table(heading, lines, text_columns=len(heading))
    for number, reason in enumerate(reasons, start=1):
        console.text(f"{number}: {reason}")


def drop_outdated(store):
    """Drop the cells of rows and columns that tables no longer have, and say how many."""
    from lab.pages.progress import outdated

    keys = outdated(store)
    store.tidy(without=keys)
    console.note(f"{len(keys)} cells dropped from {store.folder}.")


def time_left(row):
    """Return the CPU time that the cells of a table would take, in words."""
    from lab.pages.progress import is_complete

    if is_complete(row):
        return ""
    known = f"{row['seconds_left'] / 60:.1f} min"
    return f"{known} and {row['unknown']} cells unknown" if row["unknown"] else known


def run(ids, store, *, columns, rows, folds, refresh, limit, n_jobs, silent):
    """Compute the cells of tables, or of all, that the store lacks; return how many of what."""
    from lab import cells_of
    from lab.cells import by_cut
    from lab.pages.progress import cheapest_first
    from lab.published import TABLES
    from lab.runner import run_cells

    if EVERYTHING in ids:
        every = (cell for table in TABLES.values() for cell in cells_of(table))
        cells = cheapest_first(by_cut(every), store)
    else:
        chosen = {"columns": columns, "methods": rows}
        cells = by_cut(cell for id in ids for cell in cells_of(runnable_table(id), **chosen))
    cells = [cell for cell in cells if folds is None or cell.repetition < folds]
    with console.progress(" ".join(ids), silent=silent) as progress:
        return run_cells(
            cells, store, refresh=refresh, limit=limit, n_jobs=n_jobs, progress=progress
        )


def runnable_table(id):
    """Return a table, or say why it cannot be run."""
    from lab import get_table, status

    table = get_table(id)
    if not status(table).runnable:
        raise ValueError(f"{id} cannot be run: {status(table)}.")
    return table


def show_summary(ids, store, counts, *, as_json):
    """Print tables, and how many of their cells were computed or kept."""
    from lab import get_table, summarize

    wanted = [] if EVERYTHING in ids else ids
    summaries = [summarize(get_table(id), store) for id in wanted]
    if as_json:
        only = summaries[0] if len(summaries) == 1 else {"tables": summaries}
        console.print_json({**only, "run": counts})
        return
    for summary in summaries:
        print_summary(summary)
    told = ", ".join(f"{n} {what.replace('_', ' ')}" for what, n in counts.items())
    console.note(f"Cells: {told}; stored in {store.folder}.")


def write_pages(store, folder):
    """Write the pages of all stored results."""
    from lab import write_results

    write_results(store, folder)


def print_summary(summary):
    """Print ours beside the print, or the overview of a table of our own."""
    from lab.pages.markdown import LEGEND, is_comparison, overview

    for column in summary["columns"]:
        for row in column["rows"]:
            for error in row["errors"]:
                console.note(f"{column['title']}, {row['title']} failed: {error}")
    if not is_comparison(summary):
        print_columns(summary)
        console.text(LEGEND)
        return
    for metric in summary["metrics"]:
        heading, lines = overview(summary, metric["name"])
        console.print_table(heading, lines, title=f"{summary['id']}: {metric['title']}")


def print_columns(summary):
    """Print one table per column of the published one."""
    from lab.pages.markdown import format_figure

    for column in summary["columns"]:
        rows = []
        for row in column["rows"]:
            figures = [
                format_figure(row["figures"][metric["name"]], summary["digits"])
                for metric in summary["metrics"]
            ]
            done, total = row["cells"]
            rows.append((row["title"], *figures, f"{done}/{total}" if total else "-"))
        console.print_table(
            ["", *(metric["title"] for metric in summary["metrics"]), "cells"],
            rows,
            title=f"{summary['id']} {summary['title']}: {column['title']}",
        )
