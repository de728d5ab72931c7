"""The loss of a conditional logit over listed sets and its gradient."""

import numpy as np

from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.kernels.losses.logistic import CHUNK

__all__ = ["choice_terms"]


def choice_terms(
    coef: FloatArray, scores: FloatArray, truth: IntArray, possible: BoolArray, weights: FloatArray
) -> tuple[float, FloatArray]:
    """Return the weighted loss of all rows and its gradient (m,).

    coef (m,); scores (m, n, S), float32; truth (n,), a possible set of each row; possible (n, S);
    weights (n,). The loss of a row is log sum_s e^(z_s) - z_truth over its possible sets,
    z = sum_m coef_m scores_m. A few rows at a time, while they are in fast memory.
    """
    n_scores, n_rows, n_sets = scores.shape
    loss, gradient = 0.0, np.zeros(n_scores)
    step = max(1, CHUNK // (n_sets * (n_scores + 1)))
    for first in range(0, n_rows, step):
        rows = slice(first, first + step)
        part, true = scores[:, rows].astype(np.float64), truth[rows, None]
        z = np.tensordot(coef, part, axes=1)
        z[~possible[rows]] = -np.inf
        z -= z.max(axis=1, keepdims=True)
        fitted = np.take_along_axis(z, true, axis=1)[:, 0]
        np.exp(z, out=z)
        total = z.sum(axis=1)
        loss += float(weights[rows] @ (np.log(total) - fitted))
        z *= (weights[rows] / total)[:, None]
        given = np.take_along_axis(z, true, axis=1) - weights[rows, None]
        np.put_along_axis(z, true, given, axis=1)
        gradient += part.reshape(n_scores, -1) @ z.ravel()
    return loss, gradient
