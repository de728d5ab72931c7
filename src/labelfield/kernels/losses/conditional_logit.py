"""The loss of a conditional logit over listed sets and its gradient, row by row."""

from math import log

import numpy as np

from labelfield._compile import compiled_sums
from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.kernels.losses.logistic import exp_decay

__all__ = ["choice_terms"]

FAR = 700.0  # exp of less is 0 for all that counts


def choice_terms(
    coef: FloatArray, scores: FloatArray, truth: IntArray, possible: BoolArray, weights: FloatArray
) -> tuple[float, FloatArray]:
    """Return the weighted loss of all rows and its gradient (m,).

    coef (m,); scores (m, n, S), float32, C-ordered; truth (n,), a possible set of each row;
    possible (n, S); weights (n,). The loss of a row is log sum_s e^(z_s) - z_truth over its
    possible sets, z = sum_m coef_m scores_m. One pass a row, while it is in the fastest memory.
    """
    n_sets = scores.shape[2]
    gradient, distance, decay = np.zeros(len(coef)), np.empty(n_sets), np.empty(n_sets)
    scratch, work = np.empty(n_sets), np.empty(n_sets)
    bits = work.view(np.int64)
    loss = _add_rows(
        coef, scores, truth, possible, weights, gradient, distance, decay, scratch, work, bits
    )
    return loss, gradient


@compiled_sums
def _add_rows(
    coef: FloatArray,
    scores: FloatArray,
    truth: IntArray,
    possible: BoolArray,
    weights: FloatArray,
    gradient: FloatArray,
    distance: FloatArray,
    decay: FloatArray,
    scratch: FloatArray,
    work: FloatArray,
    bits: IntArray,
) -> float:
    """Return the loss and add up the gradient; all memory is given."""
    n_scores, n, n_sets = scores.shape
    loss = 0.0
    for i in range(n):
        for k in range(n_sets):
            distance[k] = 0.0
        for m in range(n_scores):
            for k in range(n_sets):
                distance[k] += coef[m] * scores[m, i, k]
        peak = distance[truth[i]]
        for k in range(n_sets):
            if possible[i, k] and distance[k] > peak:
                peak = distance[k]
        for k in range(n_sets):
            distance[k] = peak - distance[k] if possible[i, k] else FAR
        exp_decay(distance, 0, n_sets, decay, scratch, work, bits)
        total = 0.0
        for k in range(n_sets):
            total += decay[k]
        loss += weights[i] * (log(total) + distance[truth[i]])
        for m in range(n_scores):
            expected = 0.0
            for k in range(n_sets):
                expected += decay[k] * scores[m, i, k]
            gradient[m] += weights[i] * (expected / total - scores[m, i, truth[i]])
    return loss
