"""python -m lab draw."""

from pathlib import Path
from typing import Annotated

import typer

from labelfield.cli import console

__all__ = ["draw"]

EVERYTHING = "all"


def draw(
    id: Annotated[
        str | None, typer.Argument(metavar="ID", help='A figure, such as qli2017-fig4.2, or "all".')
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for pages and pictures.")] = Path(
        "docs/results"
    ),
):
    """Draw a figure of the documents that shows a fitted model, as a page with a picture.

    `python -m lab draw`: which figures there are, and what they need

    `python -m lab draw all`
    """
    from lab.drawings import DRAWINGS
    from lab.drawings.drawing import write_drawing

    if id is None:
        lines = [(one.id, one.title, one.missing()) for one in DRAWINGS.values()]
        console.print_table(["id", "shows", "lacks"], lines, text_columns=3)
        return
    if id != EVERYTHING and id not in DRAWINGS:
        raise ValueError(f"No drawing is called {id!r}; there are {', '.join(DRAWINGS)}.")
    for one in DRAWINGS.values() if id == EVERYTHING else (DRAWINGS[id],):
        lacks = one.missing()
        if lacks:
            console.note(f"{one.id} lacks {lacks}.")
        else:
            console.note(f"{one.id}: {write_drawing(one, out)}")
