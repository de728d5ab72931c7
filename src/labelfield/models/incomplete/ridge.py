"""Ridge regressions of many targets on the same features."""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from labelfield.learners.conditional import append_columns

__all__ = ["Ridge", "with_constant"]


def with_constant(X):
    """Return X (n, d) with a column of ones on the right."""
    return append_columns(X, np.ones((X.shape[0], 1)))


class Ridge:
    """Regressions on the same rows, factored once: W = (X'X + strength I)^-1 X'T."""

    def __init__(self, X, strength):
        self.X = X
        self.wide = X.shape[1] > X.shape[0]
        products = X @ X.T if self.wide else X.T @ X
        products = products.toarray() if sp.issparse(products) else np.array(products)
        products = products.astype(np.float64)
        products[np.diag_indices_from(products)] += strength
        self.factor = cho_factor(products, overwrite_a=True)

    def solve(self, T):
        """Return the weights (d, L) for targets T (n, L)."""
        if self.wide:
            return np.asarray(self.X.T @ cho_solve(self.factor, T))
        return cho_solve(self.factor, np.asarray(self.X.T @ T))
