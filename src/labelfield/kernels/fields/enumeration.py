"""Scores of sets under a field of labels, and exact answers from the list of all 2^L sets.

A field scores a set y by sum_l unary_l y_l + sum_c coupling_c prod_(l in c) y_l. In all functions
unary is (n, L); clique c holds the labels members[offsets[c] : offsets[c + 1]]; coupling is (n, C),
or (1, C) where all rows share it. Sets are numbered as by `kernels.sets.bits.all_sets`.
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray, LabelArray

__all__ = [
    "beliefs",
    "best_numbers",
    "draw_numbers",
    "fill_scores",
    "pair_marginals",
    "score_sets",
    "size_marginals",
]


@compiled
def score_sets(
    unary: FloatArray,
    members: IntArray,
    offsets: IntArray,
    coupling: FloatArray,
    sets: LabelArray,
) -> FloatArray:
    """Return sum_l unary_l y_l + sum_c coupling_c prod_(l in c) y_l: (n, k) of sets (n, k, L)."""
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


@compiled
def _mask(members: IntArray, n_labels: int) -> int:
    """Return the digits that are one where a set holds all `members`."""
    mask = 0
    for label in members:
        mask |= 1 << (n_labels - 1 - label)
    return mask


@compiled
def _fill(
    unary: FloatArray,
    members: IntArray,
    offsets: IntArray,
    coupling: FloatArray,
    scratch: FloatArray,
    scores: FloatArray,
) -> None:
    """Fill `scores` (2^L,) of one row: pairs by the subset programme, larger cliques one by one."""
    n_labels = len(unary)
    pairs = np.zeros((n_labels, n_labels))
    for c in range(len(offsets) - 1):
        if offsets[c + 1] - offsets[c] == 2:
            first, second = members[offsets[c]], members[offsets[c] + 1]
            pairs[first, second] = pairs[second, first] = coupling[c]
    fill_scores(unary, pairs, scratch, scores)
    for c in range(len(offsets) - 1):
        if offsets[c + 1] - offsets[c] > 2:
            mask = _mask(members[offsets[c] : offsets[c + 1]], n_labels)
            for s in range(mask, len(scores)):
                if s & mask == mask:
                    scores[s] += coupling[c]


@compiled
def _normalize(scores: FloatArray) -> float:
    """Turn log-scores into probabilities in place; return the log of their sum."""
    peak, total = scores[0], 0.0
    for s in range(len(scores)):
        peak = max(peak, scores[s])
    for s in range(len(scores)):
        scores[s] = np.exp(scores[s] - peak)
        total += scores[s]
    for s in range(len(scores)):
        scores[s] /= total
    return float(peak + np.log(total))


@compiled
def _fold(p: FloatArray, n_digits: int) -> FloatArray:
    """Return P(digit = 1) of each digit; sums `p` over one digit after the other, in place."""
    answer = np.empty(n_digits)
    for digit in range(n_digits - 1, -1, -1):
        half = 1 << digit
        answer[digit] = np.sum(p[half : 2 * half])
        for s in range(half):
            p[s] += p[half + s]
    return answer


@compiled
def _fold_pairs(p: FloatArray, scratch: FloatArray, pairs: FloatArray) -> None:
    """Fill P(y_l = 1, y_m = 1) in (L, L), marginals on the diagonal; uses up `p`."""
    n_labels = len(pairs)
    for label in range(n_labels):
        digit = n_labels - 1 - label
        half = 1 << digit
        pairs[label, label] = np.sum(p[half : 2 * half])
        for s in range(half):
            scratch[s] = p[half + s]
            p[s] += p[half + s]
        folded = _fold(scratch, digit)
        for lower in range(digit):
            other = n_labels - 1 - lower
            pairs[label, other] = pairs[other, label] = folded[lower]


@compiled
def beliefs(
    unary: FloatArray, members: IntArray, offsets: IntArray, coupling: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return log Z (n,), P(y_l = 1) (n, L) and P(clique c all present) (n, C)."""
    n, n_labels = unary.shape
    n_cliques = len(offsets) - 1
    p, scratch = np.empty(1 << n_labels), np.empty(1 << n_labels)
    pairs = np.empty((n_labels, n_labels))
    log_partition, marginals = np.empty(n), np.empty((n, n_labels))
    present = np.empty((n, n_cliques))
    for i in range(n):
        _fill(unary[i], members, offsets, coupling[min(i, len(coupling) - 1)], scratch, p)
        log_partition[i] = _normalize(p)
        for c in range(n_cliques):
            if offsets[c + 1] - offsets[c] > 2:
                mask = _mask(members[offsets[c] : offsets[c + 1]], n_labels)
                present[i, c] = 0.0
                for s in range(mask, len(p)):
                    if s & mask == mask:
                        present[i, c] += p[s]
        _fold_pairs(p, scratch, pairs)
        for label in range(n_labels):
            marginals[i, label] = pairs[label, label]
        for c in range(n_cliques):
            if offsets[c + 1] - offsets[c] == 2:
                present[i, c] = pairs[members[offsets[c]], members[offsets[c] + 1]]
    return log_partition, marginals, present


@compiled
def pair_marginals(
    unary: FloatArray, members: IntArray, offsets: IntArray, coupling: FloatArray
) -> FloatArray:
    """Return P(y_l = 1, y_m = 1): (n, L, L)."""
    n, n_labels = unary.shape
    p, scratch = np.empty(1 << n_labels), np.empty(1 << n_labels)
    pairs = np.empty((n, n_labels, n_labels))
    for i in range(n):
        _fill(unary[i], members, offsets, coupling[min(i, len(coupling) - 1)], scratch, p)
        _normalize(p)
        _fold_pairs(p, scratch, pairs[i])
    return pairs


@compiled
def size_marginals(
    unary: FloatArray, members: IntArray, offsets: IntArray, coupling: FloatArray, n_sizes: int
) -> FloatArray:
    """Return P(y_l = 1, |y| = s) at [i, l, s - 1] for s = 1..n_sizes: (n, L, n_sizes)."""
    n, n_labels = unary.shape
    p, scratch = np.empty(1 << n_labels), np.empty(1 << n_labels)
    sizes = np.zeros(1 << n_labels, dtype=np.int64)
    for s in range(1, len(sizes)):
        sizes[s] = sizes[s >> 1] + (s & 1)
    answer = np.zeros((n, n_labels, n_sizes))
    for i in range(n):
        _fill(unary[i], members, offsets, coupling[min(i, len(coupling) - 1)], scratch, p)
        _normalize(p)
        for s in range(1, len(p)):
            if sizes[s] <= n_sizes:
                for label in range(n_labels):
                    if (s >> (n_labels - 1 - label)) & 1:
                        answer[i, label, sizes[s] - 1] += p[s]
    return answer


@compiled
def _keep_best(scores: FloatArray, start: int, kept: IntArray) -> None:
    """Fill `kept` (k,) with the numbers of the sets of largest score from `start` on, best first.

    Ties go to the lower number. Insertion into the sorted list: few sets pass its last entry.
    """
    n_kept = 0
    for s in range(start, len(scores)):
        if n_kept == len(kept) and scores[s] <= scores[kept[n_kept - 1]]:
            continue
        if n_kept < len(kept):
            n_kept += 1
        rank = n_kept - 1
        while rank > 0 and scores[kept[rank - 1]] < scores[s]:
            kept[rank] = kept[rank - 1]
            rank -= 1
        kept[rank] = s


@compiled
def best_numbers(
    unary: FloatArray,
    members: IntArray,
    offsets: IntArray,
    coupling: FloatArray,
    k: int,
    start: int,
) -> IntArray:
    """Return the numbers of the k best sets from set `start` on, best first: (n, k)."""
    n, n_labels = unary.shape
    scores, scratch = np.empty(1 << n_labels), np.empty(1 << n_labels)
    kept = np.empty((n, k), dtype=np.int64)
    for i in range(n):
        _fill(unary[i], members, offsets, coupling[min(i, len(coupling) - 1)], scratch, scores)
        _keep_best(scores, start, kept[i])
    return kept


@compiled
def draw_numbers(
    unary: FloatArray,
    members: IntArray,
    offsets: IntArray,
    coupling: FloatArray,
    uniform: FloatArray,
) -> IntArray:
    """Return the numbers of sets drawn by inversion from `uniform` (n, m) in [0, 1): (n, m)."""
    n, n_labels = unary.shape
    p, scratch = np.empty(1 << n_labels), np.empty(1 << n_labels)
    drawn = np.empty(uniform.shape, dtype=np.int64)
    for i in range(n):
        _fill(unary[i], members, offsets, coupling[min(i, len(coupling) - 1)], scratch, p)
        _normalize(p)
        for s in range(1, len(p)):
            p[s] += p[s - 1]
        for draw in range(uniform.shape[1]):
            drawn[i, draw] = _first_above(p, uniform[i, draw] * p[-1])
    return drawn


@compiled
def _first_above(levels: FloatArray, value: float) -> int:
    """Return the number of the first of the ascending `levels` above `value`, by halving."""
    low, high = 0, len(levels) - 1
    while low < high:
        middle = (low + high) // 2
        if levels[middle] > value:
            high = middle
        else:
            low = middle + 1
    return low
