"""The logistic loss, its derivative and its curvature for many scores at once."""

from math import factorial

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray

__all__ = ["exp_decay", "logistic_terms"]

BLOCK = 1024  # scores handled together: their work arrays stay in the fastest memory
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
# Adding this number leaves the rounded value in the last bits of the sum.
ROUNDER = 6755399441055744.0
EXP_TERMS = np.array([1.0 / factorial(k) for k in range(13, -1, -1)])
ATANH_TERMS = np.array([1.0 / k for k in range(33, 0, -2)])


@compiled
def _polynomial(terms: FloatArray, x: FloatArray, result: FloatArray) -> None:
    """Fill `result` with the polynomial whose coefficients are `terms`, highest power first."""
    result[:] = terms[0]
    for k in range(1, terms.size):
        term = terms[k]
        for j in range(x.size):
            result[j] = result[j] * x[j] + term


@compiled
def exp_decay(scores: FloatArray, decay: FloatArray, scratch: FloatArray, work: FloatArray) -> None:
    """Fill `decay` with exp(-|z|), all (size,); `scratch` and `work` are overwritten.

    Plain polynomials let the compiler handle several scores per instruction, which calls into the
    mathematical library prevent; exact to a few units in the last place.
    """
    bits = work.view(np.int64)
    for j in range(scores.size):
        x = max(-abs(scores[j]), -700.0)
        work[j] = x * LOG2_E + ROUNDER
        whole = work[j] - ROUNDER
        scratch[j] = (x - whole * LN2_HIGH) - whole * LN2_LOW
    _polynomial(EXP_TERMS, scratch, decay)
    for j in range(scores.size):
        bits[j] = (bits[j] + 1023) << 52
    for j in range(scores.size):
        decay[j] *= work[j]


@compiled
def _exp_and_log1p(
    scores: FloatArray, decay: FloatArray, softplus: FloatArray, work: FloatArray
) -> None:
    """Fill `decay` with exp(-|z|) and `softplus` with log(1 + exp(-|z|)), all (size,)."""
    exp_decay(scores, decay, softplus, work)
    for j in range(scores.size):
        ratio = decay[j] / (2.0 + decay[j])
        work[j] = ratio * ratio
    _polynomial(ATANH_TERMS, work, softplus)
    for j in range(scores.size):
        softplus[j] *= 2.0 * decay[j] / (2.0 + decay[j])  # log(1 + e) = 2 atanh(e / (2 + e))


@compiled
def logistic_terms(
    scores: FloatArray, targets: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the weighted loss per column (C,), its derivative (n, C) and curvature (C,).

    scores, targets (n, C), C-ordered; weights (n, 1) or (n, C). The loss of a score z with target
    y in [0, 1] is log(1 + e^z) - y z, its derivative p - y and its curvature p (1 - p).
    """
    n, n_columns = scores.shape
    own = 0 if weights.shape[1] == 1 else 1
    loss, curvature = np.zeros(n_columns), np.zeros(n_columns)
    derivative = np.empty((n, n_columns))
    rows = max(1, BLOCK // max(n_columns, 1))
    decay, softplus = np.empty(rows * n_columns), np.empty(rows * n_columns)
    work = np.empty(rows * n_columns)
    for first in range(0, n, rows):
        last = min(first + rows, n)
        size = (last - first) * n_columns
        block = scores[first:last].reshape(size)
        _exp_and_log1p(block, decay[:size], softplus[:size], work[:size])
        for i in range(first, last):
            base = (i - first) * n_columns
            for j in range(n_columns):
                z, y, weight = scores[i, j], targets[i, j], weights[i, j * own]
                e = decay[base + j]
                larger = 1.0 / (1.0 + e)
                p = larger if z >= 0.0 else e * larger
                derivative[i, j] = weight * (p - y)
                curvature[j] += weight * e * larger * larger
                loss[j] += weight * (max(z, 0.0) - y * z + softplus[base + j])
    return loss, derivative, curvature
