"""labelfield restore."""

from pathlib import Path
from typing import Annotated, Any

import typer

from labelfield.cli import console
from labelfield.cli.output import ForceFlag, check_free

__all__ = ["restore"]

ESTIMATE = "estimate"


def restore(
    table: Annotated[
        Path, typer.Argument(metavar="TABLE", help="The dirty table: .csv or .tsv with a header.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="File for the restored table.")],
    train: Annotated[
        Path | None, typer.Option("--train", help="A cleaner table with the same columns.")
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", help='JSON such as {"age": "numeric", "id": "ignore"}.'),
    ] = None,
    noise: Annotated[
        str,
        typer.Option("--noise", help="Noise on numbers in shares of their spread, or `estimate`."),
    ] = "0",
    flips: Annotated[
        str, typer.Option("--flips", help="Share of wrong categories, or `estimate`.")
    ] = "0",
    top: Annotated[int, typer.Option("--top", help="How many corrections to show.")] = 10,
    seed: Annotated[int, typer.Option(help="Seed of the fit.")] = 0,
    force: ForceFlag = False,
    as_json: console.JsonFlag = False,
):
    """Fill the holes of a table, and correct cells that the rest of their row contradicts.

    Empty cells, `?` and `NA` are holes. Without --train the field learns from the table
    itself. Cells are corrected only with --noise or --flips. Columns are numeric, dates or
    categorical by their cells; text of which nearly every value differs is left alone;
    --schema overrides. Numbers are written with as many decimals as the finest cell of
    their column has, dates as the others of their column.

    `labelfield restore customers.csv --out restored.csv`

    `labelfield restore new.csv --train clean.csv --noise estimate --flips estimate --out new2.csv`
    """
    check_free(out, force=force, inputs=tuple(p for p in (table, train, schema) if p is not None))
    strengths = {
        "noise_scale": _strength(noise, "--noise"),
        "flip_rate": _strength(flips, "--flips"),
    }
    with console.busy("Restoring"):
        from labelfield.restore.text_files import restore_file

        result = restore_file(
            table, out, train=train, schema=schema, top=top, random_state=seed, **strengths
        )
    if as_json:
        console.print_json(result)
    else:
        _print_report(result, out)


def _strength(given: str, option: str) -> float | str:
    if given == ESTIMATE:
        return given
    try:
        return float(given)
    except ValueError:
        raise ValueError(f"{option} must be a number or '{ESTIMATE}'; got {given!r}.") from None


def _print_report(result: dict[str, Any], out: Path) -> None:
    console.print_table(
        ["column", "kind", "filled", "corrected"],
        [
            [one["column"], one["kind"], f"{one['filled']}", f"{one['corrected']}"]
            for one in result["columns"]
        ],
        text_columns=2,
    )
    if result["corrections"]:
        console.print_table(
            ["line", "column", "before", "after", "surprise"],
            [
                [str(one["line"]), one["column"], one["before"], one["after"], _digits(one)]
                for one in result["corrections"]
            ],
            title="Most surprising corrections",
            caption="Surprise 3: a clean cell is as unlikely as this one once in a thousand.",
            text_columns=4,
        )
    console.text(
        f"Filled {result['filled']} and corrected {result['corrected']} cells of "
        f"{result['rows']} rows; written to {out}."
    )


def _digits(change: dict[str, Any]) -> str:
    return f"{change['surprise']:.1f}"
