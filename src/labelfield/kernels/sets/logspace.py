"""Probabilities of labels and label sets in log space; certain labels have infinite log-odds."""

import numpy as np
from scipy.special import log_expit, logit

from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray

__all__ = [
    "among_largest",
    "clipped_logit",
    "largest",
    "log_bernoulli",
    "log_product",
    "logsumexp",
]

MIN_PROBABILITY = 1e-12


def logsumexp(a: FloatArray, axis: int) -> FloatArray:
    """Return log(sum(exp(a))) along `axis`; a sum of nothing but -inf is -inf."""
    peak = a.max(axis=axis, keepdims=True)
    peak[np.isneginf(peak)] = 0.0
    terms = a - peak
    np.exp(terms, out=terms)
    with np.errstate(divide="ignore"):
        total = np.log(terms.sum(axis=axis))
    result: FloatArray = total + peak.squeeze(axis)
    return result


def clipped_logit(probability: FloatArray) -> FloatArray:
    """Return log(p / (1 - p)) with p kept `MIN_PROBABILITY` away from 0 and 1."""
    result: FloatArray = logit(np.clip(probability, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY))
    return result


def log_bernoulli(Y: LabelArray, logits: FloatArray) -> FloatArray:
    """Return log p(y) of single labels, elementwise."""
    result: FloatArray = log_expit(np.where(Y, logits, -logits))
    return result


def log_product(Y: LabelArray, logits: FloatArray) -> FloatArray:
    """Return log prod_l p(y_l) of every set under every product distribution.

    Y (..., m, L); logits (..., K, L), infinite where a label is certain; result (..., m, K).
    """
    certain = np.isinf(logits)
    finite = np.where(certain, 0.0, logits)
    log_empty = np.where(certain, 0.0, log_expit(-finite)).sum(axis=-1)
    result: FloatArray = Y.astype(float) @ finite.swapaxes(-1, -2) + log_empty[..., None, :]
    if certain.any():
        present = (certain & (logits > 0)).astype(float).swapaxes(-1, -2)
        absent = (certain & (logits < 0)).astype(float).swapaxes(-1, -2)
        result[(Y @ absent + (1 - Y) @ present) > 0] = -np.inf
    return result


def among_largest(values: FloatArray, k: int) -> BoolArray:
    """Return which values (n, M) are among the k largest of their row, ties by lower index."""
    n_values = values.shape[1]
    if not 0 < k < n_values:
        return np.full(values.shape, k > 0)
    bar = np.partition(values, n_values - k, axis=1)[:, n_values - k, None]
    chosen: BoolArray = values > bar
    room = k - chosen.sum(axis=1, keepdims=True)
    at = values == bar
    chosen |= at & (at.cumsum(axis=1) <= room)
    return chosen


def largest(values: FloatArray, k: int) -> IntArray:
    """Return where the k largest values of each row stand, best first, ties by lower index.

    values (n, M), k <= M; result (n, k).
    """
    n_rows = len(values)
    if k == 1:
        first: IntArray = np.argmax(values, axis=1)
        return first[:, None]
    columns = np.nonzero(among_largest(values, k))[1].reshape(n_rows, k)
    best_first = np.argsort(-np.take_along_axis(values, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, best_first, axis=1)
