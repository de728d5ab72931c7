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
    scores: FloatArray,
    known: IntArray,
    weight: FloatArray,
    scratch: FloatArray,
    work: FloatArray,
) -> float:
    """Turn scores (M, ROWS) into probabilities in place; return minus the log of the known ones.

    Both are times the weight (ROWS,) of the column, which is zero where there is no row.
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
        loss += weight[b] * scores[known[b], b]
    flat = scores.reshape(scores.size)
    exp_decay(flat, 0, flat.size, flat, scratch, work, work.view(np.int64))
    total = np.zeros(ROWS)
    for m in range(n_sets):
        for b in range(ROWS):
            total[b] += scores[m, b]
    for b in range(ROWS):
        loss += weight[b] * log(total[b])
        total[b] = weight[b] / total[b]
    for m in range(n_sets):
        for b in range(ROWS):
            scores[m, b] *= total[b]
    return loss


@compiled
def support_terms(
    field: FloatArray,
    set_score: FloatArray,
    labels: IntArray,
    starts: IntArray,
    known: IntArray,
    weight: FloatArray,
) -> tuple[float, FloatArray, FloatArray]:
    """Return minus the log-likelihood and its gradients by field (n, L) and set_score (M,).

    Set m holds the labels labels[starts[m]:starts[m + 1]]; its score in row n is set_score_m plus
    the sum of field_n over them, normalised over the M sets. Row n holds set known[n] and counts
    weight[n] times.
    """
    n, n_labels = field.shape
    n_sets = set_score.size
    gradient, mass, loss = np.empty((n, n_labels)), np.zeros(n_sets), 0.0
    block, pull = np.zeros((n_labels, ROWS)), np.empty((n_labels, ROWS))
    scores = np.empty((n_sets, ROWS))
    scratch, work = np.empty(n_sets * ROWS), np.empty(n_sets * ROWS)
    of_block, times = np.zeros(ROWS, dtype=np.int64), np.zeros(ROWS)
    for first in range(0, n, ROWS):
        size = min(ROWS, n - first)
        of_block[:] = 0
        times[:] = 0.0
        for b in range(size):
            of_block[b] = known[first + b]
            times[b] = weight[first + b]
            for label in range(n_labels):
                block[label, b] = field[first + b, label]
        _score_sets(block, set_score, labels, starts, scores)
        loss += _to_probabilities(scores, of_block, times, scratch, work)
        for b in range(size):
            scores[of_block[b], b] -= times[b]
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
