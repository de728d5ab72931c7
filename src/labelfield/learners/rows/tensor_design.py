"""Features in a tensor, on a GPU or not: dense, or torch's CSR."""

from functools import cached_property

import numpy as np

from labelfield._namespaces import (
    chosen_columns,
    chosen_rows,
    csr_tensor,
    is_sparse_tensor,
    namespace,
    place_of,
    to_host,
)
from labelfield.learners.rows.design import Design

__all__ = ["TensorDesign", "tensor_moments", "varying_columns"]


class TensorDesign(Design):
    """Features in a tensor of float32 or float64; products are made in that precision.

    Vectors come and go as float64 tensors on the same device.
    """

    def __init__(self, X):
        self.X = X
        self.shape, self.dtype = tuple(X.shape), X.dtype
        self.xp = namespace(X)
        self.precision = float(self.xp.finfo(X.dtype).eps)

    @cached_property
    def transposed(self):
        """X' as it is multiplied: a view, or for CSR the same entries by column."""
        if not is_sparse_tensor(self.X):
            return self.X.T
        by_column = self.X.to_sparse_csc()
        parts = by_column.ccol_indices(), by_column.row_indices(), by_column.values()
        return csr_tensor(self.xp, *parts, self.shape[::-1])

    def matmul(self, W):
        """Return X W: (d, C) -> (n, C), float64."""
        return self._product(self.X, W)

    def scores(self, coef, shift):
        """Return X coef + shift in the precision of X, as good as the product is: (n, C)."""
        product = self.X @ self.xp.astype(coef, self.dtype, copy=False)
        product += self.xp.astype(shift, self.dtype, copy=False)
        return product

    def rmatmul(self, R):
        """Return X' R: (n, C) -> (d, C), float64."""
        return self._product(self.transposed, R)

    def _product(self, matrix, dense):
        dense = self.xp.astype(dense, self.dtype, copy=False)
        return self.xp.astype(matrix @ dense, self.xp.float64, copy=False)

    def take(self, rows):
        """Return the design of a slice of the rows, which shares their memory."""
        return self if rows == slice(0, self.shape[0]) else TensorDesign(chosen_rows(self.X, rows))

    def with_columns(self, used):
        """Return the design of some columns: all of those that vary."""
        if isinstance(used, slice):
            return self
        if not is_sparse_tensor(self.X):
            return TensorDesign(chosen_columns(self.X, used))
        number = np.zeros(self.shape[1], dtype=np.int64)  # the others have no entries
        number[used] = np.arange(len(used))
        columns = place_of(self.X).asarray(number)[self.X.col_indices()]
        parts = self.X.crow_indices(), columns, self.X.values()
        return TensorDesign(csr_tensor(self.xp, *parts, (self.shape[0], len(used))))

    @property
    def n_entries(self):
        if is_sparse_tensor(self.X):
            return self.X.values().shape[0]
        return super().n_entries

    def gram(self, weight):
        """Return X' diag(weight) X (d, d) for weights (n,)."""
        if is_sparse_tensor(self.X):
            dense = self.X.to_dense()
            return self.rmatmul(weight[:, None] * dense)
        return self.rmatmul(weight[:, None] * self.X)


def varying_columns(X):
    """Return which columns of a tensor vary; of a sparse one, which have entries."""
    xp = namespace(X)
    if is_sparse_tensor(X):
        return np.flatnonzero(to_host(X.col_indices().bincount(minlength=X.shape[1])))
    return np.flatnonzero(to_host(xp.max(X, axis=0) > xp.min(X, axis=0)))


def tensor_moments(X, weight):
    """Return the weighted means and variances of the columns of a tensor, in main memory."""
    xp, place = namespace(X), place_of(X)
    weight = weight / max(float(weight.sum()), 1e-300)
    shares = place.asarray(weight, "float64")[:, None]
    mean = TensorDesign(X).rmatmul(shares)[:, 0]
    if is_sparse_tensor(X):
        parts = X.crow_indices(), X.col_indices(), X.values() ** 2
        squares = TensorDesign(csr_tensor(xp, *parts, X.shape))
        variances = squares.rmatmul(shares)[:, 0] - mean * mean
    else:
        centred = X - xp.astype(mean, X.dtype)
        variances = TensorDesign(centred * centred).rmatmul(shares)[:, 0]
    return to_host(mean), to_host(variances)
