"""Probabilities of labels and label sets in log space; certain labels have infinite log-odds.

Arrays may be tensors of other libraries; answers are in the namespace of what came.
"""

from typing import Any

import numpy as np
from scipy import special

from labelfield._namespaces import is_tensor, namespace
from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray

__all__ = [
    "among_largest",
    "clipped_logit",
    "expit",
    "largest",
    "log_bernoulli",
    "log_expit",
    "log_product",
    "logit",
    "logsumexp",
]

MIN_PROBABILITY = 1e-12


def expit(logits: Any) -> Any:
    """Return the probabilities 1 / (1 + exp(-logits))."""
    if not is_tensor(logits):
        return special.expit(logits)
    xp = namespace(logits)
    decay = xp.exp(-xp.abs(logits))
    return xp.where(logits >= 0.0, 1.0, decay) / (1.0 + decay)


def logit(probability: Any) -> Any:
    """Return the log-odds log(p / (1 - p))."""
    if not is_tensor(probability):
        return special.logit(probability)
    xp = namespace(probability)
    return xp.log(probability) - xp.log1p(-probability)


def log_expit(logits: Any) -> Any:
    """Return log(expit(logits)) without loss where it is close to 0."""
    if not is_tensor(logits):
        return special.log_expit(logits)
    xp = namespace(logits)
    return xp.clip(logits, max=0.0) - xp.log1p(xp.exp(-xp.abs(logits)))


def logsumexp(a: FloatArray, axis: int) -> FloatArray:
    """Return log(sum(exp(a))) along `axis`; a sum of nothing but -inf is -inf."""
    xp = namespace(a)
    peak = xp.max(a, axis=axis, keepdims=True)
    peak = xp.where(peak == -np.inf, 0.0, peak)
    terms = a - peak
    terms = xp.exp(terms) if is_tensor(a) else np.exp(terms, out=terms)
    with np.errstate(divide="ignore"):
        total = xp.log(xp.sum(terms, axis=axis))
    result: FloatArray = total + xp.squeeze(peak, axis=axis)
    return result


def clipped_logit(probability: FloatArray) -> FloatArray:
    """Return log(p / (1 - p)) with p kept `MIN_PROBABILITY` away from 0 and 1.

    In single precision p is kept a little further away from 1, so that its log-odds are finite.
    """
    if not is_tensor(probability):
        kept = np.clip(probability, MIN_PROBABILITY, 1.0 - MIN_PROBABILITY)
        log_odds: FloatArray = special.logit(kept)
        return log_odds
    xp = namespace(probability)
    margin = max(MIN_PROBABILITY, float(xp.finfo(probability.dtype).eps))
    result: FloatArray = logit(xp.clip(probability, MIN_PROBABILITY, 1.0 - margin))
    return result


def log_bernoulli(Y: LabelArray, logits: FloatArray) -> FloatArray:
    """Return log p(y) of single labels, elementwise."""
    xp = namespace(logits)
    result: FloatArray = log_expit(xp.where(xp.astype(Y, xp.bool), logits, -logits))
    return result


def log_product(Y: LabelArray, logits: FloatArray) -> FloatArray:
    """Return log prod_l p(y_l) of every set under every product distribution.

    Y (..., m, L); logits (..., K, L), infinite where a label is certain; result (..., m, K).
    """
    xp = namespace(logits)
    certain = xp.isinf(logits)
    finite = xp.where(certain, 0.0, logits)
    log_empty = xp.sum(xp.where(certain, 0.0, log_expit(-finite)), axis=-1)
    present = xp.astype(Y, logits.dtype)
    result: FloatArray = xp.matmul(present, xp.matrix_transpose(finite))
    result += log_empty[..., None, :]
    if xp.any(certain):
        sure = xp.matrix_transpose(xp.astype(certain & (logits > 0), logits.dtype))
        never = xp.matrix_transpose(xp.astype(certain & (logits < 0), logits.dtype))
        broken = xp.matmul(present, never) + xp.matmul(1.0 - present, sure)
        result = xp.where(broken > 0, -np.inf, result)
    return result


def among_largest(values: FloatArray, k: int) -> BoolArray:
    """Return which values (n, M) are among the k largest of their row, ties by lower index."""
    xp = namespace(values)
    n_values = values.shape[1]
    if not 0 < k < n_values:
        return xp.full_like(values, k > 0, dtype=xp.bool)
    ordered = xp.sort(values, axis=1) if is_tensor(values) else _split(values, n_values - k)
    bar = ordered[:, n_values - k : n_values - k + 1]
    chosen: BoolArray = values > bar
    room = k - xp.count_nonzero(chosen, axis=1, keepdims=True)
    at = values == bar
    chosen |= at & (xp.cumulative_sum(xp.astype(at, xp.int64), axis=1) <= room)
    return chosen


def _split(values: FloatArray, place: int) -> FloatArray:
    return np.partition(values, place, axis=1)


def largest(values: FloatArray, k: int) -> IntArray:
    """Return where the k largest values of each row stand, best first, ties by lower index.

    values (n, M), k <= M; result (n, k).
    """
    if is_tensor(values):
        xp = namespace(values)
        order: IntArray = xp.argsort(values, axis=1, descending=True, stable=True)[:, :k]
        return order
    if k == 1:
        first: IntArray = np.argmax(values, axis=1)
        return first[:, None]
    columns = np.nonzero(among_largest(values, k))[1].reshape(len(values), k)
    best_first = np.argsort(-np.take_along_axis(values, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, best_first, axis=1)
