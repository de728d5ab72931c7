"""Counts and means of weighted rows."""

import numpy as np

from labelfield._namespaces import is_tensor, place_of, to_host
from labelfield.learners.rows.design import as_design

__all__ = ["constant_log_odds", "row_mean", "row_weights"]


def row_weights(weight, n_rows):
    """Return weights (n,), ones where none are given."""
    return np.ones(n_rows) if weight is None else weight


def row_mean(values, weight=None):
    """Return the mean (c,) of the rows of an array or CSR matrix (n, c), float64."""
    weight = row_weights(weight, values.shape[0])
    if is_tensor(values):
        shares = place_of(values).asarray(weight / weight.sum())[:, None]
        return to_host(as_design(values).rmatmul(shares))[:, 0]
    return np.asarray(values.T @ (weight / weight.sum()), dtype=np.float64).ravel()


def constant_log_odds(Y, weight=None):
    """Return log-odds (L,) of labels Y (n, L) from their counts, and which labels vary."""
    weight = row_weights(weight, len(Y))
    present, absent = weight @ Y, weight @ (1.0 - Y)
    return np.log((present + 0.5) / (absent + 0.5)), np.flatnonzero(Y.any(axis=0) & ~Y.all(axis=0))
