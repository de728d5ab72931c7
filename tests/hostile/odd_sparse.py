"""Sparse matrices: every format, not canonical, damaged."""

import numpy as np
import pandas as pd
import scipy.sparse as sp

from hostile.cases import X, refused, same

CSR = sp.csr_matrix(X)
WHOLE = np.round(38 * X).astype(np.int8)
WIDTH = X.shape[1]


def as_format(name):
    return lambda: CSR.asformat(name)


def with_arrays(format="csr", **arrays):
    """Return a maker of the clean matrix in a format with some of its arrays replaced."""

    def make():
        matrix = CSR.asformat(format, copy=True)
        for name, change in arrays.items():
            setattr(matrix, name, change(getattr(matrix, name)))
        return matrix

    return make


def at(position, value):
    """Return a function that puts a value into a copy of an array."""

    def change(array):
        changed = array.copy()
        changed[position] = value
        return changed

    return change


def doubled(matrix, dtype=float):
    """Return the matrix with every entry given twice, which counts as its double."""
    arrays = np.repeat(matrix.data, 2).astype(dtype), np.repeat(matrix.indices, 2)
    return type(matrix)((*arrays, 2 * matrix.indptr), shape=matrix.shape)


def unsorted():
    matrix = CSR.copy()
    for first, last in zip(matrix.indptr, matrix.indptr[1:]):
        matrix.indices[first:last] = matrix.indices[first:last][::-1].copy()
        matrix.data[first:last] = matrix.data[first:last][::-1].copy()
    return matrix


def stale_flag():
    matrix = doubled(CSR)
    matrix.has_canonical_format = True
    return matrix


def with_zeros():
    dense = X.copy()
    dense[dense > 1] = 7.0
    matrix = sp.csr_matrix(dense)
    matrix.data[matrix.data == 7.0] = 0.0
    return matrix


def spare_room():
    matrix = CSR.copy()
    matrix.data = np.append(matrix.data, [9.0, 9.0])
    matrix.indices = np.append(matrix.indices, np.array([1, 99], dtype=np.int32))
    return matrix


def long_indices():
    arrays = CSR.data, CSR.indices.astype(np.int64), CSR.indptr.astype(np.int64)
    matrix = CSR.copy()
    matrix.data, matrix.indices, matrix.indptr = arrays
    return matrix


def broken_lists(rows):
    def make():
        matrix = CSR.tolil(copy=True)
        matrix.rows[0] = rows
        return matrix

    return make


def sparse_frame(fill_value=0.0):
    frame = pd.DataFrame.sparse.from_spmatrix(CSR, columns=list("abcd"))
    return frame.astype(pd.SparseDtype(float, fill_value))


def beyond(array):
    return np.where(np.arange(len(array)) == 3, 10 * WIDTH, array)


SPARSE_X = {
    "csr_array": (lambda: sp.csr_array(X), same()),
    "csc": (as_format("csc"), same()),
    "coo": (as_format("coo"), same()),
    "bsr": (as_format("bsr"), same()),
    "dia": (as_format("dia"), same()),
    "dok": (as_format("dok"), same()),
    "lil": (as_format("lil"), same()),
    "unsorted indices": (unsorted, same()),
    "csr with duplicates": (lambda: doubled(CSR), same(lambda: 2 * X)),
    "csr_array with duplicates": (lambda: doubled(sp.csr_array(X)), same(lambda: 2 * X)),
    "csc with duplicates": (lambda: doubled(CSR.tocsc()), same(lambda: 2 * X)),
    "coo with duplicates": (lambda: doubled(CSR).tocoo(), same(lambda: 2 * X)),
    "duplicates under a stale flag": (stale_flag, same(lambda: 2 * X)),
    "int8 duplicates beyond 127": (
        lambda: doubled(sp.csr_matrix(WHOLE), np.int8),
        same(lambda: sp.csr_matrix(2.0 * WHOLE)),
    ),
    "int8 coordinates twice, beyond 127": (
        lambda: doubled(sp.csr_matrix(WHOLE), np.int8).tocoo(),
        same(lambda: sp.csr_matrix(2.0 * WHOLE)),
    ),
    "bool": (lambda: sp.csr_matrix(X > 0), same(lambda: sp.csr_matrix(1.0 * (X > 0)))),
    "bool duplicates": (
        lambda: doubled(sp.csr_matrix(X > 0), bool),
        same(lambda: sp.csr_matrix(1.0 * (X > 0))),
    ),
    "stored zeros": (with_zeros, same(lambda: np.where(X > 1, 0.0, X))),
    "more room than entries": (spare_room, same()),
    "indices of 64 bits": (long_indices, same()),
    "float32": (lambda: CSR.astype(np.float32), same(atol=1e-4)),
    "long double": (lambda: CSR.astype(np.longdouble), same()),
    "sparse frame": (sparse_frame, same()),
    "sparse frame filled with ones": (lambda: sparse_frame(1.0), same()),
    "no entry at all": (lambda: sp.csr_matrix(X.shape), same(lambda: sp.csr_matrix(0 * X))),
    "index beyond the width": (with_arrays(indices=beyond), refused("X is a damaged csr")),
    "negative index": (with_arrays(indices=at(3, -1)), refused("X is a damaged csr")),
    "fractional indices": (with_arrays(indices=lambda a: a + 0.5), refused("damaged csr")),
    "pointers that fall": (with_arrays(indptr=at(5, 10**6)), refused("X is a damaged csr")),
    "pointers that fall to 0": (with_arrays(indptr=at(-1, 0)), refused("X is a damaged csr")),
    "pointers that begin late": (with_arrays(indptr=at(0, 1)), refused("X is a damaged csr")),
    "pointers beyond the entries": (with_arrays(indptr=at(-1, 10**6)), refused("damaged csr")),
    "too few pointers": (with_arrays(indptr=lambda a: a[:-3]), refused("X is a damaged csr")),
    "too few values": (with_arrays(data=lambda a: a[:-3]), refused("X is a damaged csr")),
    "too few indices": (with_arrays(indices=lambda a: a[:-3]), refused("X is a damaged csr")),
    "csc with a row beyond the height": (with_arrays("csc", indices=at(3, 60)), refused("csc")),
    "bsr with a block beyond the width": (
        with_arrays("bsr", indices=beyond),
        refused("X is a damaged bsr"),
    ),
    "coo with a row beyond the height": (
        with_arrays("coo", coords=lambda c: (c[0] + 60, c[1])),
        refused("X is a damaged coo"),
    ),
    "coo with a negative column": (
        with_arrays("coo", coords=lambda c: (c[0], c[1] - 9)),
        refused("X is a damaged coo"),
    ),
    "lil with a column beyond the width": (broken_lists([7, 8, 9, 10]), refused("damaged lil")),
    "lil with fewer indices than values": (broken_lists([1]), refused("X is a damaged lil")),
    "dia with too few offsets": (
        with_arrays("dia", offsets=lambda a: a[:1]),
        refused("X is a damaged dia"),
    ),
    "stored NaN": (with_arrays(data=at(3, np.nan)), refused("Input X contains NaN")),
    "stored infinity": (with_arrays(data=at(3, -np.inf)), refused("Input X contains infinity")),
    "stored 1e200": (with_arrays(data=at(3, 1e200)), refused("overflow in float64")),
    "complex": (lambda: CSR * 1j, refused("Complex data not supported: X")),
    "one dimension": (lambda: sp.coo_array(X[:, 0]), refused("X is sparse of 1 dimension")),
    "no rows": (lambda: sp.csr_matrix((0, 4)), refused("0 sample")),
    "no columns": (lambda: sp.csr_matrix((60, 0)), refused("0 feature")),
    "other number of rows": (lambda: CSR[:50], refused("X and Y have inconsistent numbers")),
}
