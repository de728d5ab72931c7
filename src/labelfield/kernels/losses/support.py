"""Log-linear distributions on a list of label sets: likelihood and its gradients."""

from math import log

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray
from labelfield.kernels.losses.logistic import exp_decay

__all__ = ["support_terms"]

ROWS = 16  # handled together: every inner loop runs over them


@compiled
def _score_sets(
    field: FloatArray, set_score: FloatArray, labels: IntArray, starts: IntArray, scores: FloatArray
) -> None:
    """Fill scores (M, ROWS) with set_score_m + the sum of field (L, ROWS) over the set's labels."""
    for m in range(set_score.size):
        score = scores[m]
        score[:] = set_score[m]
        for k in range(starts[m], starts[m + 1]):
            one = field[labels[k]]
            for b in range(ROWS):
                score[b] += one[b]


@compiled
def _to_probabilities(
    scores: FloatArray, known: IntArray, scratch: FloatArray, work: FloatArray
) -> float:
    """Turn scores (M, ROWS) into probabilities in place; return minus the log of the known ones.

    Columns without a known set (a negative number) become zero.
    """
    n_sets = scores.shape[0]
    peak = scores[0].copy()
    for m in range(1, n_sets):
        for b in range(ROWS):
            peak[b] = max(peak[b], scores[m, b])
    for m in range(n_sets):
        for b in range(ROWS):
            scores[m, b] = peak[b] - scores[m, b]
    loss = 0.0
    for b in range(ROWS):
        loss += scores[known[b], b] if known[b] >= 0 else 0.0
    flat = scores.reshape(scores.size)
    exp_decay(flat, flat, scratch, work)
    total = np.zeros(ROWS)
    for m in range(n_sets):
        for b in range(ROWS):
            total[b] += scores[m, b]
    for b in range(ROWS):
        loss += log(total[b]) if known[b] >= 0 else 0.0
        total[b] = 1.0 / total[b] if known[b] >= 0 else 0.0
    for m in range(n_sets):
        for b in range(ROWS):
            scores[m, b] *= total[b]
    return loss


@compiled
def support_terms(
    field: FloatArray, set_score: FloatArray, labels: IntArray, starts: IntArray, known: IntArray
) -> tuple[float, FloatArray, FloatArray]:
    """Return minus the log-likelihood and its gradients by field (n, L) and set_score (M,).

    Set m holds the labels labels[starts[m]:starts[m + 1]]; its score in row n is set_score_m plus
    the sum of field_n over them, normalised over the M sets. Row n holds set known[n].
    """
    n, n_labels = field.shape
    n_sets = set_score.size
    gradient, mass, loss = np.empty((n, n_labels)), np.zeros(n_sets), 0.0
    block, pull = np.zeros((n_labels, ROWS)), np.empty((n_labels, ROWS))
    scores = np.empty((n_sets, ROWS))
    scratch, work = np.empty(n_sets * ROWS), np.empty(n_sets * ROWS)
    of_block = np.full(ROWS, -1)
    for first in range(0, n, ROWS):
        size = min(ROWS, n - first)
        of_block[:] = -1
        for b in range(size):
            of_block[b] = known[first + b]
            for label in range(n_labels):
                block[label, b] = field[first + b, label]
        _score_sets(block, set_score, labels, starts, scores)
        loss += _to_probabilities(scores, of_block, scratch, work)
        for b in range(size):
            scores[of_block[b], b] -= 1.0
        pull[:] = 0.0
        for m in range(n_sets):
            residual = scores[m]
            mass[m] += residual.sum()
            for k in range(starts[m], starts[m + 1]):
                one = pull[labels[k]]
                for b in range(ROWS):
                    one[b] += residual[b]
        for b in range(size):
            for label in range(n_labels):
                gradient[first + b, label] = pull[label, b]
    return loss, gradient, mass
