"""The section on set confidence."""

from collections.abc import Mapping
from typing import Any

from labelfield.report import figures
from labelfield.report.formatting import count, decimal, percent
from labelfield.report.markup import Markup, tag
from labelfield.report.tables import cell, figure, table

__all__ = ["confidence_section"]


def confidence_section(summary: Mapping[str, Any]) -> Markup | None:
    """Return the reliability of confidence and what can be accepted on its word."""
    reliability, automation = summary["reliability"], summary["automation"]
    if reliability is None:
        return None
    rows = []
    for row in automation["table"]:
        chosen = row["chosen"] or {"share": 0.0, "accepted": 0, "accuracy": None, "threshold": None}
        rows.append(
            [
                cell(percent(row["target"]), row["target"]),
                cell(percent(chosen["share"], 1), chosen["share"], "number"),
                cell(count(chosen["accepted"]), chosen["accepted"], "number"),
                cell(percent(chosen["accuracy"], 1), chosen["accuracy"], "number"),
                cell(decimal(chosen["threshold"]), chosen["threshold"], "number"),
            ]
        )
    headings = ["Wanted accuracy", "Accepted", "Cases", "Accuracy", "Confidence from"]
    return tag(
        "div",
        tag("p", reliability["sentence"]),
        tag(
            "div",
            figure(
                "Is the confidence true?",
                figures.reliability_diagram(reliability),
                f"Points on the dashed line are as good as their word; bars show 95\u202f% "
                f"intervals. Calibration error {decimal(reliability['ece'])}, square error "
                f"{decimal(reliability['brier'])}.",
            ),
            figure(
                "How much can be accepted without review?",
                figures.automation_curve(automation),
                automation["sentence"],
                " The band is a 95\u202f% interval.",
            ),
            class_="grid",
        ),
        table("Cases accepted by wanted accuracy", headings, rows, numeric=4, shape="compact"),
    )
