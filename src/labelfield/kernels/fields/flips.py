"""Moves of single labels: Gibbs sampling and greedy improvement.

unary is (n, L), coupling (n or 1, C).
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, LabelArray
from labelfield.kernels.fields.cliques import Cliques

__all__ = ["gibbs_sweep", "improve"]


@compiled
def _log_odds(
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
            p = 1.0 / (1.0 + np.exp(-_log_odds(label, unary[i], graph, weights, sets[i])))
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
                log_odds[label] = _log_odds(label, unary[i], graph, weights, y)
            for _ in range(4 * n_labels):  # gains shrink to rounding error long before
                best, gain = -1, 1e-12
                for label in range(n_labels):
                    better = -log_odds[label] if y[label] else log_odds[label]
                    if better > gain:
                        best, gain = label, better
                if best < 0:
                    break
                _flip(best, graph, weights, y, log_odds)
