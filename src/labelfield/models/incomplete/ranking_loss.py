"""Ranking losses of the labels of a row."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import BoolArray, FloatArray

__all__ = ["group_hinge"]


@compiled
def group_hinge(scores: FloatArray, marked: BoolArray, delta: float) -> tuple[float, FloatArray]:
    """Return sum_i sum_k sqrt(delta^2 + sum_j max(0, 1 - f_ik + f_ij)^2) - delta, and its gradient.

    k runs over the marked labels of row i, j over the others; scores and marked (n, L). The square
    root makes a group of the errors of one marked label: small ones vanish together.
    """
    n_rows, n_labels = scores.shape
    gradient = np.zeros((n_rows, n_labels))
    total = 0.0
    for i in range(n_rows):
        for k in range(n_labels):
            if not marked[i, k]:
                continue
            margin = 1.0 - scores[i, k]
            squares = delta * delta
            for j in range(n_labels):
                excess = margin + scores[i, j]
                if excess > 0.0 and not marked[i, j]:
                    squares += excess * excess
            size = np.sqrt(squares)
            total += size - delta
            pull = 0.0
            for j in range(n_labels):
                excess = margin + scores[i, j]
                if excess > 0.0 and not marked[i, j]:
                    gradient[i, j] += excess / size
                    pull += excess / size
            gradient[i, k] -= pull
    return total, gradient
