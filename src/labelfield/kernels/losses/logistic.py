"""The logistic loss, its derivative and its curvature for many scores at once."""

import numpy as np

from labelfield._typing import FloatArray, IntArray

__all__ = ["logistic_terms"]

CHUNK = 2**15  # scores handled together: their work arrays stay in fast memory


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

    scores (n, C), overwritten; weights (n, G), column c has those of group groups[c].
    Targets in [0, 1] are a CSR matrix: row i holds targets[k] of the label labels[k], k from
    starts[i] to starts[i + 1]. Label l belongs to the columns members[firsts[l]:firsts[l + 1]].
    The loss of a score z with target y is log(1 + e^z) - y z, its derivative p - y and its
    curvature p (1 - p).
    """
    n_rows, n_columns = scores.shape
    loss, curvature = np.zeros(n_columns), np.zeros(n_columns)
    rows, columns, values = _targets_of_columns(starts, labels, targets, firsts, members)
    step = max(1, min(CHUNK // max(n_columns, 1), n_rows))
    work = np.empty((4, step, n_columns))
    for first in range(0, n_rows, step):
        inside = slice(*np.searchsorted(rows, [first, first + step]))
        given = rows[inside] - first, columns[inside]
        part = scores[first : first + step]
        weight = weights[first : first + step]
        weight = weight if weight.shape[1] == 1 else weight[:, groups]
        terms = _fill_slopes(part, weight, given, values[inside], work[:, : len(part)])
        loss += terms[0]
        curvature += terms[1]
    return loss, curvature


def _targets_of_columns(
    starts: IntArray, labels: IntArray, targets: FloatArray, firsts: IntArray, members: IntArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return row, column and value of the targets of all columns, in the order of the rows."""
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    counts = np.diff(firsts)
    if counts.max(initial=0) <= 1:
        if counts.min(initial=1) == 0:  # some labels have no column any more
            kept = counts[labels] == 1
            rows, labels, targets = rows[kept], labels[kept], targets[kept]
        return rows, members[firsts[labels]], targets
    counts = counts[labels]
    own = np.repeat(np.arange(len(labels)), counts)
    number = np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows[own], members[firsts[labels[own]] + number], targets[own]


def _fill_slopes(
    scores: FloatArray,
    weight: FloatArray,
    given: tuple[IntArray, IntArray],
    values: FloatArray,
    work: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return loss and curvature (C,) of some rows, whose scores become derivatives."""
    decay, losses, larger, curvatures = work
    np.abs(scores, out=decay)
    np.exp(np.negative(decay, out=decay), out=decay)
    np.log1p(decay, out=losses)
    np.add(decay, 1.0, out=larger)
    np.divide(decay, larger, out=decay)  # the smaller of p and 1 - p
    np.subtract(1.0, decay, out=larger)
    np.multiply(decay, larger, out=curvatures)
    np.abs(np.subtract(scores >= 0.0, decay, out=decay), out=decay)  # p
    losses += np.maximum(scores, 0.0, out=larger)
    losses[given] -= values * scores[given]
    decay[given] -= values
    np.multiply(decay, weight, out=scores)
    if weight.shape[1] == 1:
        return weight[:, 0] @ losses, weight[:, 0] @ curvatures
    return np.einsum("ij,ij->j", weight, losses), np.einsum("ij,ij->j", weight, curvatures)
