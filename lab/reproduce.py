"""python -m lab reproduce."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.commands.compare import JobCount
from labelfield.cli.exits import FAILED, INTERRUPTED

__all__ = ["reproduce"]


def reproduce(
    id: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="A published table or figure, such as qli2017-3.6."),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Show every table and what can be done about it.")
    ] = False,
    columns: Annotated[
        list[str] | None, typer.Option("--column", help="Only this column (repeatable).")
    ] = None,
    methods: Annotated[
        list[str] | None, typer.Option("--method", help="Only this row (repeatable).")
    ] = None,
    results: Annotated[Path, typer.Option(help="Folder of finished cells.")] = Path("results"),
    pages: Annotated[
        Path | None, typer.Option(help="Also write pages of all stored results to this folder.")
    ] = None,
    jobs: JobCount = 1,
    as_json: console.JsonFlag = False,
):
    """Compute a published table anew and print ours beside the printed figures.

    Finished cells are kept one by one in the results folder: an interrupted run goes on where it
    stopped when started again.

    `python -m lab reproduce --list`

    `python -m lab reproduce qli2017-3.6 --jobs 2`
    """
    if listed:
        show_list(as_json=as_json)
        return
    if id is None:
        raise typer.BadParameter("give the id of a table, or --list to see them.", param_hint="ID")
    try:
        summary, counts = run_and_summarize(
            id, results, columns=columns, methods=methods, n_jobs=jobs, silent=as_json
        )
    except KeyboardInterrupt:
        console.note(f"Interrupted; finished cells are kept in {results}. Run again to go on.")
        raise typer.Exit(INTERRUPTED) from None
    if pages is not None:
        write_pages(results, pages)
    if as_json:
        console.print_json({**summary, "run": counts})
    else:
        print_summary(summary)
        told = ", ".join(f"{n} {what.replace('_', ' ')}" for what, n in counts.items())
        console.note(f"Cells: {told}; stored in {results}.")
    if counts["failed"]:
        raise typer.Exit(FAILED)


def show_list(*, as_json):
    """Print every table of the documents with its status."""
    from lab import list_tables

    rows = list_tables()
    if as_json:
        console.print_json(rows)
        return
    console.print_table(
        ["id", "what it shows", "status"],
        [(row["id"], row["title"], row["status"]) for row in rows],
        text_columns=3,
    )


def run_and_summarize(id, results, *, columns, methods, n_jobs, silent):
    """Compute the missing cells of a table; return its summary and the counts of cells."""
    from lab import Store, get_table, run_table, status, summarize

    table = get_table(id)
    if not status(table).runnable:
        raise ValueError(f"{id} cannot be run: {status(table)}.")
    store = Store(results)
    with console.progress(id, silent=silent) as progress:
        counts = run_table(
            table, store, columns=columns, methods=methods, n_jobs=n_jobs, progress=progress
        )
    return summarize(table, store), counts


def write_pages(results, folder):
    """Write the pages of all stored results."""
    from lab import Store, write_results

    write_results(Store(results), folder)


def print_summary(summary):
    """Print ours beside the print, or the overview of a table of our own."""
    from lab.markdown import LEGEND, is_comparison, overview

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
    from lab.markdown import format_figure

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
