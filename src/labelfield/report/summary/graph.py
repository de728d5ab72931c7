"""The graph of labels: of a model that learned one, or of the associations in the data."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelfield.label_graph import LabelGraph
from labelfield.label_graph.layout import first_threshold, similarity_order
from labelfield.report.summary.pairs import pair_counts, phi_coefficients
from labelfield.report.summary.reading import read_labels, read_names

__all__ = ["associate_labels", "summarize_graph"]

KEPT = 1500
KEEP_ALL = 20


def associate_labels(Y: Any, *, label_names: Sequence[str] | None = None) -> LabelGraph:
    """Return the graph of label associations in the data: signed phi coefficients.

    Parameters
    ----------
    Y : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    label_names : sequence of L str, optional

    Examples
    --------
    >>> from labelfield.report.summary import associate_labels
    >>> associate_labels([[1, 0], [0, 1], [1, 0], [0, 1]], label_names=["a", "b"]).edges()
    [('a', 'b', -1.0)]
    """
    ones, known = read_labels(Y, "Y")
    return LabelGraph.from_matrix(
        read_names(label_names, ones.shape[1]),
        phi_coefficients(pair_counts(ones, known)),
        title="Label associations in the data",
        explanation=(
            "Links are correlations of two labels in the data (phi coefficients), not parameters "
            "of a model: a link may come from a third label or from the features."
        ),
    )


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
