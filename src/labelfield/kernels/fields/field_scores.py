"""Scores of given label sets under a field of labels."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray, LabelArray

__all__ = ["score_sets"]


@compiled
def score_sets(
    unary: FloatArray,
    members: IntArray,
    offsets: IntArray,
    coupling: FloatArray,
    sets: LabelArray,
) -> FloatArray:
    """Return sum_l unary_l y_l + sum_c coupling_c prod_(l in c) y_l: (n, k) of sets (n, k, L).

    unary (n, L); clique c holds members[offsets[c] : offsets[c + 1]]; coupling (n or 1, C).
    """
    n, k, n_labels = sets.shape
    scores = np.zeros((n, k))
    for i in range(n):
        weights = coupling[min(i, len(coupling) - 1)]
        for j in range(k):
            y = sets[i, j]
            total = 0.0
            for label in range(n_labels):
                if y[label]:
                    total += unary[i, label]
            for c in range(len(offsets) - 1):
                present = True
                for m in range(offsets[c], offsets[c + 1]):
                    present = present and y[members[m]] == 1
                if present:
                    total += weights[c]
            scores[i, j] = total
    return scores
