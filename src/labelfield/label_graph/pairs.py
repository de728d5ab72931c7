"""How labels occur together: counts of pairs, conditional shares, signed association."""

import numpy as np

from labelfield._typing import BoolArray, FloatArray

__all__ = ["conditional_shares", "pair_counts", "phi_coefficients"]


def pair_counts(ones: BoolArray, known: BoolArray) -> dict[str, FloatArray]:
    """Count, for labels a (rows) and b (columns), over the rows in which both are known.

    Parameters
    ----------
    ones, known : (n, L) array of bool

    Returns
    -------
    dict
        "both" a and b present, "first" a present, "second" b present, "rows" all: (L, L) each.
    """
    # float32 counts exactly up to 2**24 rows, and its products run at the speed of BLAS
    present, certain = ones.astype(np.float32), known.astype(np.float32)
    both = (present.T @ present).astype(np.float64)
    first = (present.T @ certain).astype(np.float64)
    rows = (certain.T @ certain).astype(np.float64)
    return {"both": both, "first": first, "second": first.T, "rows": rows}


def conditional_shares(counts: dict[str, FloatArray]) -> FloatArray:
    """Return P(b | a), the share of rows with a that also have b: (L, L), NaN without such rows."""
    return _divide(counts["both"], counts["first"], np.nan)


def phi_coefficients(counts: dict[str, FloatArray]) -> FloatArray:
    """Return the correlation of every two labels, in [-1, 1], 0 on the diagonal: (L, L)."""
    first, second, rows = counts["first"], counts["second"], counts["rows"]
    spread = np.sqrt(first * (rows - first) * second * (rows - second))
    phi = _divide(counts["both"] * rows - first * second, spread, 0.0)
    np.fill_diagonal(phi, 0.0)
    return phi


def _divide(part: FloatArray, whole: FloatArray, otherwise: float) -> FloatArray:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), otherwise)
