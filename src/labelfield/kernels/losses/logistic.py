"""The logistic loss, its derivative and its curvature for many scores at once."""

from math import factorial

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray

__all__ = ["exp_decay", "logistic_terms"]

BLOCK = 1024  # scores handled together: their work arrays stay in the fastest memory
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
# Adding this number leaves the rounded value in the last bits of the sum.
ROUNDER = 6755399441055744.0
EXP_TERMS = np.array([1.0 / factorial(k) for k in range(13, -1, -1)])
ATANH_TERMS = np.array([1.0 / k for k in range(33, 0, -2)])


@compiled
def _polynomial(terms: FloatArray, x: FloatArray, size: int, result: FloatArray) -> None:
    """Fill `result` with the polynomial whose coefficients are `terms`, highest power first."""
    for j in range(size):
        result[j] = terms[0]
    for k in range(1, terms.size):
        term = terms[k]
        for j in range(size):
            result[j] = result[j] * x[j] + term


@compiled
def exp_decay(
    scores: FloatArray,
    start: int,
    size: int,
    decay: FloatArray,
    scratch: FloatArray,
    work: FloatArray,
    bits: IntArray,
) -> None:
    """Fill `decay` with exp(-|z|) of scores[start : start + size]; the rest is overwritten.

    `bits` is the memory of `work` as int64.

    Plain polynomials let the compiler handle several scores per instruction, which calls into the
    mathematical library prevent; exact to a few units in the last place.
    """
    for j in range(size):
        x = max(-abs(scores[start + j]), -700.0)
        work[j] = x * LOG2_E + ROUNDER
        whole = work[j] - ROUNDER
        scratch[j] = (x - whole * LN2_HIGH) - whole * LN2_LOW
    _polynomial(EXP_TERMS, scratch, size, decay)
    for j in range(size):
        bits[j] = (bits[j] + 1023) << 52
    for j in range(size):
        decay[j] *= work[j]


def logistic_terms(
    scores: FloatArray,
    weights: FloatArray,
    groups: IntArray,
    starts: IntArray,
    labels: IntArray,
    targets: FloatArray,
    firsts: IntArray,
    members: IntArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the weighted loss and curvature per column (C,); scores become derivatives.

    scores (n, C), C-ordered, overwritten; weights (n, G), column c has those of group groups[c].
    Targets in [0, 1] are a CSR matrix: row i holds targets[k] of the label labels[k], k from
    starts[i] to starts[i + 1]. Label l belongs to the columns members[firsts[l]:firsts[l + 1]].
    The loss of a score z with target y is log(1 + e^z) - y z, its derivative p - y and its
    curvature p (1 - p).
    """
    n_columns = scores.shape[1]
    size = max(1, BLOCK // max(n_columns, 1)) * n_columns
    loss, curvature, times = np.zeros(n_columns), np.zeros(n_columns), np.empty(n_columns)
    decay, softplus, work = np.empty(size), np.empty(size), np.empty(size)
    scratch = (times, decay, softplus, work, work.view(np.int64))
    of_targets = (starts, labels, targets, firsts, members)
    if n_columns:
        _fill_terms(
            scores, scores.reshape(-1), weights, groups, *of_targets, *scratch, loss, curvature
        )
    return loss, curvature


@compiled
def _fill_terms(
    scores: FloatArray,
    flat: FloatArray,
    weights: FloatArray,
    groups: IntArray,
    starts: IntArray,
    labels: IntArray,
    targets: FloatArray,
    firsts: IntArray,
    members: IntArray,
    times: FloatArray,
    decay: FloatArray,
    softplus: FloatArray,
    work: FloatArray,
    bits: IntArray,
    loss: FloatArray,
    curvature: FloatArray,
) -> None:
    """Add up loss and curvature; all memory is given, so that little has to be compiled."""
    n, n_columns = scores.shape
    shared = weights.shape[1] == 1
    rows = decay.size // n_columns
    for first in range(0, n, rows):
        last = min(first + rows, n)
        size, start = (last - first) * n_columns, first * n_columns
        exp_decay(flat, start, size, decay, softplus, work, bits)
        for j in range(size):
            ratio = decay[j] / (2.0 + decay[j])
            work[j] = ratio * ratio
        _polynomial(ATANH_TERMS, work, size, softplus)
        for j in range(size):  # log(1 + e) = 2 atanh(e / (2 + e))
            z, e = flat[start + j], decay[j]
            softplus[j] = max(z, 0.0) + softplus[j] * 2.0 * e / (2.0 + e)
            larger = 1.0 / (1.0 + e)
            work[j] = e * larger * larger
            decay[j] = larger if z >= 0.0 else e * larger
        for i in range(first, last):
            base = (i - first) * n_columns
            for k in range(starts[i], starts[i + 1]):
                label, target = labels[k], targets[k]
                for m in range(firsts[label], firsts[label + 1]):
                    c = members[m]
                    softplus[base + c] -= target * scores[i, c]
                    decay[base + c] -= target
            if shared:
                weight = weights[i, 0]
                for c in range(n_columns):
                    times[c] = weight
            else:
                for c in range(n_columns):
                    times[c] = weights[i, groups[c]]
            for c in range(n_columns):
                loss[c] += times[c] * softplus[base + c]
                curvature[c] += times[c] * work[base + c]
                scores[i, c] = times[c] * decay[base + c]
