"""What commands print: results to stdout, everything else to stderr.

Names of labels, columns and files are shown as they are: brackets in them are no markup to rich,
and control characters are written out.
"""

import json
import logging
import math
import sys
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from labelfield._names import visible

__all__ = [
    "JsonFlag",
    "busy",
    "complain",
    "note",
    "print_json",
    "print_table",
    "progress",
    "show_log",
    "text",
]

WIDE = 160

JsonFlag = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON, for other programs.")
]


def _console(stream):
    from rich.console import Console

    # A file or pipe has no width: give tables room instead of cutting them at 80 columns.
    width = None if stream.isatty() else WIDE
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def text(line: str = "") -> None:
    """Print a line of the result."""
    _console(sys.stdout).print(visible(line), soft_wrap=True)


def note(line: str) -> None:
    """Print a line beside the result."""
    _console(sys.stderr).print(visible(line), soft_wrap=True)


def complain(error: BaseException) -> None:
    """Print an error in one line."""
    words = " ".join(str(error).split()) or type(error).__name__
    _console(sys.stderr).print(f"Error: {visible(words)}", style="bold red", soft_wrap=True)


def print_json(result: Any) -> None:
    """Print plain data as JSON; what is not a number becomes null."""
    typer.echo(json.dumps(_plain(result), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str | None = None,
    caption: str | None = None,
    text_columns: int = 1,
) -> None:
    """Print a table whose first columns are text and whose others are numbers."""
    from rich.table import Table

    title, caption = (None if line is None else visible(line) for line in (title, caption))
    table = Table(title=title, caption=caption, title_justify="left", caption_justify="left")
    for position, name in enumerate(columns):
        table.add_column(visible(name), justify="left" if position < text_columns else "right")
    for row in rows:
        table.add_row(*map(visible, row))
    _console(sys.stdout).print(table)


def show_log() -> None:
    """Show what the library reports, such as that it compiles, where stderr is a terminal."""
    log = logging.getLogger("labelfield")
    if sys.stderr.isatty() and not log.handlers:
        log.setLevel(logging.INFO)
        log.addHandler(_Notes())


class _Notes(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        note(record.getMessage())


@contextmanager
def busy(description: str):
    """Show that something is going on while the block runs, where stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.text import Text

    with _console(sys.stderr).status(Text(visible(description))):
        yield


@contextmanager
def progress(description: str, *, silent: bool = False):
    """Show a bar on stderr while the block runs; yields `update(done, total, seconds_left)`.

    Nothing is shown with `silent` or where stderr is not a terminal.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}", markup=False),
        console=_console(sys.stderr),
        disable=silent or not sys.stderr.isatty(),
        transient=True,
    )
    with bar:
        task = bar.add_task(visible(description), total=None, left="")

        def update(done: int, total: int, seconds_left: float) -> None:
            left = "" if math.isnan(seconds_left) else f"{_duration(seconds_left)} left"
            bar.update(task, completed=done, total=total, left=left)

        yield update


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
