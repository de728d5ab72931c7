"""Sweeps over single labels of a field: Gibbs sampling, greedy improvement, mean field.

unary is (n, L), coupling (n or 1, C).
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.kernels.fields.graphs import Cliques

__all__ = ["gibbs_sweep", "improve", "mean_field"]


@compiled
def _log_odds_beside(
    label: int, unary: FloatArray, graph: Cliques, coupling: FloatArray, y: LabelArray
) -> float:
    """Return the log-odds of a label given all others."""
    total = unary[label]
    for q in range(graph.starts[label], graph.starts[label + 1]):
        c = graph.incident[q]
        together = True
        for m in range(graph.offsets[c], graph.offsets[c + 1]):
            together = together and (graph.members[m] == label or y[graph.members[m]] == 1)
        if together:
            total += coupling[c]
    return float(total)


@compiled
def gibbs_sweep(
    unary: FloatArray,
    graph: Cliques,
    coupling: FloatArray,
    sets: LabelArray,
    uniform: FloatArray,
) -> None:
    """Draw every label of `sets` (n, L) anew given the others, from uniform numbers (n, L)."""
    for i in range(len(sets)):
        weights = coupling[min(i, len(coupling) - 1)]
        for label in range(sets.shape[1]):
            p = 1.0 / (1.0 + np.exp(-_log_odds_beside(label, unary[i], graph, weights, sets[i])))
            sets[i, label] = uniform[i, label] < p


@compiled
def _flip(
    label: int, graph: Cliques, coupling: FloatArray, y: LabelArray, log_odds: FloatArray
) -> None:
    """Flip a label of `y` and correct the log-odds (L,) of the labels it is coupled to."""
    y[label] ^= 1
    for q in range(graph.starts[label], graph.starts[label + 1]):
        c = graph.incident[q]
        for m in range(graph.offsets[c], graph.offsets[c + 1]):
            other, together = graph.members[m], graph.members[m] != label
            for k in range(graph.offsets[c], graph.offsets[c + 1]):
                third = graph.members[k]
                together = together and (third in (label, other) or y[third] == 1)
            if together:
                log_odds[other] += coupling[c] if y[label] else -coupling[c]


@compiled
def improve(unary: FloatArray, graph: Cliques, coupling: FloatArray, sets: LabelArray) -> None:
    """Flip the label that gains most, in place, until no single flip raises the score.

    sets (n, k, L).
    """
    n_labels = sets.shape[2]
    log_odds = np.empty(n_labels)
    for i in range(len(sets)):
        weights = coupling[min(i, len(coupling) - 1)]
        for y in sets[i]:
            for label in range(n_labels):
                log_odds[label] = _log_odds_beside(label, unary[i], graph, weights, y)
            for _ in range(4 * n_labels):  # gains shrink to rounding error long before
                best, gain = -1, 1e-12
                for label in range(n_labels):
                    better = -log_odds[label] if y[label] else log_odds[label]
                    if better > gain:
                        best, gain = label, better
                if best < 0:
                    break
                _flip(best, graph, weights, y, log_odds)


@compiled
def _log_odds_on_average(
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
def _lower_bound(
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
            odds = _log_odds_on_average(label, unary[i], graph, weights, even)
            p[label] = 1.0 / (1.0 + np.exp(-odds))
        for _ in range(max_iter):
            change = 0.0
            for label in range(n_labels):
                odds = _log_odds_on_average(label, unary[i], graph, weights, p)
                new = 1.0 / (1.0 + np.exp(-odds))
                change = max(change, abs(new - p[label]))
                p[label] = new
            if change < tol:
                settled[i] = True
                break
        bound[i] = _lower_bound(unary[i], graph, weights, p, present[i])
    return bound, mean, present, settled
