"""Counts and means of weighted rows."""

import numpy as np
import scipy.sparse as sp

from labelfield._namespaces import is_tensor, place_of, to_host
from labelfield.learners.rows.design import as_design

__all__ = ["constant_log_odds", "row_mean", "row_weights", "weights_of_all"]


def row_weights(weight, n_rows):
    """Return weights (n,), ones where none are given."""
    return np.ones(n_rows) if weight is None else weight


def row_mean(values, weight=None):
    """Return the mean (c,) of the rows of an array or CSR matrix (n, c), float64."""
    weight = row_weights(weight, values.shape[0])
    if values.dtype == np.uint8:  # labels: the same bits for dense and sparse ones
        values = sp.csr_matrix(values)
    if is_tensor(values):
        shares = place_of(values).asarray(weight / weight.sum())[:, None]
        return to_host(as_design(values).rmatmul(shares))[:, 0]
    return np.asarray(values.T @ (weight / weight.sum()), dtype=np.float64).ravel()


def constant_log_odds(Y, weight=None):
    """Return log-odds (L,) of labels Y (n, L) from their counts, and which labels vary."""
    weight = row_weights(weight, Y.shape[0])
    present = row_mean(Y, weight) * weight.sum()
    absent = weight.sum() - present
    rows = Y[np.flatnonzero(weight)]
    counts = np.asarray(rows.sum(axis=0)).ravel()
    varying = np.flatnonzero((counts > 0) & (counts < rows.shape[0]))
    return np.log((present + 0.5) / (absent + 0.5)), varying


def weights_of_all(coef, X):
    """Return weights (L, c) of the columns of X in use as those of all its columns: (L, d).

    Only blocks of rows have columns that are not in use.
    """
    used = getattr(X, "used", slice(None))
    if isinstance(used, slice):
        return coef
    wide = np.zeros((len(coef), X.shape[1]))
    wide[:, used] = coef
    return wide
