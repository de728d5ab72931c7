"""Pictures of set confidence: is it calibrated, and how much can be accepted without review?"""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from labelfield.report.figures.svg import Scale, canvas, line, points, tag, text, ticks
from labelfield.report.formatting import count, percent

__all__ = ["automation_curve", "reliability_diagram"]

WIDTH = 420
LEFT, RIGHT, TOP, BOTTOM = 56, 396, 12, 272


def _axes(scale_x: Scale, scale_y: Scale, x_title: str, y_title: str, bottom: float) -> Markup:
    middle_x, middle_y = (scale_x.start + scale_x.end) / 2, (scale_y.start + scale_y.end) / 2
    across = [
        (
            line(scale_x(mark), TOP, scale_x(mark), scale_y.start),
            text(scale_x(mark), bottom + 17, percent(mark), text_anchor="middle"),
        )
        for mark in ticks(scale_x.low, scale_x.high)
    ]
    up = [
        (
            line(scale_x.start, scale_y(mark), scale_x.end, scale_y(mark)),
            text(LEFT - 7, scale_y(mark) + 4, percent(mark), text_anchor="end"),
        )
        for mark in ticks(scale_y.low, scale_y.high)
    ]
    turned = f"translate(12 {middle_y:.1f}) rotate(-90)"
    return tag(
        "g",
        across,
        up,
        text(middle_x, bottom + 36, x_title, "axis", text_anchor="middle"),
        text(0, 0, y_title, "axis", text_anchor="middle", transform=turned),
    )


def reliability_diagram(reliability: Mapping[str, Any]) -> Markup:
    """Draw how often sets of each confidence were right, above a histogram of the confidence.

    Parameters
    ----------
    reliability : dict
        "bins": list of dict with "low", "high", "count", "confidence", "accuracy", "from", "to"
        (the last four None where a bin is empty; "from" and "to" bound the accuracy).

    Returns
    -------
    Markup
        An SVG element.
    """
    floor = BOTTOM + 64
    scale_x, scale_y = Scale(0.0, 1.0, LEFT, RIGHT), Scale(0.0, 1.0, BOTTOM, TOP)
    most = max(bin_["count"] for bin_ in reliability["bins"]) or 1
    heights = Scale(0, most, floor, BOTTOM + 10)
    filled = [bin_ for bin_ in reliability["bins"] if bin_["count"]]
    histogram = [
        tag(
            "rect",
            tag("title", f"{count(bin_['count'])} rows"),
            x=scale_x(bin_["low"]) + 1,
            y=heights(bin_["count"]),
            width=scale_x(bin_["high"]) - scale_x(bin_["low"]) - 2,
            height=floor - heights(bin_["count"]),
            class_="bar quiet",
        )
        for bin_ in filled
    ]
    dots = [_bin_dot(bin_, scale_x, scale_y) for bin_ in filled]
    path = points([(scale_x(bin_["confidence"]), scale_y(bin_["accuracy"])) for bin_ in filled])
    return canvas(
        WIDTH,
        floor + 44,
        f"Reliability of set confidence in {len(filled)} bins: accuracy against stated confidence",
        _axes(scale_x, scale_y, "stated confidence", "sets that were right", floor),
        line(scale_x(0), scale_y(0), scale_x(1), scale_y(1), "ideal"),
        tag("polyline", points=path, class_="curve thin"),
        dots,
        histogram,
        line(LEFT, floor, RIGHT, floor, "base"),
        text(LEFT - 7, floor - 22, "rows", "axis", text_anchor="end"),
    )


def _bin_dot(bin_: Mapping[str, Any], scale_x: Scale, scale_y: Scale) -> Markup:
    x = scale_x(bin_["confidence"])
    description = (
        f"confidence {percent(bin_['confidence'])}, right {percent(bin_['accuracy'])} "
        f"({percent(bin_['from'])} to {percent(bin_['to'])}), {count(bin_['count'])} rows"
    )
    return tag(
        "g",
        tag("title", description),
        line(x, scale_y(bin_["from"]), x, scale_y(bin_["to"]), "spread"),
        tag("circle", cx=x, cy=scale_y(bin_["accuracy"]), r=5, class_="dot solid"),
    )


def automation_curve(automation: Mapping[str, Any]) -> Markup:
    """Draw the accuracy of the accepted sets against the share accepted, and the target.

    Parameters
    ----------
    automation : dict
        "curve": list of dict with "share", "accuracy", "from", "to", by rising share; "target"
        (float) and "chosen" (dict with "share" and "accuracy", or None).

    Returns
    -------
    Markup
        An SVG element.
    """
    curve, target, chosen = automation["curve"], automation["target"], automation["chosen"]
    floor = BOTTOM + 64
    lowest = min([target, *(point["accuracy"] for point in curve)])
    scale_x = Scale(0.0, 1.0, LEFT, RIGHT)
    scale_y = Scale(max(0.0, int(10 * lowest - 0.5) / 10), 1.0, floor, TOP)
    upper = [(scale_x(p["share"]), scale_y(p["to"])) for p in curve]
    lower = [(scale_x(p["share"]), max(TOP, min(floor, scale_y(p["from"])))) for p in curve]
    path = points([(scale_x(p["share"]), scale_y(p["accuracy"])) for p in curve])
    return canvas(
        WIDTH,
        floor + 44,
        f"Accuracy of accepted sets against the share accepted. {automation['sentence']}",
        _axes(
            scale_x, scale_y, "cases accepted without review", "accepted sets that are right", floor
        ),
        tag("polygon", points=points(upper + lower[::-1]), class_="band"),
        line(LEFT, scale_y(target), RIGHT, scale_y(target), "target"),
        text(RIGHT, scale_y(target) - 6, f"target: {percent(target)}", "note", text_anchor="end"),
        tag("polyline", points=path, class_="curve"),
        None if chosen is None else _chosen_point(chosen, scale_x, scale_y),
        line(LEFT, floor, RIGHT, floor, "base"),
    )


def _chosen_point(chosen: Mapping[str, Any], scale_x: Scale, scale_y: Scale) -> Markup:
    x, y = scale_x(chosen["share"]), scale_y(chosen["accuracy"])
    on_right = chosen["share"] < 0.5
    return tag(
        "g",
        tag("title", f"accept {percent(chosen['share'])}, right {percent(chosen['accuracy'])}"),
        line(x, y, x, scale_y.start, "drop"),
        tag("circle", cx=x, cy=y, r=6, class_="dot best"),
        text(
            x + (8 if on_right else -8),
            scale_y.start - 8,
            f"accept {percent(chosen['share'])}",
            "note strong",
            text_anchor="start" if on_right else "end",
        ),
    )
