"""The section that compares models."""

from collections.abc import Mapping
from typing import Any

from labelfield.report import figures
from labelfield.report.formatting import decimal
from labelfield.report.markup import Markup, tag
from labelfield.report.tables import cell, figure, table

__all__ = ["comparison_section"]

DRAWN = 12


def comparison_section(summary: Mapping[str, Any]) -> Markup | None:
    """Return models against metrics, as pictures and as a table."""
    comparison = summary["comparison"]
    if comparison is None:
        return None
    panels = [
        figure(
            metric["title"][0].upper() + metric["title"][1:],
            figures.metric_dots(
                metric["title"], metric["scores"][:DRAWN], metric["greater_is_better"]
            ),
        )
        for metric in comparison["metrics"]
    ]
    left_out = len(comparison["models"]) > DRAWN
    rows = []
    for place, model in enumerate(comparison["models"]):
        scores = [metric["scores"][place] for metric in comparison["metrics"]]
        rows.append(
            [
                tag("th", model["model"], scope="row"),
                cell(decimal(model["mean_rank"], 1), model["mean_rank"], "number"),
                [_score_cell(score) for score in scores],
            ]
        )
    arrows = [
        f"{metric['title']} {'↑' if metric['greater_is_better'] else '↓'}"
        for metric in comparison["metrics"]
    ]
    headings = ["Model", "Mean rank", *arrows]
    return tag(
        "div",
        tag(
            "p",
            "◆ marks the best mean, ≈ those that a test cannot tell from it; lines show one "
            "standard deviation.",
            f" Drawn are the {DRAWN} models with the best mean rank." if left_out else None,
        ),
        tag("div", panels, class_="grid"),
        table("Models and metrics", headings, rows, numeric=len(headings) - 1),
    )


def _score_cell(score: Mapping[str, Any]) -> Markup:
    mark = " ◆" if score["best"] else " ≈" if score["tied"] else ""
    shown = decimal(score["mean"]) + mark
    rank = None if score["rank"] is None else tag("small", f" rank {score['rank']:g}")
    return cell((shown, rank), score["mean"], "number best" if score["best"] else "number")
