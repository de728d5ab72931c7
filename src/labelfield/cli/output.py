"""Files that commands write: never over an input, never over a file without --force."""

import csv
from pathlib import Path
from typing import Annotated

import typer

from labelfield._names import csv_cell, join_names
from labelfield.io._aside import write_aside

__all__ = ["ForceFlag", "check_free", "write_predictions"]

ForceFlag = Annotated[bool, typer.Option("--force", help="Replace the output if it exists.")]


def check_free(out: Path, *, force: bool, inputs: tuple[str | Path, ...] = ()) -> None:
    """Refuse an output that is an input, exists without --force, or has no folder."""
    for source in inputs:
        if Path(source).exists() and out.exists() and out.samefile(source):
            raise ValueError(f"{out} is the input; give another file to --out.")
    if out.exists() and not force:
        raise ValueError(f"{out} exists; give another file to --out, or --force to replace it.")
    if out.exists() and not out.is_file():
        raise ValueError(f"{out} is not a regular file; give another file to --out.")
    if not out.parent.is_dir():
        raise ValueError(f"{out.parent} is not a folder; make it first.")


def write_predictions(out: Path, table: dict) -> None:
    """Write a table of columns to CSV or Parquet, by the name of the file.

    `table["labels"]` holds a list of names per row; in CSV they are joined by "|", and a name that
    holds "|" or a double quote stands in double quotes. Text that a spreadsheet would run as a
    formula gets an apostrophe in front (see `csv_cell`).
    """
    writers = {".csv": _write_csv, ".parquet": _write_parquet}
    if out.suffix not in writers:
        raise ValueError(f"--out must end in .csv or .parquet; got {out.name!r}.")
    writers[out.suffix](out, table)


def _write_csv(out: Path, table: dict) -> None:
    columns = {name: list(column) for name, column in table.items()}
    columns["labels"] = [join_names(names, "|") for names in columns["labels"]]
    with write_aside(out, newline="") as file:
        writer = csv.writer(file)
        writer.writerow(map(csv_cell, columns))
        writer.writerows(map(csv_cell, row) for row in zip(*columns.values(), strict=True))


def _write_parquet(out: Path, table: dict) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ValueError(
            "Parquet needs pyarrow: pip install 'labelfield[frames]', or write .csv."
        ) from None
    with write_aside(out, "wb") as file:
        pyarrow.parquet.write_table(pyarrow.table(table), file)
