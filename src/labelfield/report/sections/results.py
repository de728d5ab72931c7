"""The sections on single labels, single sets and broken rules."""

from collections.abc import Mapping
from typing import Any

from labelfield.report.formatting import count, percent
from labelfield.report.markup import Markup, tag
from labelfield.report.tables import bar_cell, cell, label_set, table

__all__ = ["labels_section", "rules_section", "sets_section"]

LONG = 25


def labels_section(summary: Mapping[str, Any]) -> Markup:
    """Return the results of every label."""
    labels = sorted(summary["labels"], key=lambda label: -label["support"])
    rows = [
        [
            tag("th", label["name"], scope="row"),
            cell(count(label["support"]), label["support"], "number"),
            cell(count(label["predicted"]), label["predicted"], "number"),
            [bar_cell(label[key]) for key in ("precision", "recall", "f1", "auc")],
        ]
        for label in labels
    ]
    headings = ["Label", "True", "Predicted", "Precision", "Recall", "F1", "AUC"]
    search = tag(
        "p",
        tag("label", "Find a label ", tag("input", type="search", data_filter="labels-table")),
        class_="search",
    )
    listed = table(
        "Results of every label",
        headings,
        rows,
        numeric=6,
        shape="tall" if len(rows) > LONG else "",
    )
    return tag("div", search if len(rows) > LONG else None, tag("div", listed, id="labels-table"))


def sets_section(summary: Mapping[str, Any]) -> Markup | None:
    """Return the results of the most frequent label sets."""
    if not summary["sets"]:
        return None
    rows = [
        [
            cell(label_set(found["labels"])),
            cell(_mistake(found["mistaken_for"])),
            cell(count(found["support"]), found["support"], "number"),
            cell(count(found["predicted"]), found["predicted"], "number"),
            bar_cell(found["exact"]),
        ]
        for found in summary["sets"]
    ]
    headings = ["True set", "Most often mistaken for", "True", "Predicted", "Exactly right"]
    return table("Results of the most frequent sets", headings, rows, numeric=3)


def _mistake(mistake: Mapping[str, Any] | None) -> Any:
    if mistake is None:
        return "–"
    return label_set(mistake["labels"]), tag("small", f" {count(mistake['count'])}×")


def rules_section(summary: Mapping[str, Any]) -> Markup | None:
    """Return how many predicted sets break the rules of the data."""
    rules = summary["rules"]
    if rules is None:
        return None
    rows = [
        [
            tag("th", model["model"], scope="row"),
            cell(count(model["broken"]), model["broken"], "number"),
            cell(percent(model["share"], 1), model["share"], "number"),
            [cell(count(times), times, "number") for times in model["by_rule"]],
        ]
        for model in rules["models"]
    ]
    headings = ["Sets of", "Rows that break a rule", "Share", *rules["rules"]]
    return tag(
        "div",
        tag("p", "A set that breaks a rule is certainly wrong, whatever the truth is."),
        table("Broken rules", headings, rows, numeric=len(headings) - 1),
    )
