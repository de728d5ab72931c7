"""The only way learners touch the features: products with X and with its transpose."""

import numpy as np
import scipy.sparse as sp

__all__ = ["Design"]


class Design:
    """Features with a constant column: `matmul`, `rmatmul` and a few cheap sums.

    An out-of-core or GPU matrix serves the learners as well if it has these methods.
    Parameters (d + 1, C) hold the weights of the constant in their last row.
    """

    def __init__(self, X, dtype=None):
        self.X = X if dtype is None else X.astype(dtype, copy=False)
        self.shape = X.shape
        self.dtype = self.X.dtype
        self._transposed = self.X.T.tocsr() if sp.issparse(X) else self.X.T

    @property
    def n_entries(self):
        """Stored entries of X: the cost of a product with one column."""
        return self.X.nnz if sp.issparse(self.X) else self.X.size

    def matmul(self, W):
        """Return X W[:-1] + W[-1]: (d + 1, C) -> (n, C)."""
        product = np.asarray(self.X @ np.ascontiguousarray(W[:-1]))
        product += W[-1]
        return product

    def rmatmul(self, R):
        """Return the products of all columns and the constant with R: (n, C) -> (d + 1, C)."""
        product = np.empty((self.shape[1] + 1, R.shape[1]), dtype=R.dtype)
        product[:-1] = self._transposed @ R
        product[-1] = R.sum(axis=0)
        return product

    def squares(self):
        """Return the sum of squares of every column and of the constant: (d + 1,)."""
        X = self.X
        squared = X.multiply(X).sum(axis=0) if sp.issparse(X) else np.einsum("ij,ij->j", X, X)
        return np.append(np.asarray(squared, dtype=np.float64).ravel(), self.shape[0])

    def covariance(self):
        """Return the mean (d,) and the centred Gram matrix (d, d) of the columns, dense."""
        mean = np.asarray(self.X.mean(axis=0), dtype=np.float64).ravel()
        gram = self._transposed @ self.X
        gram = np.asarray(gram.toarray() if sp.issparse(gram) else gram, dtype=np.float64)
        return mean, gram - self.shape[0] * np.outer(mean, mean)
