"""Log-linear distributions on a list of label sets: likelihood and its gradients."""

import numpy as np
import scipy.sparse as sp

from labelfield._typing import FloatArray, IntArray

__all__ = ["support_terms"]

CHUNK = 2**17  # scores of sets handled together


def support_terms(
    field: FloatArray,
    set_score: FloatArray,
    labels: IntArray,
    starts: IntArray,
    known: IntArray,
    weight: FloatArray,
) -> tuple[float, FloatArray, FloatArray]:
    """Return minus the log-likelihood and its gradients by field (n, L) and set_score (M,).

    Set m holds the labels labels[starts[m]:starts[m + 1]]; its score in row n is set_score_m plus
    the sum of field_n over them, normalised over the M sets. Row n holds set known[n] and counts
    weight[n] times.
    """
    n_rows, n_sets = len(field), len(set_score)
    shape = (n_sets, field.shape[1])
    members = sp.csr_matrix((np.ones(len(labels)), labels, starts), shape=shape)
    sets = members.T.tocsr()
    gradient, mass, loss = np.empty(field.shape), np.zeros(n_sets), 0.0
    step = max(1, CHUNK // n_sets)
    for first in range(0, n_rows, step):
        rows = slice(first, first + step)
        own = known[rows], np.arange(len(known[rows]))
        scores = members @ np.ascontiguousarray(field[rows].T)  # (M, rows)
        scores += set_score[:, None]
        scores -= scores.max(axis=0)
        fitted = scores[own]
        np.exp(scores, out=scores)
        total = scores.sum(axis=0)
        loss += float(weight[rows] @ (np.log(total) - fitted))
        scores *= weight[rows] / total
        scores[own] -= weight[rows]
        mass += scores.sum(axis=1)
        gradient[rows] = (sets @ scores).T
    return loss, gradient, mass
