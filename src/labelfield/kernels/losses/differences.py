"""Distances between rows."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray

__all__ = ["sums_of_differences"]


@compiled
def sums_of_differences(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return the sum over k of abs(A[i, k] - B[k, j]) for all i, j: (n, d), (d, m) -> (n, m).

    With B C-ordered, about four times the speed of the city block distance in scipy.
    """
    total = np.zeros((A.shape[0], B.shape[1]), dtype=A.dtype)
    for i in range(A.shape[0]):
        sums = total[i]
        for k in range(A.shape[1]):
            a, b = A[i, k], B[k]
            for j in range(b.size):
                sums[j] += abs(a - b[j])
    return total
