"""The section with the label graph."""

from collections.abc import Mapping
from typing import Any

from labelfield.report import figures
from labelfield.report.formatting import decimal, signed
from labelfield.report.markup import Markup, tag
from labelfield.report.tables import cell, figure, label_set, table

__all__ = ["graph_section"]


def graph_section(summary: Mapping[str, Any]) -> Markup | None:
    """Return the label graph with its slider."""
    graph = summary["graph"]
    if not graph["links"]:
        return None
    strongest = abs(graph["links"][0][2])
    weakest = abs(graph["links"][-1][2])
    slider = tag(
        "p",
        tag(
            "label",
            "Show links of at least ",
            tag("output", decimal(graph["threshold"], 2)),
            tag(
                "input",
                type="range",
                min=f"{weakest:.4f}",
                max=f"{strongest:.4f}",
                step=f"{max((strongest - weakest) / 200, 1e-4):.4f}",
                value=f"{graph['threshold']:.4f}",
            ),
        ),
        tag("span", class_="links-shown", aria_live="polite"),
        class_="slider",
    )
    legend = tag(
        "p",
        tag("span", class_="key plus"),
        "together more often (+)  ",
        tag("span", class_="key minus"),
        "together less often (−); thicker is stronger",
        class_="legend",
    )
    hint = tag("div", "Point at a label to see its links.", class_="readout", aria_live="polite")
    dropped = f" The {len(graph['links'])} strongest links are kept." if graph["dropped"] else None
    return tag(
        "div",
        figure(
            graph["title"],
            Markup(
                slider + legend + tag("div", figures.label_graph(graph), class_="canvas") + hint
            ),
            graph["explanation"],
            dropped,
            class_="wide graph-box",
        ),
        _links_table(graph),
    )


def _links_table(graph: Mapping[str, Any]) -> Markup:
    rows = [
        [
            cell(label_set([graph["names"][a], graph["names"][b]])),
            cell(signed(weight), weight, "number"),
        ]
        for a, b, weight in graph["links"][:15]
    ]
    listed = table("The strongest links", ["Labels", "Weight"], rows, numeric=1)
    return tag("details", tag("summary", "The strongest links as a table"), listed)
