"""The cross-entropy of softmax scores, its derivative and its curvature, row by row."""

from math import log

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray
from labelfield.kernels.losses.logistic import exp_decay

__all__ = ["softmax_terms"]


@compiled
def softmax_terms(
    scores: FloatArray, targets: FloatArray, weights: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Return the weighted loss, its derivative by the scores (n, K) and summed curvature (K,).

    scores (n, K), finite; targets (n, K), rows sum to one; weights (n,). The loss of a row is
    log sum_k e^z_k - sum_k t_k z_k, its derivative p - t and its curvature p (1 - p). One pass a
    row, while the row is in the fastest memory.
    """
    n, n_classes = scores.shape
    loss, curvature = 0.0, np.zeros(n_classes)
    derivative = np.empty((n, n_classes))
    distance, decay = np.empty(n_classes), np.empty(n_classes)
    scratch, work = np.empty(n_classes), np.empty(n_classes)
    for i in range(n):
        peak = -np.inf
        for k in range(n_classes):
            peak = max(peak, scores[i, k])
        fitted = 0.0
        for k in range(n_classes):
            distance[k] = peak - scores[i, k]
            fitted += targets[i, k] * distance[k]
        exp_decay(distance, decay, scratch, work)
        total = decay.sum()
        weight = weights[i]
        loss += weight * (log(total) + fitted)
        for k in range(n_classes):
            p = decay[k] / total
            derivative[i, k] = weight * (p - targets[i, k])
            curvature[k] += weight * p * (1.0 - p)
    return loss, derivative, curvature
