"""Ridge regressions of many targets on the same features."""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from labelfield.models.incomplete.center import centred

__all__ = ["Ridge"]


class Ridge:
    """Regressions with a constant that is not penalised, on features factored once.

    Whichever is smaller is factored, the products of features or those of rows. Dense features are
    centred first, so that a large mean costs no digits; sparse ones are without being made dense.

    Parameters
    ----------
    X : array or CSR matrix (n, d)
    strength : float
        Of the penalty against the summed squares.
    """

    def __init__(self, X, strength):
        self.X, self.mean = centred(X)
        # what is left to centre by formula
        self.center = np.asarray(self.X.mean(axis=0), dtype=np.float64).ravel()
        self.wide = X.shape[1] > X.shape[0]
        products = self.X @ self.X.T if self.wide else self.X.T @ self.X
        products = np.array(products.toarray() if sp.issparse(products) else products, dtype=float)
        if self.wide:
            products -= products.mean(axis=0)
            products -= products.mean(axis=1, keepdims=True)
        else:
            products -= X.shape[0] * np.outer(self.center, self.center)
        products[np.diag_indices_from(products)] += strength
        self.factor = _factor(products)

    def solve(self, T):
        """Return weights (d, L) and constants (L,) for targets T (n, L)."""
        means = T.mean(axis=0)
        if self.wide:
            A = cho_solve(self.factor, T - means)
            W = np.asarray(self.X.T @ A) - np.outer(self.center, A.sum(axis=0))
        else:
            W = cho_solve(
                self.factor, np.asarray(self.X.T @ T) - np.outer(self.center, T.sum(axis=0))
            )
        return W, means - (self.mean + self.center) @ W


def _factor(products):
    try:
        return cho_factor(products, overwrite_a=True)
    except LinAlgError as error:
        raise ValueError(
            "X has columns that differ too little from constants, or from each other, for their "
            "products to be inverted. Scale the features, drop such columns or raise alpha."
        ) from error
