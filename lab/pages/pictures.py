"""Figures of the documents as pictures: one panel a column, one curve a row, from stored cells."""

import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["as_svg", "draw_curves", "find_curves", "is_figure"]

NUMBER = r"(\d+(?:\.\d+)?)"
PANELS_ABREAST = 3
WIDE = 15
LETTERS = 18.0  # of a legend per inch
PRINTED = " (print)"
MARK = 0.6  # inches beside the letters of an entry
LINE = 0.17  # inches of a line of a legend
APART = 2.0  # panels that together span so much more than one of them have axes of their own
MOST_TICKS = 8


def is_figure(summary: dict[str, Any]) -> bool:
    """Return whether a summarised table says what runs along the axis of its picture."""
    return bool(summary["along"])


def find_curves(summary: dict[str, Any], metric: str) -> dict[str, dict[str, dict[str, list]]]:
    """Return the points of a measure by panel and curve.

    The word `summary["along"]` stands beside a number in the titles of columns or rows; that number
    is the place on the axis, and what is left of the titles names panel and curve. A row without a
    place is a level, the same everywhere.

    Returns
    -------
    dict of panel to dict of curve to dict
        "ours" and "published": sorted lists of (place, mean, deviation or None); the place of a
        level is None.

    Examples
    --------
    >>> from lab.pages.pictures import find_curves
    >>> figure = {"ours": {"mean": 0.7, "deviation": None}, "published": None}
    >>> rows = [{"title": "RMF", "figures": {"accuracy": figure}}]
    >>> column = {"title": "noise 0.2, missing 0.5", "rows": rows}
    >>> find_curves({"along": "missing", "columns": [column]}, "accuracy")
    {'noise 0.2': {'RMF': {'ours': [(0.5, 0.7, None)], 'published': []}}}
    """
    panels: dict[str, dict[str, dict[str, list]]] = {}
    for column in summary["columns"]:
        panel, column_place = _split(column["title"], summary["along"])
        for row in column["rows"]:
            curve, row_place = _split(row["title"], summary["along"])
            place = column_place if column_place is not None else row_place
            for kind in ("ours", "published"):
                found = row["figures"][metric][kind]
                if found is None or found["mean"] is None:
                    continue
                points = panels.setdefault(panel, {}).setdefault(
                    curve, {"ours": [], "published": []}
                )
                points[kind].append((place, found["mean"], found["deviation"]))
    for curves in panels.values():
        for points in curves.values():
            for kind in points.values():
                kind.sort()
    return panels


def _split(title: str, along: str) -> tuple[str, float | None]:
    """Return a title without the word and its number, and the number."""
    found = re.search(rf",? *(?:\b{along} {NUMBER}|{NUMBER} {along}\b)", title)
    if found is None:
        return title, None
    rest = (title[: found.start()] + title[found.end() :]).strip(" ,")
    return rest, float(found[1] or found[2])


def draw_curves(summary: dict[str, Any], metric: dict[str, str]) -> str:
    """Return a picture of a measure as SVG: ours as lines, the print as open circles."""
    from matplotlib.figure import Figure

    panels = find_curves(summary, metric["name"])
    names = list(dict.fromkeys(curve for curves in panels.values() for curve in curves))
    n_columns = 2 if len(panels) == 4 else min(PANELS_ABREAST, len(panels))
    n_rows = -(-len(panels) // n_columns)
    printed = any(points["published"] for curves in panels.values() for points in curves.values())
    entry = (max(map(len, names)) + printed * len(PRINTED)) / LETTERS + MARK
    width = max(1.0 + 3.2 * n_columns, entry)
    abreast = min(int(width / entry), PANELS_ABREAST)
    height = 0.6 + 2.4 * n_rows + LINE * -(-(1 + printed) * len(names) // abreast)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(
        n_rows, n_columns, squeeze=False, sharex=True, sharey=not _lie_apart(panels)
    ).ravel()
    for axis, (panel, curves) in zip(axes, panels.items()):
        axis.set_title(panel, fontsize=9)
        axis.grid(alpha=0.3)
        for curve, points in curves.items():
            color = f"C{names.index(curve) % 10}"
            _draw_curve(axis, curve, points, color)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    _mark_places(axes[0], _places(panels))
    figure.supxlabel(summary["along"], fontsize=9)
    figure.supylabel(metric["title"], fontsize=9)
    handles = {label: one for axis in axes for one, label in zip(*axis.get_legend_handles_labels())}
    if any(handles):
        figure.legend(
            handles.values(),
            handles.keys(),
            loc="outside upper center",
            ncols=abreast,
            fontsize=8,
        )
    return as_svg(figure, summary["id"])


def as_svg(figure: Any, name: str) -> str:
    """Return a matplotlib figure as SVG, the same text whenever it is drawn."""
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def _mark_places(axis: Any, places: list[float]) -> None:
    """Set the scale of the axis that all panels share, with a tick at every place if few."""
    if places and min(places) > 0 and max(places) >= WIDE * min(places):
        axis.set_xscale("log")
    if len(places) <= MOST_TICKS:
        axis.set_xticks(places, [f"{place:g}" for place in places])
        axis.set_xticks([], minor=True)


def _places(panels: dict[str, dict[str, dict[str, list]]]) -> list[float]:
    """Return the places on the axis of all points, rising."""
    return sorted({place for point in _points(panels.values()) if (place := point[0]) is not None})


def _lie_apart(panels: dict[str, dict[str, dict[str, list]]]) -> bool:
    """Return whether one axis for all panels would flatten the curves in them."""
    means = [[mean for _, mean, _ in _points([curves])] for curves in panels.values()]
    together = max(map(max, means)) - min(map(min, means))
    return together > APART * max(max(one) - min(one) for one in means)


def _points(panels: Iterable[dict[str, dict[str, list]]]) -> Iterator[tuple]:
    for curves in panels:
        for points in curves.values():
            for kind in points.values():
                yield from kind


def _draw_curve(axis, name: str, points: dict[str, list], color: str) -> None:
    if points["ours"]:
        place, mean, deviation = zip(*points["ours"])
        if place == (None,):
            axis.axhline(mean[0], label=name, color=color, linestyle="--", linewidth=1.0)
            return
        spread = [one or 0.0 for one in deviation]
        axis.errorbar(
            place, mean, yerr=spread, label=name or "ours", color=color, marker=".", linewidth=1.2
        )
    if points["published"] and points["published"][0][0] is not None:
        place, mean, _ = zip(*points["published"])
        axis.plot(
            place, mean, "o", label=name + PRINTED, color=color, fillstyle="none", markersize=5
        )
