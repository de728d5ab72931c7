"""Small tables for the eye: aligned text for a terminal, HTML for a notebook."""

from collections.abc import Iterable, Sequence
from html import escape

from labelfield._names import visible

__all__ = ["as_html", "as_text"]


def as_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is set to the left and the others to the right.

    Examples
    --------
    >>> from labelfield._shown import as_text
    >>> print(as_text(["model", "F1"], [["BR", "0.71"], ["stack", "0.8"]]))
    model   F1
    BR    0.71
    stack  0.8
    """
    lines = [[visible(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join(
        " ".join(
            [first.ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(others, widths[1:]))]
        ).rstrip()
        for first, *others in lines
    )


def as_html(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """Return a table as HTML; nothing in a cell is taken for markup.

    Examples
    --------
    >>> from labelfield._shown import as_html
    >>> as_html(["label"], [["<sea>"]])
    '<table><thead><tr><th>label</th></tr></thead><tbody><tr><td>&lt;sea&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(visible(cell))}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(visible(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    title = f"<caption>{escape(visible(caption))}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
