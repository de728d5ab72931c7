"""The cross-entropy of softmax scores, its derivative and its curvature, row by row."""

from math import log

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray
from labelfield.kernels.losses.logistic import exp_decay

__all__ = ["softmax_terms"]


def softmax_terms(
    scores: FloatArray,
    weights: FloatArray,
    starts: IntArray,
    classes: IntArray,
    targets: FloatArray,
) -> tuple[float, FloatArray]:
    """Return the weighted loss and summed curvature (K,); scores become derivatives.

    scores (n, K), finite, C-ordered, overwritten; weights (n,). Targets, which sum to one in every
    row, are a CSR matrix: row i holds targets[k] of classes[k], k from starts[i] to starts[i + 1].
    The loss of a row is log sum_k e^z_k - sum_k t_k z_k, its derivative p - t and its curvature
    p (1 - p). One pass a row, while the row is in the fastest memory.
    """
    n_classes = scores.shape[1]
    curvature, distance, decay = np.zeros(n_classes), np.empty(n_classes), np.empty(n_classes)
    scratch, work = np.empty(n_classes), np.empty(n_classes)
    bits = work.view(np.int64)
    loss = _fill_terms(
        scores, weights, starts, classes, targets, distance, decay, scratch, work, bits, curvature
    )
    return loss, curvature


@compiled
def _fill_terms(
    scores: FloatArray,
    weights: FloatArray,
    starts: IntArray,
    classes: IntArray,
    targets: FloatArray,
    distance: FloatArray,
    decay: FloatArray,
    scratch: FloatArray,
    work: FloatArray,
    bits: IntArray,
    curvature: FloatArray,
) -> float:
    """Return the loss and add up the curvature; all memory is given."""
    n, n_classes = scores.shape
    loss = 0.0
    for i in range(n):
        peak = -np.inf
        for k in range(n_classes):
            peak = max(peak, scores[i, k])
        for k in range(n_classes):
            distance[k] = peak - scores[i, k]
        exp_decay(distance, 0, n_classes, decay, scratch, work, bits)
        total = 0.0
        for k in range(n_classes):
            total += decay[k]
        weight = weights[i]
        fitted = log(total)
        for k in range(n_classes):
            p = decay[k] / total
            curvature[k] += weight * p * (1.0 - p)
            scores[i, k] = weight * p
        for m in range(starts[i], starts[i + 1]):
            fitted += targets[m] * distance[classes[m]]
            scores[i, classes[m]] -= weight * targets[m]
        loss += weight * fitted
    return loss
