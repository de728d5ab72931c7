"""Is the confidence in predicted sets worth its number?

Every function takes `confidence` (n,), the stated probability that a predicted set is right, and
`correct` (n,), 1 where it was and 0 where not (`subset_accuracy(..., average="rows")`). A value
between 0 and 1 is a partial hit, such as the F1 of a set; NaN (truth unknown) leaves the row out.

The square error splits as `uncertainty - sharpness + alignment_error`. The split is exact if the
confidence takes one value within each bin, otherwise the spread inside the bins is left over.
"""

from typing import Any

import numpy as np

from labelfield._typing import FloatArray, IntArray
from labelfield.metrics._inputs import check_whole, read_hits

__all__ = [
    "alignment_error",
    "brier_score",
    "expected_calibration_error",
    "reliability_bins",
    "sharpness",
    "uncertainty",
]


MAX_BINS = 1_000_000


def _bin_of(c: FloatArray, n_bins: int) -> IntArray:
    check_whole(n_bins, 1, MAX_BINS, "n_bins")
    return np.minimum((n_bins * c).astype(np.intp), n_bins - 1)


def _bin_means(values: FloatArray, bins: IntArray, n_bins: int) -> FloatArray:
    """Return the mean of the values in each bin, NaN for an empty one."""
    count = np.bincount(bins, minlength=n_bins)
    total = np.bincount(bins, weights=values, minlength=n_bins)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def brier_score(confidence: Any, correct: Any) -> float:
    """Return the mean square error of the confidence.

    Parameters
    ----------
    confidence : (n,) array in [0, 1]
    correct : (n,) array of 0, 1 or NaN (unknown)

    Returns
    -------
    float

    Examples
    --------
    >>> from labelfield.metrics import brier_score
    >>> brier_score([1.0, 0.5], [1, 0])
    0.125
    """
    c, v = read_hits(confidence, correct)
    return float(np.mean((c - v) ** 2))


def uncertainty(confidence: Any, correct: Any) -> float:
    """Return the variance of the hits, acc (1 - acc): the error of always stating the accuracy.

    Parameters
    ----------
    confidence : (n,) array in [0, 1]
        Not used; taken so that all measures are called alike.
    correct : (n,) array of 0, 1 or NaN (unknown)

    Returns
    -------
    float

    Examples
    --------
    >>> from labelfield.metrics import uncertainty
    >>> uncertainty([1.0, 0.5], [1, 0])
    0.25
    """
    _, v = read_hits(confidence, correct)
    return float(np.var(v))


def sharpness(confidence: Any, correct: Any, *, n_bins: int = 10) -> float:
    """Return how far the accuracy of the bins spreads around the overall accuracy (mean square).

    Parameters
    ----------
    confidence : (n,) array in [0, 1]
    correct : (n,) array of 0, 1 or NaN (unknown)
    n_bins : int, default=10
        Bins of equal width on [0, 1].

    Returns
    -------
    float
        Higher is better; at most the uncertainty.

    Examples
    --------
    >>> from labelfield.metrics import sharpness
    >>> sharpness([0.9, 0.9, 0.1, 0.1], [1, 1, 0, 0])
    0.25
    """
    c, v = read_hits(confidence, correct)
    bins = _bin_of(c, n_bins)
    return float(np.mean((_bin_means(v, bins, n_bins)[bins] - v.mean()) ** 2))


def alignment_error(confidence: Any, correct: Any, *, n_bins: int = 10) -> float:
    """Return the mean square distance of each confidence from the accuracy of its bin.

    Parameters
    ----------
    confidence : (n,) array in [0, 1]
    correct : (n,) array of 0, 1 or NaN (unknown)
    n_bins : int, default=10
        Bins of equal width on [0, 1].

    Returns
    -------
    float

    Examples
    --------
    >>> from labelfield.metrics import alignment_error
    >>> alignment_error([1.0, 1.0], [1, 0])
    0.25
    """
    c, v = read_hits(confidence, correct)
    bins = _bin_of(c, n_bins)
    return float(np.mean((_bin_means(v, bins, n_bins)[bins] - c) ** 2))


def expected_calibration_error(confidence: Any, correct: Any, *, n_bins: int = 10) -> float:
    """ECE: the distance of mean confidence and accuracy in each bin, weighted by its rows.

    Parameters
    ----------
    confidence : (n,) array in [0, 1]
    correct : (n,) array of 0, 1 or NaN (unknown)
    n_bins : int, default=10
        Bins of equal width on [0, 1].

    Returns
    -------
    float

    Examples
    --------
    >>> from labelfield.metrics import expected_calibration_error
    >>> expected_calibration_error([1.0, 1.0], [1, 0])
    0.5
    """
    c, v = read_hits(confidence, correct)
    gap = np.bincount(_bin_of(c, n_bins), weights=c - v)
    return float(np.abs(gap).sum() / len(c))


def reliability_bins(confidence: Any, correct: Any, *, n_bins: int = 10) -> dict[str, Any]:
    """Return the points of a reliability diagram.

    Parameters
    ----------
    confidence : (n,) array in [0, 1]
    correct : (n,) array of 0, 1 or NaN (unknown)
    n_bins : int, default=10
        Bins of equal width on [0, 1].

    Returns
    -------
    dict
        "edges" (n_bins + 1,), "count" (n_bins,) rows in each bin, "confidence" and "accuracy"
        (n_bins,) their means, NaN where a bin is empty.

    Examples
    --------
    >>> from labelfield.metrics import reliability_bins
    >>> reliability_bins([0.25, 0.75, 0.75], [0, 1, 0], n_bins=2)["accuracy"]
    array([0. , 0.5])
    """
    c, v = read_hits(confidence, correct)
    bins = _bin_of(c, n_bins)
    return {
        "edges": np.linspace(0.0, 1.0, n_bins + 1),
        "count": np.bincount(bins, minlength=n_bins),
        "confidence": _bin_means(c, bins, n_bins),
        "accuracy": _bin_means(v, bins, n_bins),
    }
