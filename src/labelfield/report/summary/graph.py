"""The graph of labels: of a model that learned one, or of the associations in the data."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labelfield._typing import FloatArray
from labelfield.report.summary.pairs import pair_counts, phi_coefficients, similarity_order
from labelfield.report.summary.reading import read_labels, read_names

__all__ = ["associate_labels", "summarize_graph"]

KEPT = 1500
KEEP_ALL = 20
FIRST_LABELS = 70


def associate_labels(Y: Any, *, label_names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the graph of label associations in the data: signed phi coefficients.

    Parameters
    ----------
    Y : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    label_names : sequence of L str, optional

    Returns
    -------
    dict
        "nodes" (L,), "weights" (L, L), "title" and "explanation", as `summarize_graph` takes it.

    Examples
    --------
    >>> from labelfield.report.summary import associate_labels
    >>> associate_labels([[1, 0], [0, 1], [1, 0], [0, 1]])["weights"].tolist()
    [[0.0, -1.0], [-1.0, 0.0]]
    """
    ones, known = read_labels(Y, "Y")
    return {
        "nodes": read_names(label_names, ones.shape[1]),
        "weights": phi_coefficients(pair_counts(ones, known)),
        "title": "Label associations in the data",
        "explanation": (
            "Links are correlations of two labels in the data (phi coefficients), not parameters "
            "of a model: a link may come from a third label or from the features."
        ),
    }


def summarize_graph(graph: Mapping[str, Any], *, n_links: int = KEPT) -> dict[str, Any]:
    """Prepare a label graph for drawing: strongest links, an order of labels, a first threshold.

    Parameters
    ----------
    graph : mapping
        "nodes" (L,) names and "weights" (L, L), symmetric and signed; also "title" and
        "explanation" if there is something to say.
    n_links : int, default=1500
        How many of the strongest links are kept.

    Returns
    -------
    dict
        "title", "explanation", "names", "order", "links" [[a, b, weight], ...] strongest first,
        "dropped" (how many weaker links were left out), "threshold" and "keep_all".

    Examples
    --------
    >>> from labelfield.report.summary import summarize_graph
    >>> summarize_graph({"nodes": ["a", "b"], "weights": [[0, -2], [-2, 0]]})["links"]
    [[0, 1, -2.0]]
    """
    weights = np.asarray(graph["weights"], dtype=np.float64)
    names = read_names(graph["nodes"], len(weights))
    _check_weights(weights, len(names))
    first, second = np.triu_indices(len(names), k=1)
    strength = np.abs(weights[first, second])
    strongest = np.argsort(-strength, kind="stable")
    strongest = strongest[strength[strongest] > 0]
    links = [
        [int(first[k]), int(second[k]), round(float(weights[first[k], second[k]]), 4)]
        for k in strongest[:n_links]
    ]
    keep_all = len(names) <= KEEP_ALL
    return {
        "title": graph.get("title", "Label graph of the model"),
        "explanation": graph.get("explanation", "Links are what the model learned about labels."),
        "names": names,
        "order": [int(k) for k in similarity_order(weights)],
        "links": links,
        "dropped": len(strongest) - len(links),
        "threshold": _first_threshold(links, len(names)),
        "keep_all": keep_all,
    }


def _check_weights(weights: FloatArray, L: int) -> None:
    if weights.shape != (L, L):
        raise ValueError(f"label_graph weights have shape {weights.shape} for {L} nodes.")
    if not np.isfinite(weights).all() or not np.allclose(weights, weights.T):
        raise ValueError("label_graph weights must be finite and symmetric: one number per pair.")


def _first_threshold(links: list[list[Any]], L: int) -> float:
    """Return a threshold that starts with about 1.5 links per label and at most `FIRST_LABELS`."""
    linked: set[int] = set()
    threshold = 0.0
    for place, (a, b, weight) in enumerate(links):
        linked |= {a, b}
        if place >= max(8, 1.5 * L) or len(linked) > FIRST_LABELS:
            break
        threshold = abs(weight)
    return threshold
