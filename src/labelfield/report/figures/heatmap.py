"""The map of label co-occurrence."""

import json
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from labelfield.report.figures.svg import canvas, shorten, tag, text, text_width
from labelfield.report.formatting import percent

__all__ = ["co_occurrence_map"]

WIDTH = 720
LEVELS = 20
NUMBERED = 20


def co_occurrence_map(co_occurrence: Mapping[str, Any]) -> Markup:
    """Draw P(column label | row label) as shades, with numbers where there is room for them.

    Parameters
    ----------
    co_occurrence : dict
        "names" (m,) and "given" (m, m): the share of rows with the row's label that also have the
        column's label, None where the row's label never occurs.

    Returns
    -------
    Markup
        An SVG element; its script reads `data-given` to name the cell under the pointer.

    Examples
    --------
    >>> from labelfield.report.figures.heatmap import co_occurrence_map
    >>> co_occurrence_map({"names": ["a", "b"], "given": [[1.0, 0.25], [0.5, 1.0]]}).count("<text")
    6
    """
    names, given = co_occurrence["names"], co_occurrence["given"]
    m = len(names)
    short = [shorten(name, 20) for name in names]
    size = min(13.0, 0.9 * (WIDTH - 120) / m)
    margin = text_width(short, size) + 8
    cell = min(56.0, (WIDTH - margin) / m)
    width = max(margin + m * cell, 240.0)
    widest = 1.1 if m <= NUMBERED else 1.6
    return canvas(
        width,
        margin + m * cell,
        f"Share of rows with the row's label that also have the column's label, {m} labels",
        _shades(given, margin, cell),
        [
            text(
                margin - 6,
                margin + (k + 0.5) * cell + size * 0.35,
                name,
                "sized",
                font_size=size,
                text_anchor="end",
            )
            for k, name in enumerate(short)
        ],
        [
            text(
                0,
                0,
                name,
                "sized",
                font_size=size,
                transform=_turned(margin + (k + 0.5) * cell + size * 0.35, margin - 6),
            )
            for k, name in enumerate(short)
        ],
        _numbers(given, margin, cell) if m <= NUMBERED else None,
        class_="heatmap",
        style=f"min-width:{9 * m}px;max-width:{width * widest:.0f}px",
        data_names=json.dumps(names),
        data_given=_packed(given),
        data_margin=margin,
        data_cell=cell,
    )


def _turned(x: float, y: float) -> str:
    return f"translate({x:.2f} {y:.2f}) rotate(-90)"


def _packed(given: list[list[float | None]]) -> str:
    """Return per mille as numbers, one list for all rows, empty where there is none."""
    return ",".join(
        "" if value is None else str(round(1000 * value)) for row in given for value in row
    )


def _shades(given: list[list[float | None]], margin: float, cell: float) -> list[Markup]:
    """Return one path per shade: a path holds thousands of cells in a few bytes each."""
    paths: dict[int, list[str]] = {}
    for i, row in enumerate(given):
        for j, value in enumerate(row):
            level = -1 if i == j else round(LEVELS * (value or 0.0))
            if level:
                paths.setdefault(level, []).append(f"M{j} {i}h1v1h-1z")
    frame = tag("rect", width=len(given), height=len(given), class_="frame")
    shades = [
        tag(
            "path",
            d="".join(parts),
            class_="self" if level < 0 else "shade",
            fill_opacity=None if level < 0 else level / LEVELS,
        )
        for level, parts in sorted(paths.items())
    ]
    position = f"translate({margin:.2f} {margin:.2f}) scale({cell:.4f})"
    return [tag("g", frame, shades, transform=position)]


def _numbers(given: list[list[float | None]], margin: float, cell: float) -> list[Markup]:
    size = min(12.0, cell * 0.42)
    return [
        text(
            margin + (j + 0.5) * cell,
            margin + (i + 0.5) * cell + size * 0.35,
            percent(value).split("\u202f")[0],
            "cell strong" if value > 0.72 else "cell",
            font_size=size,
            text_anchor="middle",
        )
        for i, row in enumerate(given)
        for j, value in enumerate(row)
        if i != j and value
    ]
