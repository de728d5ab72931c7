"""Scores of all 2^L label sets of a pairwise field, by the subset dynamic programme."""

from labelfield._compile import compiled
from labelfield._typing import FloatArray

__all__ = ["fill_scores"]


@compiled
def fill_scores(unary: FloatArray, coupling: FloatArray, gain: FloatArray, out: FloatArray) -> None:
    """Fill `out` (2^L,) with sum_l unary_l y_l + sum_{l<m} coupling_lm y_l y_m of every set y.

    unary (L,); coupling (L, L), symmetric; gain (2^(L-1),) scratch. Set s holds label l where digit
    L - 1 - l of s is one: the order of `kernels.sets.bits.all_sets`. A set is the one without its
    highest digit plus what that label gains beside the others, and these gains double in the same
    way: two additions a set.
    """
    n_labels = len(unary)
    out[0] = 0.0
    for digit in range(n_labels):
        label = n_labels - 1 - digit
        size = 1 << digit
        gain[0] = unary[label]
        for lower in range(digit):
            half = 1 << lower
            weight = coupling[label, n_labels - 1 - lower]
            for s in range(half):
                gain[half + s] = gain[s] + weight
        for s in range(size):
            out[size + s] = out[s] + gain[s]
