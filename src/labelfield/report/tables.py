"""The pieces of HTML that sections are made of: tables, label sets, figures, tiles."""

from collections.abc import Iterable, Sequence
from typing import Any

from labelfield.report.formatting import decimal
from labelfield.report.markup import Markup, tag

__all__ = ["bar_cell", "cell", "figure", "label_set", "table", "tile"]


def cell(shown: Any, value: Any = None, class_: str | None = None) -> Markup:
    """Return a cell; the script sorts by `value` where it differs from what is shown."""
    return tag("td", shown, data_value=None if value is None else f"{value:.6g}", class_=class_)


def bar_cell(share: float | None) -> Markup:
    """Return a number in [0, 1] beside a bar of that length."""
    if share is None:
        return tag("td", decimal(None), class_="number", data_value=-1)
    bar = tag("span", class_="meter", style=f"width:{100 * share:.1f}%")
    inner = tag("span", tag("span", bar, class_="track"), decimal(share), class_="metered")
    return tag("td", inner, class_="number", data_value=f"{share:.6g}")


def table(
    caption: str, headings: Sequence[str], rows: Iterable[Any], *, numeric: int = 0, shape: str = ""
) -> Markup:
    """Return a table that can be sorted by its headings.

    Parameters
    ----------
    caption : str
        What the table holds; read out by screen readers.
    headings : sequence of str
    rows : iterable of lists of cells
    numeric : int, default=0
        How many columns, counted from the right, hold numbers.
    shape : {"", "tall", "compact"}
        Tall tables scroll inside a box, compact ones stay narrow.
    """
    first_number = len(headings) - numeric
    head = [
        tag(
            "th",
            tag("button", heading, type="button"),
            scope="col",
            class_="number" if k >= first_number else None,
        )
        for k, heading in enumerate(headings)
    ]
    body = tag("tbody", [tag("tr", row) for row in rows])
    whole = tag(
        "table", tag("caption", caption, class_="unseen"), tag("thead", tag("tr", head)), body
    )
    return tag("div", whole, class_=f"scroll {shape}".strip(), tabindex=0)


def label_set(
    names: Sequence[str], *, missed: Sequence[str] = (), added: Sequence[str] = ()
) -> Markup:
    """Return the names of a set as chips; missed ones are struck through, added ones have a +."""
    if not names and not missed:
        return tag("span", "no label", class_="chip none")
    chips = [
        tag(
            "span",
            f"+ {name}" if name in added else name,
            class_="chip added" if name in added else "chip",
        )
        for name in names
    ]
    gone = [tag("span", tag("s", name), class_="chip missed", title="missed") for name in missed]
    return tag("span", chips, gone, class_="chips")


def figure(title: str, picture: Markup, *explanation: Any, class_: str | None = None) -> Markup:
    """Return a picture under its title, with a line of explanation."""
    caption = tag(
        "figcaption", tag("strong", title), tag("span", *explanation) if explanation else None
    )
    box = tag("div", picture, class_="picture")
    return tag("figure", caption, box, class_=class_)


def tile(value: str, name: str) -> Markup:
    """Return one key figure."""
    return tag("div", tag("dd", value), tag("dt", name), class_="tile")
