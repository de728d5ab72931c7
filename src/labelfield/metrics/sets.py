"""Measures between true and predicted label sets.

Conventions, the same in every function here:

- Sets are rows of indicator arrays (n, L), dense or sparse; a 1-d array is a single label. If
  either argument is sparse the work is done on the stored ones and no array of n L entries is made.
- `average` is "samples" (score each row, take the mean), "macro" (score each label, take the
  mean), "micro" (pool all entries), None (one score per label) or "rows" (one score per row).
- Two empty sets: a row scores 1, because nothing was to be found and nothing was claimed; a label
  that never occurs and is never predicted scores 0, as do pooled entries without a single one.
  `empty` overrides both. One empty set: every score is 0.
- NaN in `Y_true` is an unknown entry. It is left out, together with the prediction for it: a row
  counts on its known labels, a label on its known rows. A row or label of which nothing is known
  scores NaN and is left out of the mean.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from labelfield._typing import FloatArray
from labelfield.metrics._counts import Counts, count, count_pairs
from labelfield.metrics._inputs import check_choice, check_share, read_sets

__all__ = [
    "f1_score",
    "hamming_loss",
    "jaccard_score",
    "pairwise_score",
    "precision_score",
    "recall_score",
    "subset_accuracy",
]

AXES: dict[str | None, int | None] = {
    "samples": 1,
    "macro": 0,
    "micro": None,
    None: 0,
    "rows": 1,
}

Formula = Callable[[Counts, float], FloatArray]


def _ratio(part: Any, whole: Any, counts: Counts, empty: float) -> FloatArray:
    """Return part / whole; where whole is 0, `empty` for two empty sets and 0 otherwise."""
    scores = np.where(counts.either > 0, part / np.maximum(whole, 1), empty)
    return counts.where_known(scores)


def _precision(counts: Counts, empty: float) -> FloatArray:
    return _ratio(counts.both, counts.both + counts.only_predicted, counts, empty)


def _recall(counts: Counts, empty: float) -> FloatArray:
    return _ratio(counts.both, counts.both + counts.only_true, counts, empty)


def _f1(counts: Counts, empty: float) -> FloatArray:
    return _ratio(2 * counts.both, 2 * counts.both + counts.wrong, counts, empty)


def _jaccard(counts: Counts, empty: float) -> FloatArray:
    return _ratio(counts.both, counts.either, counts, empty)


def _hamming(counts: Counts, empty: float) -> FloatArray:
    return counts.where_known(counts.wrong / np.maximum(counts.known, 1))


def _exact(counts: Counts, empty: float) -> FloatArray:
    return counts.where_known((counts.wrong == 0).astype(np.float64))


FORMULAS: dict[str, Formula] = {
    "f1": _f1,
    "hamming_loss": _hamming,
    "jaccard": _jaccard,
    "precision": _precision,
    "recall": _recall,
    "subset_accuracy": _exact,
}


def _averaged(
    formula: Formula, Y_true: Any, Y_pred: Any, average: str | None, empty: float | None = None
) -> Any:
    check_choice(average, AXES, "average")
    if empty is not None:
        check_share(empty, "empty")
    axis = AXES[average]
    scores = formula(
        count(read_sets(Y_true, Y_pred), axis), (axis == 1) * 1.0 if empty is None else empty
    )
    if average in (None, "rows"):
        return scores
    return float(np.nanmean(scores))


def subset_accuracy(Y_true: Any, Y_pred: Any, *, average: str = "samples") -> Any:
    """Return the share of rows whose predicted set is the true set; 1 minus the 0-1 loss.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_pred : (n, L) array or sparse matrix of 0 or 1
    average : {"samples", "rows"}
        The mean over rows, or one value per row: 1 for a right set, 0 for a wrong one.

    Returns
    -------
    float, or (n,) array

    Examples
    --------
    >>> from labelfield.metrics import subset_accuracy
    >>> subset_accuracy([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.5
    """
    check_choice(average, ("samples", "rows"), "average")
    return _averaged(_exact, Y_true, Y_pred, average)


def hamming_loss(Y_true: Any, Y_pred: Any, *, average: str | None = "micro") -> Any:
    """Return the share of known entries that are predicted wrongly.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_pred : (n, L) array or sparse matrix of 0 or 1
    average : {"samples", "macro", "micro", None, "rows"}
        The three means differ only where entries are unknown.

    Returns
    -------
    float, (L,) array for None or (n,) array for "rows"

    Examples
    --------
    >>> from labelfield.metrics import hamming_loss
    >>> hamming_loss([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.25
    """
    return _averaged(_hamming, Y_true, Y_pred, average)


def precision_score(
    Y_true: Any, Y_pred: Any, *, average: str | None = "samples", empty: float | None = None
) -> Any:
    """Return the share of predicted labels that are true.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_pred : (n, L) array or sparse matrix of 0 or 1
    average : {"samples", "macro", "micro", None, "rows"}
    empty : float, optional
        Score of an empty set against an empty set; by default 1 for rows, 0 for labels and pooled.

    Returns
    -------
    float, (L,) array for None or (n,) array for "rows"

    Examples
    --------
    >>> from labelfield.metrics import precision_score
    >>> precision_score([[1, 0], [0, 0]], [[1, 1], [0, 0]], average="rows")
    array([0.5, 1. ])
    """
    return _averaged(_precision, Y_true, Y_pred, average, empty)


def recall_score(
    Y_true: Any, Y_pred: Any, *, average: str | None = "samples", empty: float | None = None
) -> Any:
    """Return the share of true labels that are predicted.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_pred : (n, L) array or sparse matrix of 0 or 1
    average : {"samples", "macro", "micro", None, "rows"}
    empty : float, optional
        Score of an empty set against an empty set; by default 1 for rows, 0 for labels and pooled.

    Returns
    -------
    float, (L,) array for None or (n,) array for "rows"

    Examples
    --------
    >>> from labelfield.metrics import recall_score
    >>> recall_score([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.75
    """
    return _averaged(_recall, Y_true, Y_pred, average, empty)


def f1_score(
    Y_true: Any, Y_pred: Any, *, average: str | None = "samples", empty: float | None = None
) -> Any:
    """Return F1, the harmonic mean of precision and recall.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_pred : (n, L) array or sparse matrix of 0 or 1
    average : {"samples", "macro", "micro", None, "rows"}
    empty : float, optional
        Score of an empty set against an empty set; by default 1 for rows, 0 for labels and pooled.

    Returns
    -------
    float, (L,) array for None or (n,) array for "rows"

    Examples
    --------
    >>> from labelfield.metrics import f1_score
    >>> f1_score([[1, 0, 1], [0, 0, 0]], [[1, 0, 1], [0, 0, 0]], average="samples")
    1.0
    >>> f1_score([[1, 0, 1], [0, 0, 0]], [[1, 0, 1], [0, 0, 0]], average=None)
    array([1., 0., 1.])
    """
    return _averaged(_f1, Y_true, Y_pred, average, empty)


def jaccard_score(
    Y_true: Any, Y_pred: Any, *, average: str | None = "samples", empty: float | None = None
) -> Any:
    """Return the Jaccard index: shared labels over labels in either set ("example accuracy").

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_pred : (n, L) array or sparse matrix of 0 or 1
    average : {"samples", "macro", "micro", None, "rows"}
    empty : float, optional
        Score of an empty set against an empty set; by default 1 for rows, 0 for labels and pooled.

    Returns
    -------
    float, (L,) array for None or (n,) array for "rows"

    Examples
    --------
    >>> from labelfield.metrics import jaccard_score
    >>> jaccard_score([[1, 1, 0]], [[0, 1, 1]], average="micro")
    0.3333333333333333
    """
    return _averaged(_jaccard, Y_true, Y_pred, average, empty)


def pairwise_score(
    Y_true: Any, Y_pred: Any, *, metric: str = "f1", empty: float = 1.0
) -> FloatArray:
    """Return the measure between every true set and every predicted set.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_pred : (m, L) array or sparse matrix of 0 or 1
    metric : {"f1", "hamming_loss", "jaccard", "precision", "recall", "subset_accuracy"}
    empty : float, default=1.0
        Score of an empty set against an empty set.

    Returns
    -------
    (n, m) array

    Examples
    --------
    >>> from labelfield.metrics import pairwise_score
    >>> pairwise_score([[1, 0], [1, 1]], [[0, 0], [1, 0], [1, 1]], metric="jaccard")
    array([[0. , 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    check_choice(metric, FORMULAS, "metric")
    check_share(empty, "empty")
    pair = read_sets(Y_true, Y_pred, same_rows=False)
    return FORMULAS[metric](count_pairs(pair), empty)
