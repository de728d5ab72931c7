"""A picture of a fitted model, and how it becomes a page."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.pages.markdown import DRAWN
from lab.pages.pictures import as_svg
from lab.provenance import code_commit
from lab.sources import Stored
from labelfield._version import __version__
from labelfield.io._aside import write_aside

__all__ = ["Drawing", "write_drawing"]


@dataclass(frozen=True)
class Drawing:
    """A figure of a document that shows a model, not a curve of scores.

    Parameters
    ----------
    id : str
        As in `lab.published`: "qli2017-fig4.2".
    title : str
    note : str
        What stands in for what the document shows, and with which settings.
    draw : callable
        `draw(figure)` draws into an empty matplotlib figure and returns lines of Markdown to
        stand below it.
    data : str
        The data sets it needs, with blanks between; empty where it draws its own.
    beside : bool
        Whether a page of stored cells shows the picture, so that it has none of its own.
    """

    id: str
    title: str
    note: str
    draw: Callable[[Any], list[str]]
    data: str = ""
    beside: bool = False

    def missing(self) -> str:
        """Return what is missing to draw it."""
        return ", ".join(filter(None, (Stored(name).missing() for name in self.data.split())))


def write_drawing(drawing: Drawing, folder: Path) -> Path:
    """Draw a figure into a folder; return its page, or the picture where it has none."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.0), layout="constrained")
    below = drawing.draw(figure)
    picture = f"images/{drawing.id}.svg"
    commit = code_commit()
    at = f", commit {commit}" if commit else ""
    made = f"Drawn {datetime.now(UTC).date().isoformat()} by version {__version__}{at}"
    lines = [
        DRAWN,
        "",
        f"# {drawing.id}: {drawing.title}",
        "",
        f"{drawing.note} {made}: `python -m lab draw {drawing.id}`.",
        "",
        f"![{drawing.title}]({picture})",
        *(["", *below] if below else []),
    ]
    texts = {picture: as_svg(figure, drawing.id)}
    if not drawing.beside:
        texts[f"{drawing.id}.md"] = "\n".join(lines) + "\n"
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with write_aside(folder / name) as file:
            file.write(text)
    return folder / name
