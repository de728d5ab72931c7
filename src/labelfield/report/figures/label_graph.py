"""The graph of label links, drawn on a circle.

The picture is complete without its script. With it, the slider redraws the circle for the links
above a threshold; `report.js` places nodes and links by the same formulas as here.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from labelfield.report.figures.svg import canvas, shorten, tag, text_width
from labelfield.report.formatting import signed

__all__ = ["label_graph"]

SIZE = 720
LONGEST_NAME = 16
BEND = 0.36
FONT_SIZES = 6.5, 13.0
NAMED = 200


def label_graph(graph: Mapping[str, Any]) -> Markup:
    """Draw labels on a circle and the links between them, solid if positive, dashed if negative.

    Parameters
    ----------
    graph : dict
        "names" (L,), "order" (L,) the labels around the circle, "links" [[a, b, weight], ...]
        strongest first, "threshold" (links below it start hidden) and "keep_all" (bool: whether
        labels without a visible link stay on the circle).

    Returns
    -------
    Markup
        An SVG element with a path per link and a group per label.

    Examples
    --------
    >>> from labelfield.report.figures.label_graph import label_graph
    >>> graph = {"names": ["a", "b"], "order": [0, 1], "links": [[0, 1, -0.5]]}
    >>> label_graph({**graph, "threshold": 0.1, "keep_all": True}).count('class="node')
    2
    """
    names, links = graph["names"], graph["links"]
    visible = [link for link in links if abs(link[2]) >= graph["threshold"]]
    linked = {end for a, b, _ in visible for end in (a, b)}
    circle = _arrange(graph, linked)
    height = 2 * (circle.radius + 44) if circle.upright else SIZE
    largest = max((abs(weight) for _, _, weight in links), default=1.0)
    return canvas(
        SIZE,
        height,
        f"Links between {len(names)} labels, {len(visible)} of them above the threshold",
        [_link(link, names, circle, largest, link in visible) for link in links],
        [_node(k, names[k], circle, k in linked) for k in graph["order"]],
        role="group",
        viewBox=f"{-SIZE / 2:g} {-height / 2:g} {SIZE} {height:g}",
        class_="graph crowded" if len(circle.angles) > NAMED else "graph",
        font_size=circle.font_size,
        data_radius=circle.radius,
        data_threshold=f"{graph['threshold']:.4f}",
        data_keep_all="yes" if graph["keep_all"] else "no",
    )


@dataclass(frozen=True)
class Circle:
    """Where the nodes are; `upright` names stand level, others along the radius."""

    radius: float
    angles: Mapping[int, float]
    font_size: float
    upright: bool


def _arrange(graph: Mapping[str, Any], linked: set[int]) -> Circle:
    names = [shorten(name, LONGEST_NAME) for name in graph["names"]]
    smallest, largest = FONT_SIZES
    radius = round(SIZE / 2 - text_width(names, largest) - 14)
    shown = [k for k in graph["order"] if graph["keep_all"] or k in linked]
    step = 2 * math.pi / max(1, len(shown))
    angles = {k: position * step - math.pi / 2 for position, k in enumerate(shown)}
    font_size = min(largest, max(smallest, 0.9 * step * radius))
    return Circle(radius, angles, font_size, graph["keep_all"])


def _link(
    link: Sequence[Any], names: Sequence[str], circle: Circle, largest: float, shown: bool
) -> Markup:
    a, b, weight = link
    return tag(
        "path",
        tag("title", f"{names[a]} – {names[b]}: {signed(weight)}"),
        d=_bow(circle.angles[a], circle.angles[b], circle.radius) if shown else None,
        class_=f"link {'plus' if weight > 0 else 'minus'}{'' if shown else ' off'}",
        stroke_width=0.8 + 4.2 * abs(weight) / largest,
        data_a=a,
        data_b=b,
        data_weight=f"{weight:.4f}",
    )


def _bow(a: float, b: float, radius: float) -> str:
    """Return a curve between two angles that bends towards the centre."""
    ends = math.cos(a), math.sin(a), math.cos(b), math.sin(b)
    x1, y1, x2, y2 = (radius * value for value in ends)
    middle = f"{BEND * (x1 + x2):.1f} {BEND * (y1 + y2):.1f}"
    return f"M{x1:.1f} {y1:.1f}Q{middle} {x2:.1f} {y2:.1f}"


def _node(k: int, name: str, circle: Circle, linked: bool) -> Markup:
    angle = circle.angles.get(k)
    short = shorten(name, LONGEST_NAME)
    if angle is None:
        where, written = None, tag("text", short)
    else:
        where = f"rotate({math.degrees(angle):.3f}) translate({circle.radius} 0)"
        written = (_level_name if circle.upright else _radial_name)(short, angle)
    return tag(
        "g",
        tag("title", name),
        tag("circle", r=5),
        written,
        class_=f"node{'' if linked else ' alone'}{' off' if angle is None else ''}",
        transform=where,
        tabindex=0,
        role="button",
        aria_label=name,
        data_node=k,
    )


def _radial_name(name: str, angle: float) -> Markup:
    """Return a name that continues the radius, turned so that it is never upside down."""
    side = -1 if math.cos(angle) < 0 else 1
    return tag(
        "text",
        name,
        x=10 * side,
        dy="0.35em",
        text_anchor="end" if side < 0 else "start",
        transform="rotate(180)" if side < 0 else None,
    )


def _level_name(name: str, angle: float) -> Markup:
    """Return a name beside its node, or above or below it at the top and the bottom."""
    across, down = math.cos(angle), math.sin(angle)
    beside = abs(across) > 0.2
    return tag(
        "text",
        name,
        x=12 * across,
        y=12 * down + (0 if beside else 8 * down),
        dy="0.35em",
        text_anchor=("start" if across > 0 else "end") if beside else "middle",
        transform=f"rotate({-math.degrees(angle):.3f})",
    )
