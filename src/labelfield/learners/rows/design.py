"""The only way learners touch the features: products with X and with its transpose."""

from abc import ABC, abstractmethod
from functools import cache, cached_property

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_info

from labelfield import kernels
from labelfield._namespaces import is_tensor

__all__ = [
    "DenseDesign",
    "Design",
    "SparseDesign",
    "as_design",
    "as_fit_design",
    "narrow",
    "thin_product",
    "used_columns",
]

GRAM_BYTES = 64 * 2**20
SMALL = 10_000  # entries below which no choice of format matters
THIN = 0.1  # share of entries that are not zero, below which sparse products are faster


class Design(ABC):
    """Features (n, d) known by their products only.

    An out-of-core or GPU matrix serves every learner once it has `shape`, `dtype`, `matmul` and
    `rmatmul`. The constant is no column of it: losses keep it beside.
    """

    shape: tuple[int, int]
    dtype: np.dtype
    precision = float(np.finfo(np.float64).eps)  # of the products

    @abstractmethod
    def matmul(self, W):
        """Return X W: (d, C) -> (n, C), float64."""

    @abstractmethod
    def rmatmul(self, R):
        """Return X' R: (n, C) -> (d, C), float64."""

    def scores(self, coef, shift):
        """Return X coef + shift for losses, which may overwrite it: (n, C)."""
        scores = self.matmul(coef)
        scores += shift
        return scores

    @abstractmethod
    def take(self, rows):
        """Return the design of a slice of the rows, which shares their memory."""

    @property
    def n_entries(self):
        """How many numbers a product goes through."""
        return self.shape[0] * self.shape[1]

    def gram(self, weight):
        """Return X' diag(weight) X (d, d) for weights (n,)."""
        n, d = self.shape
        result = np.empty((d, d))
        step = max(1, GRAM_BYTES // (8 * max(n, 1)))
        for first in range(0, d, step):
            columns = np.eye(d, min(step, d - first), k=-first)
            result[:, first : first + step] = self.rmatmul(weight[:, None] * self.matmul(columns))
        return result


def thin_product(A, B):
    """Return the product of arrays A (n, d) and B (d, C) with few columns.

    As (B' A')', in the order of columns, which is up to twice as fast as A B, whose blocks are made
    for wider ones; but where OpenBLAS uses its kernels for AVX2, A B is faster by as much as half.
    """
    return A @ B if _plain_is_faster() else (B.T @ A.T).T


@cache
def _plain_is_faster():
    return any(
        library.get("architecture") in ("Haswell", "Zen")
        for library in threadpool_info()
        if "numpy" in library["filepath"] and library["user_api"] == "blas"
    )


class DenseDesign(Design):
    """Features in an array of float32 or float64; products are made in that precision."""

    def __init__(self, X):
        self.X = X if X.itemsize in X.strides else np.ascontiguousarray(X)
        self.shape, self.dtype = X.shape, X.dtype
        self.precision = float(np.finfo(X.dtype).eps)

    def matmul(self, W):
        """Return X W: (d, C) -> (n, C), float64."""
        product = thin_product(self.X, W.astype(self.dtype, copy=False))
        return np.ascontiguousarray(product, dtype=np.float64)

    def rmatmul(self, R):
        """Return X' R: (n, C) -> (d, C), float64."""
        product = thin_product(self.X.T, R.astype(self.dtype, copy=False))
        return product.astype(np.float64, copy=False)

    def take(self, rows):
        """Return the design of a slice of the rows, which shares their memory."""
        return DenseDesign(self.X[rows])

    def gram(self, weight):
        """Return X' diag(weight) X (d, d) for weights (n,)."""
        weighted = weight.astype(self.dtype, copy=False)[:, None] * self.X
        return (self.X.T @ weighted).astype(np.float64, copy=False)


class SparseDesign(Design):
    """Features in a CSR matrix, its transpose made when it is needed; products are in float64."""

    def __init__(self, X):
        self.X = X.tocsr()
        self.shape, self.dtype = X.shape, X.dtype
        self._parts = {}  # with their transposes, for the next fit to the same rows

    @cached_property
    def transposed(self):
        return self.X.T.tocsr()

    def matmul(self, W):
        """Return X W: (d, C) -> (n, C), float64."""
        return _product(self.X, W)

    def rmatmul(self, R):
        """Return X' R: (n, C) -> (d, C), float64."""
        return _product(self.transposed, R)

    def take(self, rows):
        """Return the design of a slice of the rows, which shares their memory."""
        first, last, _ = rows.indices(self.shape[0])
        if (first, last) == (0, self.shape[0]):
            return self
        if (first, last) not in self._parts:
            starts = self.X.indptr[first : last + 1]
            inside = slice(starts[0], starts[-1])
            parts = (self.X.data[inside], self.X.indices[inside], starts - starts[0])
            matrix = sp.csr_matrix(parts, shape=(last - first, self.shape[1]))
            self._parts[first, last] = SparseDesign(matrix)
        return self._parts[first, last]

    @property
    def n_entries(self):
        return self.X.nnz


def _product(matrix, dense):
    dense = np.ascontiguousarray(dense, dtype=np.float64)
    return kernels.losses.sparse_product.csr_matmul(
        matrix.data, matrix.indices, matrix.indptr, dense
    )


def as_design(X):
    """Return X as a design: an array, a sparse matrix, or a design, which is returned as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.rows.design import as_design
    >>> as_design(np.array([[1.0, 2.0]])).matmul(np.array([[1.0], [1.0]])).tolist()
    [[3.0]]
    """
    if isinstance(X, Design):
        return X
    if is_tensor(X):
        from labelfield.learners.rows.tensor_design import TensorDesign

        return TensorDesign(X)
    return SparseDesign(X) if sp.issparse(X) else DenseDesign(X)


def used_columns(X):
    """Return the columns of X that say something: an index array, or a slice where all do.

    A dense column with the same value in every row, or a sparse one without entries, gets no
    weight from a ridge beside a free constant, so that solvers can leave it out. They should: the
    centred column is nothing but rounding, which never becomes small.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from labelfield.learners.rows.design import used_columns
    >>> used_columns(sp.csr_matrix(np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0]]))).tolist()
    [0, 1]
    >>> used_columns(np.array([[0.0, 2.0, 7.0], [1.0, 0.0, 7.0]])).tolist()
    [0, 1]
    """
    if is_tensor(X):
        from labelfield.learners.rows.tensor_design import varying_columns

        used = varying_columns(X)
    elif sp.issparse(X):
        used = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))
    else:
        used = np.setdiff1d(np.arange(X.shape[1]), _constant_columns(X))
    return slice(None) if len(used) == X.shape[1] else used


def _constant_columns(X, step=256):
    suspects = np.arange(X.shape[1])
    for first in range(0, X.shape[0], step):
        if not len(suspects):
            break
        rows = X[first : first + step].take(suspects, axis=1)
        suspects = suspects[(rows == X[0, suspects]).all(axis=0)]
    return suspects


def narrow(X):
    """Return the columns of X that say something as a design, and which they are."""
    if isinstance(X, Design):
        return X, slice(None)
    used = used_columns(X)
    if is_tensor(X):
        return as_design(X).with_columns(used), used
    return as_fit_design(take_columns(X, used)), used


def take_columns(X, used):
    """Return some columns of an array, in the order of rows, or of a sparse matrix."""
    if isinstance(used, slice):
        return X
    return X[:, used] if sp.issparse(X) else X.take(used, axis=1)


def as_fit_design(X):
    """Return X as a design for many products: an array of hardly anything but zeros as CSR.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.rows.design import as_fit_design
    >>> type(as_fit_design(np.eye(500))).__name__
    'SparseDesign'
    """
    if isinstance(X, np.ndarray) and X.size > SMALL and np.count_nonzero(X) < THIN * X.size:
        return SparseDesign(sp.csr_matrix(X))
    return as_design(X)
