"""Measures of the few labels named out of very many; nothing of size n x L is made."""

from typing import Any

import numpy as np
from scipy import sparse

from labelfield._gate.indicator import read_indicator
from labelfield._gate.reading import as_numbers
from labelfield._typing import FloatArray, IntArray

__all__ = ["label_propensities", "named_precision"]


def named_precision(Y_true: Any, labels: Any, *, propensity: Any = None) -> float:
    """Return the share of true labels among those named, the precision at k.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0 and 1
    labels : (n, k) array
        Numbers of the labels named for each row, such as from `predict_top_labels`.
    propensity : (L,) array, optional
        Chance that a label that is right was marked in the data, see `label_propensities`. A hit
        then counts 1 / propensity, and the sum is divided by the largest one possible: the
        propensity-scored precision, which rewards rare labels.

    Returns
    -------
    float

    References
    ----------
    Jain, Prabhu, Varma (2016): Extreme multi-label loss functions for recommendation, tagging,
    ranking and other missing label applications. KDD.

    Examples
    --------
    >>> from labelfield.metrics import named_precision
    >>> named_precision([[1, 0, 1], [0, 1, 0]], [[0, 1], [1, 2]])
    0.5
    """
    truth = _truth(Y_true)
    named = _named(labels, truth.shape)
    if propensity is None:
        return float(_hits(truth, named).mean())
    p = as_numbers(propensity, "propensity").astype(np.float64)
    if p.shape != truth.shape[1:] or not ((p > 0.0) & (p <= 1.0)).all():
        raise ValueError(f"propensity must be (L,) = {truth.shape[1:]}, in (0, 1]; got {p.shape}.")
    gained = (_hits(truth, named) / p[named]).sum()
    best = sum(
        np.sort(1.0 / p[truth.indices[first:last]])[::-1][: named.shape[1]].sum()
        for first, last in zip(truth.indptr[:-1], truth.indptr[1:])
    )
    return float(gained / best) if best else float("nan")


def label_propensities(Y_train: Any, *, a: float = 0.55, b: float = 1.5) -> FloatArray:
    """Return the chance of each label to be marked where it is right: 1 / (1 + c (N_l + b)^-a).

    c = (log n - 1) (b + 1)^a; rare labels are the ones that are forgotten.

    Parameters
    ----------
    Y_train : (n, L) array or sparse matrix of 0 and 1
    a, b : float, float
        The values that the extreme classification repository uses where none are given.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.metrics import label_propensities
    >>> label_propensities(np.eye(100)[:, :2]).round(2).tolist()
    [0.22, 0.22]
    """
    truth = _truth(Y_train)
    counts = np.bincount(truth.indices, minlength=truth.shape[1])
    c = (np.log(max(truth.shape[0], 3)) - 1.0) * (b + 1.0) ** a
    propensity: FloatArray = 1.0 / (1.0 + c * (counts + b) ** -a)
    return propensity


def _truth(Y: Any) -> sparse.csr_array:
    ones, unknown = read_indicator(Y, "Y_true")
    if unknown.sum():
        raise ValueError("Y_true holds NaN; these measures need every label of a row.")
    return sparse.csr_array(ones)


def _named(labels: Any, shape: tuple[int, int]) -> IntArray:
    named = as_numbers(labels, "labels", "numbers of labels")
    if named.ndim != 2 or len(named) != shape[0] or not named.shape[1]:
        raise ValueError(f"labels has shape {named.shape}; give (n, k) for n = {shape[0]} rows.")
    if not ((named >= 0) & (named < shape[1]) & (named == np.floor(named))).all():
        raise ValueError(f"labels must hold numbers from 0 to {shape[1] - 1}.")
    ordered = np.sort(named, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise ValueError("labels names a label twice in a row.")
    return named.astype(np.intp)


def _hits(truth: sparse.csr_array, named: IntArray) -> FloatArray:
    """Return which of the named labels are true: (n, k)."""
    rows = np.repeat(np.arange(len(named)), named.shape[1])
    hits: FloatArray = np.asarray(truth[rows, named.ravel()], dtype=np.float64)
    return hits.reshape(named.shape)
