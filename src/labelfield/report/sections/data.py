"""The section on the data."""

from collections.abc import Mapping
from typing import Any

from labelfield.report import figures
from labelfield.report.formatting import count, decimal, percent
from labelfield.report.markup import Markup, tag
from labelfield.report.tables import cell, figure, label_set, table

__all__ = ["data_section"]

NAMED = 30
BESIDE = 12


def data_section(summary: Mapping[str, Any]) -> Markup:
    """Return what the data look like."""
    data = summary["data"]
    labels = data["frequencies"]
    shown = len(data["co_occurrence"]["names"])
    facts = [
        ("Rows", count(data["rows"])),
        ("Features", count(data["features"])),
        ("Labels", count(data["labels"])),
        ("Labels per row", decimal(data["cardinality"], 2)),
        ("Density", percent(data["density"], 1)),
        ("Distinct label sets", count(data["distinct_sets"])),
        ("Rows without a label", percent(data["empty_share"], 1)),
        ("Unknown entries", percent(data["unknown_share"], 1)),
    ]
    bars = figure(
        "How often each label occurs",
        figures.label_frequencies(labels),
        f"The {NAMED} most frequent of {len(labels)} labels."
        if len(labels) > NAMED
        else "Rows, and their share of the rows where the label is known.",
    )
    tail = None
    if len(labels) > NAMED:
        tail = figure("All labels by rank", figures.label_tail(labels), "Rows, logarithmic scale.")
    sizes = figure("How many labels a row has", figures.set_sizes(data["set_sizes"]))
    readout = tag("p", "Point at a cell to read it.", class_="readout", aria_live="polite")
    given = figure(
        "Which labels come together",
        Markup(figures.co_occurrence_map(data["co_occurrence"]) + readout),
        "In percent: of the rows with the label on the left, how many also have the label on top.",
        f" The {shown} most frequent labels, similar ones side by side."
        if data["labels"] > shown
        else None,
        class_="wide",
    )
    pairs = _pairs_table(data["top_pairs"])
    beside = data["labels"] <= BESIDE
    return tag(
        "div",
        tag(
            "dl",
            [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts],
            class_="facts",
        ),
        tag(
            "div",
            bars,
            tag("div", sizes, tail, None if beside else pairs, class_="stack"),
            class_="grid",
        ),
        tag("div", given, pairs if beside else None, class_="grid") if data["labels"] > 1 else None,
    )


def _pairs_table(pairs: list[dict[str, Any]]) -> Markup | None:
    if not pairs:
        return None
    rows = [
        [
            cell(label_set([pair["a"], pair["b"]])),
            cell(count(pair["count"]), pair["count"], "number"),
            cell(percent(pair["b_given_a"]), pair["b_given_a"], "number"),
            cell(percent(pair["a_given_b"]), pair["a_given_b"], "number"),
            cell(
                f"{decimal(pair['lift'], 1 if pair['lift'] >= 1 else 2)}×", pair["lift"], "number"
            ),
        ]
        for pair in pairs
    ]
    headings = ["Labels a, b", "Rows", "b if a", "a if b", "Lift"]
    listed = table("Pairs of labels that occur together most often", headings, rows, numeric=4)
    return figure(
        "Most frequent pairs", listed, "Lift: rows with both against what chance would give."
    )
