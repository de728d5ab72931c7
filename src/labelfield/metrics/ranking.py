"""Measures of scores: are the true labels ranked above the others?

Conventions, the same in every function here:

- `Y_true` (n, L) is an indicator array, dense or sparse (a sparse one becomes a dense bool array,
  one byte an entry, since the scores are dense anyway); `Y_score` (n, L) is higher for likelier.
- NaN in `Y_true` is an unknown entry; it is left out, together with its score.
- `average` is "macro" (rank the rows of each label), "instance" (rank the labels of each row),
  "micro" (rank all entries), None (one value per label) or "rows" (one value per row).
- A ranking without a true label, or for the area under the curve without a false one, has no
  value: it is NaN and is left out of the mean. Where that leaves nothing the mean is NaN, with a
  warning. `coverage_error` and `ranking_loss` are 0 for such a row, as in scikit-learn.
- Tied scores never depend on the order of labels or rows. They count half in `roc_auc`, against
  the true label in `average_precision`, `coverage_error` and `ranking_loss` (all as in
  scikit-learn), and by the mean over all orders in `precision_at_k`.
"""

import warnings
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.exceptions import UndefinedMetricWarning

from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.metrics._inputs import RankedLabels, check_choice, check_whole, read_ranking

__all__ = ["average_precision", "coverage_error", "precision_at_k", "ranking_loss", "roc_auc"]

AVERAGES = ("instance", "macro", "micro", None, "rows")


def _rankings(ranked: RankedLabels, average: str | None) -> RankedLabels:
    """Lay the entries out so that each row is one ranking."""
    check_choice(average, AVERAGES, "average")
    if average in ("macro", None):
        return ranked.rearranged(lambda part: np.ascontiguousarray(part.T))
    if average == "micro":
        return ranked.rearranged(lambda part: part.reshape(1, -1))
    return ranked


def _averaged(scores: FloatArray, average: str | None, needs: str) -> Any:
    if average in (None, "rows"):
        return scores
    if np.isnan(scores).all():
        warnings.warn(
            f"No ranking has {needs}: the mean is NaN.", UndefinedMetricWarning, stacklevel=3
        )
        return float("nan")
    return float(np.nanmean(scores))


def _divide(part: Any, whole: Any) -> FloatArray:
    """Return part / whole, NaN where whole is 0."""
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)


def _rank_down(score: FloatArray, chosen: BoolArray) -> IntArray:
    """Rank from the top among the chosen entries of each row, ties at the worst of their ranks."""
    ranks: IntArray = rankdata(np.where(chosen, -score, np.inf), method="max", axis=1)
    return ranks


def roc_auc(Y_true: Any, Y_score: Any, *, average: str | None = "macro") -> Any:
    """Return the area under the ROC curve: how often a true entry outranks a false one.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_score : (n, L) array
    average : {"instance", "macro", "micro", None, "rows"}
        "macro" is the mean over the labels that have both classes.

    Returns
    -------
    float, (L,) array for None or (n,) array for "rows"

    Examples
    --------
    >>> from labelfield.metrics import roc_auc
    >>> roc_auc([[1, 0], [0, 0], [1, 1]], [[0.8, 0.1], [0.6, 0.7], [0.5, 0.9]], average=None)
    array([0.5, 1. ])
    """
    ranked = _rankings(read_ranking(Y_true, Y_score), average)
    # unknown entries go above all others and so leave the ranks of the others as they are
    ranks = rankdata(np.where(ranked.known, ranked.score, np.inf), method="average", axis=1)
    n_true = ranked.truth.sum(axis=1)
    n_false = ranked.known.sum(axis=1) - n_true
    outranked = (ranks * ranked.truth).sum(axis=1) - n_true * (n_true + 1) / 2
    return _averaged(_divide(outranked, n_true * n_false), average, "both a true and a false entry")


def average_precision(Y_true: Any, Y_score: Any, *, average: str | None = "macro") -> Any:
    """Return the mean over true entries of the precision at their rank.

    The macro average is the figure known as mean average precision.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_score : (n, L) array
    average : {"instance", "macro", "micro", None, "rows"}

    Returns
    -------
    float, (L,) array for None or (n,) array for "rows"

    Examples
    --------
    >>> from labelfield.metrics import average_precision
    >>> average_precision([[1, 0, 1]], [[0.9, 0.5, 0.1]], average="instance")
    0.8333333333333333
    """
    ranked = _rankings(read_ranking(Y_true, Y_score), average)
    rank = _rank_down(ranked.score, ranked.known)
    rank_among_true = _rank_down(ranked.score, ranked.truth)
    precisions = np.where(ranked.truth, rank_among_true / rank, 0.0)
    scores = _divide(precisions.sum(axis=1), ranked.truth.sum(axis=1))
    return _averaged(scores, average, "a true entry")


def precision_at_k(Y_true: Any, Y_score: Any, *, k: int = 1) -> float:
    """Return the share of true labels among the k with the highest scores, mean over rows.

    A row with fewer than k known labels counts on those it has.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_score : (n, L) array
    k : int, default=1
        Between 1 and L.

    Returns
    -------
    float

    Examples
    --------
    >>> from labelfield.metrics import precision_at_k
    >>> precision_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.2, 0.7, 0.3]], k=2)
    0.5
    """
    ranked = read_ranking(Y_true, Y_score)
    L = ranked.truth.shape[1]
    check_whole(k, 1, L, "k")
    score = np.where(ranked.known, ranked.score, -np.inf)
    threshold = np.partition(score, L - k, axis=1)[:, [L - k]]
    above = score > threshold
    tied = score == threshold
    counted = np.minimum(k, ranked.known.sum(axis=1))
    share = (counted - above.sum(axis=1)) / np.maximum(tied.sum(axis=1), 1)
    hits = (above & ranked.truth).sum(axis=1) + share * (tied & ranked.truth).sum(axis=1)
    return float(np.nanmean(_divide(hits, counted)))


def coverage_error(Y_true: Any, Y_score: Any) -> float:
    """Return how far down the ranking one must go to cover all true labels, mean over rows.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_score : (n, L) array

    Returns
    -------
    float
        At best the mean number of true labels.

    Examples
    --------
    >>> from labelfield.metrics import coverage_error
    >>> coverage_error([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]])
    2.5
    """
    ranked = read_ranking(Y_true, Y_score)
    depth = np.where(ranked.truth, _rank_down(ranked.score, ranked.known), 0).max(axis=1)
    return float(depth[ranked.known.any(axis=1)].mean())


def ranking_loss(Y_true: Any, Y_score: Any) -> float:
    """Return the share of pairs of a true and a false label in the wrong order, mean over rows.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_score : (n, L) array

    Returns
    -------
    float

    Examples
    --------
    >>> from labelfield.metrics import ranking_loss
    >>> ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]])
    0.75
    """
    ranked = read_ranking(Y_true, Y_score)
    false_above = _rank_down(ranked.score, ranked.known) - _rank_down(ranked.score, ranked.truth)
    n_true = ranked.truth.sum(axis=1)
    n_pairs = n_true * (ranked.known.sum(axis=1) - n_true)
    wrong = np.where(ranked.truth, false_above, 0).sum(axis=1)
    return float((wrong / np.maximum(n_pairs, 1))[ranked.known.any(axis=1)].mean())
