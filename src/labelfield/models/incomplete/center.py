"""Features around their means."""

import numpy as np
import scipy.sparse as sp

__all__ = ["centred"]


def centred(X):
    """Return dense X (n, d) minus its means, and the means (d,); sparse or empty X as it is.

    In two rounds: the mean of many large numbers is off by more than their differences may be.
    """
    if sp.issparse(X) or not X.shape[0]:
        return X, np.zeros(X.shape[1])
    mean = X.mean(axis=0, dtype=np.float64)
    rows = X - mean
    rest = rows.mean(axis=0)
    return rows - rest, mean + rest
