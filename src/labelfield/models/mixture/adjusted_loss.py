"""Logistic losses of log-odds that are scaled and shifted label by label."""

import math

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray

__all__ = ["adjusted_terms"]


@compiled
def adjusted_terms(
    scale: FloatArray,
    shift: FloatArray,
    T: FloatArray,
    Y: FloatArray,
    rows: IntArray,
    weight: FloatArray,
) -> FloatArray:
    """Return the weighted loss of z = scale t + shift and its derivatives, summed: (6, L).

    scale and shift (L,); T and Y (n, L); rows (m,), those that count, with weight (m, 1) or (m, L).
    By label: the loss log(1 + e^z) - y z, its derivatives by scale and shift, and its second
    derivatives by scale twice, by both, and by shift twice.
    """
    n_labels = T.shape[1]
    terms = np.zeros((6, n_labels))
    last = weight.shape[1] - 1
    for r in range(rows.size):
        i = rows[r]
        for j in range(n_labels):
            w = weight[r, min(j, last)]
            t, y = T[i, j], Y[i, j]
            z = t * scale[j] + shift[j]
            small = math.exp(-abs(z))
            p = (1.0 if z >= 0.0 else small) / (1.0 + small)
            slope, curve = w * (p - y), w * p * (1.0 - p)
            terms[0, j] += w * (max(z, 0.0) + math.log1p(small) - y * z)
            terms[1, j] += slope * t
            terms[2, j] += slope
            terms[3, j] += curve * t * t
            terms[4, j] += curve * t
            terms[5, j] += curve
    return terms
