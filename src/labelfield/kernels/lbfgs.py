"""The two loops of L-BFGS for many problems at once, one per column."""

import numpy as np

from labelfield._typing import FloatArray, IntArray
from labelfield.kernels._compile import compiled

__all__ = ["apply_changes", "apply_steps"]


@compiled
def apply_changes(
    Q: FloatArray,
    steps: FloatArray,
    changes: FloatArray,
    inverse: FloatArray,
    newest_first: IntArray,
) -> FloatArray:
    """Run the first loop in place on Q (p, C); return the weights of the pairs (m, C).

    steps, changes (m, p, C); inverse (m, C) is 1 / (step . change), 0 for a pair to skip.
    """
    n_pairs = len(newest_first)
    size, n_columns = Q.shape
    weights = np.zeros((steps.shape[0], n_columns))
    dot = np.zeros(n_columns)
    for i in range(size):
        for c in range(n_columns):
            dot[c] += steps[newest_first[0], i, c] * Q[i, c]
    for a in range(n_pairs):
        t = newest_first[a]
        for c in range(n_columns):
            weights[t, c] = inverse[t, c] * dot[c]
            dot[c] = 0.0
        following = newest_first[a + 1] if a + 1 < n_pairs else -1
        for i in range(size):
            for c in range(n_columns):
                Q[i, c] -= weights[t, c] * changes[t, i, c]
                if following >= 0:
                    dot[c] += steps[following, i, c] * Q[i, c]
    return weights


@compiled
def apply_steps(
    Q: FloatArray,
    steps: FloatArray,
    changes: FloatArray,
    inverse: FloatArray,
    weights: FloatArray,
    oldest_first: IntArray,
) -> None:
    """Run the second loop in place on Q (p, C), with the weights of the first."""
    n_pairs = len(oldest_first)
    size, n_columns = Q.shape
    dot = np.zeros(n_columns)
    factor = np.zeros(n_columns)
    for i in range(size):
        for c in range(n_columns):
            dot[c] += changes[oldest_first[0], i, c] * Q[i, c]
    for a in range(n_pairs):
        t = oldest_first[a]
        for c in range(n_columns):
            factor[c] = weights[t, c] - inverse[t, c] * dot[c]
            dot[c] = 0.0
        following = oldest_first[a + 1] if a + 1 < n_pairs else -1
        for i in range(size):
            for c in range(n_columns):
                Q[i, c] += factor[c] * steps[t, i, c]
                if following >= 0:
                    dot[c] += changes[following, i, c] * Q[i, c]
