"""A label graph made ready for drawing."""

from typing import Any

import numpy as np

from labelfield.label_graph import LabelGraph
from labelfield.label_graph.layout import first_threshold, similarity_order

__all__ = ["summarize_graph"]

KEPT = 1500
KEEP_ALL = 20


def summarize_graph(graph: LabelGraph, *, n_links: int = KEPT) -> dict[str, Any]:
    """Prepare a label graph for drawing: strongest links, an order of labels, a first threshold.

    Parameters
    ----------
    graph : LabelGraph
    n_links : int, default=1500
        How many of the strongest links are kept.

    Returns
    -------
    dict
        "title", "explanation", "names", "order", "links" [[a, b, weight], ...] strongest first,
        "dropped" (how many weaker links were left out), "threshold" and "keep_all".

    Examples
    --------
    >>> from labelfield import LabelGraph
    >>> from labelfield.report.summary import summarize_graph
    >>> summarize_graph(LabelGraph(("a", "b"), [[0, 1]], [-2.0]))["links"]
    [[0, 1, -2.0]]
    """
    names = list(graph.names)
    rounded = np.round(graph.weights[:n_links], 4)
    rounded = rounded[rounded != 0.0]  # strongest first: what is left out comes last
    return {
        "title": graph.title,
        "explanation": graph.explanation,
        "names": names,
        "order": [int(k) for k in similarity_order(graph.matrix())],
        "links": [[int(a), int(b), float(weight)] for (a, b), weight in zip(graph.pairs, rounded)],
        "dropped": len(graph.pairs) - len(rounded),
        "threshold": first_threshold(graph.pairs, np.abs(rounded), len(names)),
        "keep_all": len(names) <= KEEP_ALL,
    }
