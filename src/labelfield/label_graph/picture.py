"""A label graph drawn with matplotlib."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from labelfield._optional import require
from labelfield._typing import FloatArray
from labelfield.label_graph.layout import first_threshold, similarity_order

if TYPE_CHECKING:
    from labelfield.label_graph.label_graph import LabelGraph

__all__ = ["draw_graph"]

KEEP_ALL = 20
BEND = 0.36
COLORS = {True: "#2166ac", False: "#b2182b"}


def draw_graph(
    graph: "LabelGraph", ax: Any, threshold: float | None, places: Sequence[int] | None = None
) -> Any:
    """Draw the links of at least `threshold` on a circle of labels; return the axes.

    `places` are all labels in their order around the circle, found from the links by default.
    """
    plt = require("matplotlib.pyplot", "viz")

    L = len(graph.names)
    strengths = np.abs(graph.weights)
    if threshold is None:
        threshold = first_threshold(graph.pairs, strengths, L)
    visible = np.flatnonzero(strengths >= threshold)
    linked = np.zeros(L, dtype=bool)
    linked[graph.pairs[visible].ravel()] = True
    order = similarity_order(graph.matrix()) if places is None else np.array(places, dtype=np.intp)
    shown = order if L <= KEEP_ALL else order[linked[order]]
    if ax is None:
        side = 6.0 if len(shown) <= KEEP_ALL else 9.0
        ax = plt.figure(figsize=(side, side)).add_subplot()
    angles = np.zeros(L)
    angles[shown] = np.pi / 2 - 2 * np.pi * np.arange(len(shown)) / max(1, len(shown))
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for e in visible[::-1]:
        _draw_link(ax, points[graph.pairs[e]], float(graph.weights[e]), float(strengths[0]))
    ax.scatter(*points[shown].T, s=40 if len(shown) <= KEEP_ALL else 12, color="0.2", zorder=3)
    size = float(np.clip(420 / max(1, len(shown)), 5.5, 11))
    write = _write_level if len(shown) <= KEEP_ALL else _write_along_radius
    for k in shown:
        name = graph.names[k]
        write(ax, name if len(name) <= 22 else name[:21] + "…", float(angles[k]), size)
    ax.set(xlim=(-1.5, 1.5), ylim=(-1.35, 1.35), aspect="equal")
    ax.set_axis_off()
    return ax


def _draw_link(ax: Any, ends: FloatArray, weight: float, largest: float) -> None:
    """Draw a curve that bends towards the centre, thicker for a larger weight."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    bend = BEND * ends.sum(axis=0)
    path = Path([ends[0], bend, ends[1]], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
    patch = PathPatch(
        path,
        fill=False,
        edgecolor=COLORS[weight > 0],
        linestyle="solid" if weight > 0 else "dashed",
        linewidth=0.6 + 3.4 * abs(weight) / largest,
        alpha=0.75,
    )
    ax.add_patch(patch)


def _write_level(ax: Any, name: str, angle: float, size: float) -> None:
    """Write a name beside its label, or above or below it at the top and the bottom."""
    across, up = np.cos(angle), np.sin(angle)
    beside = abs(across) > 0.2
    ax.text(
        1.07 * across,
        1.1 * up,
        name,
        ha=("left" if across > 0 else "right") if beside else "center",
        va="center" if beside else "bottom" if up > 0 else "top",
        fontsize=size,
    )


def _write_along_radius(ax: Any, name: str, angle: float, size: float) -> None:
    """Write a name that continues the radius, never upside down."""
    left = np.cos(angle) < -1e-9
    ax.text(
        1.05 * np.cos(angle),
        1.05 * np.sin(angle),
        name,
        rotation=np.degrees(angle) + (180 if left else 0),
        rotation_mode="anchor",
        ha="right" if left else "left",
        va="center",
        fontsize=size,
    )
