"""The cross-entropy of softmax scores, its derivative and its curvature."""

import numpy as np

from labelfield._typing import FloatArray, IntArray
from labelfield.kernels.losses.logistic import CHUNK

__all__ = ["softmax_terms"]


def softmax_terms(
    scores: FloatArray,
    weights: FloatArray,
    starts: IntArray,
    classes: IntArray,
    targets: FloatArray,
) -> tuple[float, FloatArray]:
    """Return the weighted loss and summed curvature (K,); scores become derivatives.

    scores (n, K), finite, overwritten; weights (n,). Targets, which sum to one in every row, are a
    CSR matrix: row i holds targets[k] of classes[k], k from starts[i] to starts[i + 1].
    The loss of a row is log sum_k e^z_k - sum_k t_k z_k, its derivative p - t and its curvature
    p (1 - p). A few rows at a time, while they are in fast memory.
    """
    n_rows, n_classes = scores.shape
    loss, curvature = 0.0, np.zeros(n_classes)
    rows = np.repeat(np.arange(n_rows), np.diff(starts))
    step = max(1, CHUNK // n_classes)
    for first in range(0, n_rows, step):
        z, weight = scores[first : first + step], weights[first : first + step]
        inside = slice(starts[first], starts[min(first + step, n_rows)])
        given, values = (rows[inside] - first, classes[inside]), targets[inside]
        z -= z.max(axis=1, keepdims=True)
        fitted = np.bincount(given[0], values * z[given], len(z))
        np.exp(z, out=z)
        total = z.sum(axis=1)
        loss += float(weight @ (np.log(total) - fitted))
        z /= total[:, None]
        curvature += weight @ (z * (1.0 - z))
        z[given] -= values
        z *= weight[:, None]
    return loss, curvature
