"""Bars and columns: how often each label occurs, how many labels a row has."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from labelfield.report.figures.svg import Scale, canvas, line, shorten, tag, text, text_width, ticks
from labelfield.report.formatting import count, percent

__all__ = ["label_frequencies", "label_tail", "set_sizes"]

WIDTH = 420
ROW = 24
NAMED = 30


def label_frequencies(labels: Sequence[Mapping[str, Any]]) -> Markup:
    """Draw one bar per label, the most frequent `NAMED` of them.

    Parameters
    ----------
    labels : sequence of dict
        "name", "count" and "share", the most frequent first.

    Returns
    -------
    Markup
        An SVG element with a group per label.

    Examples
    --------
    >>> from labelfield.report.figures.bars import label_frequencies
    >>> label_frequencies([{"name": "red", "count": 3, "share": 0.75}]).count("<rect")
    1
    """
    shown = labels[:NAMED]
    names = [shorten(label["name"], 20) for label in shown]
    values = [f"{count(label['count'])} · {percent(label['share'])}" for label in shown]
    left = text_width(names, 13) + 10
    right = WIDTH - text_width(values, 12) - 8
    scale = Scale(0.0, max(label["count"] for label in shown) or 1.0, left, right)
    rows = []
    for k, label in enumerate(shown):
        y = k * ROW
        end = scale(label["count"])
        rows.append(
            tag(
                "g",
                tag("title", f"{label['name']}: {values[k]} of the rows"),
                text(left - 8, y + 16, names[k], "name", text_anchor="end"),
                tag("rect", x=left, y=y + 4, width=end - left, height=ROW - 8, rx=2, class_="bar"),
                text(end + 6, y + 16, values[k], "value"),
            )
        )
    title = f"Frequency of {len(shown)} labels, from {names[0]} ({values[0]}) down"
    return canvas(WIDTH, len(shown) * ROW, title, rows)


def label_tail(labels: Sequence[Mapping[str, Any]]) -> Markup:
    """Draw the frequencies of all labels by rank, on a logarithmic scale.

    Parameters
    ----------
    labels : sequence of dict
        "name" and "count", the most frequent first.

    Returns
    -------
    Markup
        An SVG element.
    """
    height, left, bottom, top = 220, 56, 176, 12
    highest = max(1, labels[0]["count"])
    scale_x = Scale(1, max(2, len(labels)), left, WIDTH - 12)
    scale_y = Scale(0.0, math.log10(highest) or 1.0, bottom, top)
    powers = [10**k for k in range(int(math.log10(highest)) + 1)]
    grid = [
        (
            line(left, scale_y(math.log10(power)), WIDTH - 12, scale_y(math.log10(power))),
            text(left - 8, scale_y(math.log10(power)) + 4, count(power), text_anchor="end"),
        )
        for power in powers
    ]
    occurring = [label for label in labels if label["count"] > 0]
    path = "".join(
        f"{'L' if k else 'M'}{scale_x(k + 1):.1f} {scale_y(math.log10(label['count'])):.1f}"
        for k, label in enumerate(occurring)
    )
    ranks = [
        text(scale_x(rank), bottom + 18, count(int(rank)), text_anchor="middle")
        for rank in ticks(1, len(labels), 6)
        if rank == int(rank) and rank >= 1
    ]
    return canvas(
        WIDTH,
        height,
        f"Rows per label for all {len(labels)} labels by rank, logarithmic scale",
        grid,
        tag("path", d=path, class_="curve"),
        ranks,
        text((left + WIDTH) / 2, bottom + 38, "label, by rank", "axis", text_anchor="middle"),
        class_="tail",
    )


def set_sizes(sizes: Sequence[Mapping[str, Any]]) -> Markup:
    """Draw how many rows have no label, one label, two labels and so on.

    Parameters
    ----------
    sizes : sequence of dict
        "size", "count" and "share", for every size from the smallest to the largest.

    Returns
    -------
    Markup
        An SVG element.
    """
    height, top, bottom = 200, 22, 152
    step = (WIDTH - 16) / len(sizes)
    scale = Scale(0.0, max(size["share"] for size in sizes) or 1.0, bottom, top)
    every = math.ceil(30 / step)
    columns = []
    for k, size in enumerate(sizes):
        x, y = 8 + k * step, scale(size["share"])
        middle = x + step / 2
        columns.append(
            tag(
                "g",
                tag("title", f"{size['size']} labels: {count(size['count'])} rows"),
                tag(
                    "rect",
                    x=x + step * 0.1,
                    y=y,
                    width=min(step * 0.8, 56),
                    height=bottom - y,
                    class_="bar",
                    transform=f"translate({max(0.0, (step * 0.8 - 56) / 2):.1f} 0)",
                ),
                text(middle, y - 6, percent(size["share"]), "value", text_anchor="middle")
                if step >= 34
                else None,
                text(middle, bottom + 18, size["size"], text_anchor="middle")
                if k % every == 0
                else None,
            )
        )
    return canvas(
        WIDTH,
        height,
        f"Rows by their number of labels, from {sizes[0]['size']} to {sizes[-1]['size']}",
        columns,
        line(8, bottom, WIDTH - 8, bottom, "base"),
        text(WIDTH / 2, bottom + 40, "labels per row", "axis", text_anchor="middle"),
    )
