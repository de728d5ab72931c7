"""python -m lab arena."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console
from labelfield.cli.exits import FAILED, INTERRUPTED

__all__ = ["arena"]


def arena(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FOLDER...", help="A folder per data set; none to show the file."),
    ] = None,
    budget: Annotated[
        str, typer.Option(help="Of LabelSetClassifier: quick, balanced, best or CPU seconds.")
    ] = "balanced",
    folds: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Folds of every set (default: the standard split where a folder has a training "
            "and a test file, else 5).",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="File of results, a JSON line each.")] = Path(
        "arena.jsonl"
    ),
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a file of results that exists.")
    ] = False,
    models: Annotated[
        str | None, typer.Option(help="Only these models.", metavar="A,B,...")
    ] = None,
    tags: Annotated[
        str | None, typer.Option(help="CSV: the column that lists the labels of a row.")
    ] = None,
    tag_separator: Annotated[
        str | None, typer.Option(help="CSV: what stands between two tags (default: guessed).")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="CSV: the label columns.", metavar="A,B,...")
    ] = None,
    drop: Annotated[
        str | None, typer.Option(help="CSV: columns to leave out.", metavar="A,B,...")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of folds and models.")] = 0,
    all_seeds: Annotated[
        bool, typer.Option("--all-seeds", help="Show means over all seeds in the file.")
    ] = False,
    limit: Annotated[
        float, typer.Option(min=1.0, help="CPU seconds for each model and fold.")
    ] = 1800.0,
    rows: Annotated[
        int | None,
        typer.Option(min=20, help="At most so many training rows, drawn at random by the seed."),
    ] = None,
    page: Annotated[Path | None, typer.Option(help="Also write the tables as Markdown.")] = None,
    as_json: console.JsonFlag = False,
):
    """Compare models of all kinds on your data sets, all of them tuned alike.

    Every finished model and fold is a line in the file of results at once: an interrupted run goes
    on where it stopped with --resume. Models: logistic, mlknn, powerset-svm, forest,
    powerset-trees, powerset-linear, field, crf, chains, sklearn, mixture, lightgbm, boomer, ours.

    `python -m lab arena data/scene data/yeast --folds 3 --out scene.jsonl`

    `python -m lab arena tickets --tags topics --models logistic,powerset-trees,ours`
    """
    from lab.arena import Lines, Terms
    from labelfield.cli.input.data import split_names

    lines, failed = Lines(out), 0
    if folders:
        check_file(out, resume)
        given = {
            "tags": tags,
            "tag_separator": tag_separator,
            "labels": labels and split_names(labels, "--labels"),
            "drop": drop and split_names(drop, "--drop"),
        }
        arguments = {name: value for name, value in given.items() if value}
        terms = Terms(folds, seed, read_budget(budget), limit, rows)
        chosen = None if models is None else split_names(models, "--models")
        try:
            failed = fight(folders, chosen, arguments, lines, terms)
        except KeyboardInterrupt:
            console.note(f"Interrupted; finished lines are in {out}. Go on with --resume.")
            raise typer.Exit(INTERRUPTED) from None
    elif not out.exists():
        raise typer.BadParameter(f"there is no {out} to show.", param_hint="FOLDER...")
    show(lines, None if all_seeds else seed, page, as_json=as_json)
    if failed:
        raise typer.Exit(FAILED)


def check_file(out: Path, resume: bool) -> None:
    """Refuse to mix new results with those of another run unless asked to."""
    if out.exists() and not resume:
        raise FileExistsError(f"{out} exists; go on with --resume, or name another --out.")


def read_budget(word: str) -> str | float:
    """Return a budget: a number of seconds if it is one."""
    try:
        return float(word)
    except ValueError:
        return word


def fight(folders, models, arguments, lines, terms) -> int:
    """Compute what is missing; return the number of failures."""
    from lab.arena import make_rows, read_folder, run_contest

    rows = make_rows(terms.budget)
    for name in models or ():
        if name not in rows:
            raise ValueError(f"--models: no model is called {name!r}; there are {', '.join(rows)}.")
    chosen = [rows[name] for name in models] if models else list(rows.values())

    def tell(record):
        where = f"{record['set']}, {record['model']}, fold {record['fold']}"
        reason = record.get("absent") or record.get("unfinished") or record.get("error")
        exact = "" if reason else f"exact match {record['figures']['subset_accuracy']:.3f}"
        console.note(f"{where}: {reason or exact}")

    entrants = (read_folder(folder, folds=terms.folds, arguments=arguments) for folder in folders)
    return run_contest(entrants, chosen, lines, terms, told=tell)


def show(lines, seed, page, *, as_json) -> None:
    """Print the tables, and write them as a page if wanted."""
    from lab.arena.page import (
        SEEDS,
        TIMES,
        gap_lines,
        model_lines,
        rank_lines,
        render_page,
        seed_lines,
        tests_in_words,
        time_lines,
    )
    from lab.arena.standings import WAYS, standings
    from labelfield.io._aside import write_aside

    summary = standings(lines.read(), seed=seed)
    if page is not None:
        with write_aside(page) as file:
            file.write(render_page(summary))
    if as_json:
        console.print_json(summary)
        return
    for one in summary["sets"]:
        console.print_table(*model_lines(one), title=one["title"])
        for gap in gap_lines(one):
            console.text(gap)
    for title, (heading, rows) in {
        SEEDS: seed_lines(summary),
        TIMES: time_lines(summary),
    }.items():
        if rows:
            console.print_table(heading, rows, title=title)
    for way, words in WAYS.items():
        heading, rows = rank_lines(summary, way)
        if rows:
            console.print_table(heading, rows, title=f"Average ranks. {words}")
            console.text(tests_in_words(summary, way))
