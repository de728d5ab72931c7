"""How far a share may be off by chance."""

from typing import Any

import numpy as np
from scipy.stats import beta

from labelfield._typing import FloatArray

__all__ = ["share_interval"]


def share_interval(
    hits: Any, rows: Any, *, coverage: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return the exact (Clopper-Pearson) interval of a share, NaN without rows.

    Parameters
    ----------
    hits, rows : arrays of the same shape
        How many of how many rows; partial hits may make the first a fraction.
    coverage : float in (0, 1), default=0.95

    Returns
    -------
    low, high : arrays of the same shape

    Examples
    --------
    >>> from labelfield.metrics.intervals import share_interval
    >>> low, high = share_interval([8], [10])
    >>> low.round(3), high.round(3)
    (array([0.444]), array([0.975]))
    """
    hits, rows = np.asarray(hits, dtype=np.float64), np.asarray(rows, dtype=np.float64)
    tail = (1.0 - coverage) / 2.0
    misses = rows - hits
    low = np.where(hits > 0, beta.ppf(tail, np.maximum(hits, 0.5), misses + 1), 0.0)
    high = np.where(misses > 0, beta.ppf(1 - tail, hits + 1, np.maximum(misses, 0.5)), 1.0)
    return np.where(rows > 0, low, np.nan), np.where(rows > 0, high, np.nan)
