"""Mean field: the product law nearest to a field of labels, by coordinate ascent."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import BoolArray, FloatArray
from labelfield.kernels.fields.cliques import Cliques

__all__ = ["mean_field"]


@compiled
def _log_odds(
    label: int, unary: FloatArray, graph: Cliques, coupling: FloatArray, mean: FloatArray
) -> float:
    """Return the log-odds of a label when the others are present with their mean."""
    total = unary[label]
    for q in range(graph.starts[label], graph.starts[label + 1]):
        c = graph.incident[q]
        product = coupling[c]
        for m in range(graph.offsets[c], graph.offsets[c + 1]):
            if graph.members[m] != label:
                product *= mean[graph.members[m]]
        total += product
    return float(total)


@compiled
def _bound(
    unary: FloatArray,
    graph: Cliques,
    coupling: FloatArray,
    mean: FloatArray,
    present: FloatArray,
) -> float:
    """Return the lower bound on log Z of one row and fill in its clique means."""
    total = 0.0
    for label in range(len(unary)):
        p = mean[label]
        total += unary[label] * p
        if 0.0 < p < 1.0:
            total -= p * np.log(p) + (1.0 - p) * np.log1p(-p)
    for c in range(len(coupling)):
        present[c] = 1.0
        for m in range(graph.offsets[c], graph.offsets[c + 1]):
            present[c] *= mean[graph.members[m]]
        total += coupling[c] * present[c]
    return total


@compiled
def mean_field(
    unary: FloatArray, graph: Cliques, coupling: FloatArray, max_iter: int, tol: float
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Sweep over the labels until no mean moves by `tol`.

    unary (n, L); coupling (n or 1, C). All labels start from their log-odds beside others of mean
    one half, which does not depend on whether labels are written 0/1 or -1/+1.

    Returns
    -------
    bound, mean, present, settled : (n,), (n, L), (n, C), (n,)
        Lower bound on log Z, means of labels and cliques, rows that settled.
    """
    n, n_labels = unary.shape
    bound, mean = np.empty(n), np.empty((n, n_labels))
    present, settled = np.empty((n, coupling.shape[1])), np.zeros(n, dtype=np.bool_)
    even = np.full(n_labels, 0.5)
    for i in range(n):
        weights, p = coupling[min(i, len(coupling) - 1)], mean[i]
        for label in range(n_labels):
            odds = _log_odds(label, unary[i], graph, weights, even)
            p[label] = 1.0 / (1.0 + np.exp(-odds))
        for _ in range(max_iter):
            change = 0.0
            for label in range(n_labels):
                odds = _log_odds(label, unary[i], graph, weights, p)
                new = 1.0 / (1.0 + np.exp(-odds))
                change = max(change, abs(new - p[label]))
                p[label] = new
            if change < tol:
                settled[i] = True
                break
        bound[i] = _bound(unary[i], graph, weights, p, present[i])
    return bound, mean, present, settled
