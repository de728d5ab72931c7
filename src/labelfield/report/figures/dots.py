"""The comparison of models, one small picture per metric."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from labelfield.report.figures.svg import Scale, canvas, line, shorten, tag, text, ticks
from labelfield.report.formatting import decimal

__all__ = ["metric_dots"]

WIDTH = 420
LEFT, RIGHT = 12, 408
ROW = 42


def metric_dots(title: str, scores: Sequence[Mapping[str, Any]], higher_is_better: bool) -> Markup:
    """Draw the mean and spread of every model on one metric.

    Parameters
    ----------
    title : str
        Name of the metric.
    scores : sequence of dict
        "model", "mean" (or None), "std" (or None) and "best" (bool), top to bottom.
    higher_is_better : bool

    Returns
    -------
    Markup
        An SVG element with a group per model.

    Examples
    --------
    >>> from labelfield.report.figures.dots import metric_dots
    >>> score = {"model": "chain", "mean": 0.5, "std": 0.1, "best": True}
    >>> "chain" in metric_dots("F1", [score], True)
    True
    """
    scale = _scale(scores)
    bottom = len(scores) * ROW + 2
    marks = ticks(scale.low, scale.high, 5)
    digits = max((len(f"{mark:g}".partition(".")[2]) for mark in marks), default=0)
    grid = [
        (
            line(scale(mark), 0, scale(mark), bottom),
            text(scale(mark), bottom + 15, f"{mark:.{digits}f}", text_anchor="middle"),
        )
        for mark in marks
    ]
    direction = "higher is better" if higher_is_better else "lower is better"
    best = next((score["model"] for score in scores if score["best"]), "none")
    return canvas(
        WIDTH,
        bottom + 36,
        f"{title} of {len(scores)} models, {direction}; best: {best}",
        grid,
        [_row(score, k * ROW, scale) for k, score in enumerate(scores)],
        text(
            RIGHT if higher_is_better else LEFT,
            bottom + 32,
            f"{direction} →" if higher_is_better else f"← {direction}",
            "axis",
            text_anchor="end" if higher_is_better else "start",
        ),
    )


def _scale(scores: Sequence[Mapping[str, Any]]) -> Scale:
    """Return a scale for means and spreads that does not leave [0, 1] if no mean does."""
    known = [score for score in scores if score["mean"] is not None]
    low = min((score["mean"] - (score["std"] or 0.0) for score in known), default=0.0)
    high = max((score["mean"] + (score["std"] or 0.0) for score in known), default=1.0)
    padding = 0.1 * (high - low) or 0.05
    low, high = low - padding, high + padding
    if all(0 <= score["mean"] <= 1 for score in known):
        low, high = max(low, 0.0), min(high, 1.0)
    return Scale(low, high, LEFT, RIGHT)


def _row(score: Mapping[str, Any], top: float, scale: Scale) -> Markup:
    emphasis = " best" if score["best"] else ""
    spread = "" if score["std"] is None else f" ± {decimal(score['std'])}"
    value = f"{decimal(score['mean'])}{spread}"
    return tag(
        "g",
        tag("title", f"{score['model']}: {value}"),
        text(0, top + 14, shorten(score["model"], 34), f"name{emphasis}"),
        text(WIDTH, top + 14, value, f"value{emphasis}", text_anchor="end"),
        line(0, top + 29, WIDTH, top + 29, "rail"),
        None if score["mean"] is None else _mark(score, top + 29, scale),
    )


def _mark(score: Mapping[str, Any], y: float, scale: Scale) -> list[Markup | None]:
    mean, std = score["mean"], score["std"]
    x = scale(mean)
    spread = None
    if std:
        left, right = scale(max(scale.low, mean - std)), scale(min(scale.high, mean + std))
        spread = line(left, y, right, y, "spread")
    if score["best"]:
        return [spread, tag("path", d=f"M{x:.1f} {y - 7:.1f}l7 7l-7 7l-7 -7z", class_="dot best")]
    return [spread, tag("circle", cx=x, cy=y, r=5, class_="dot")]
