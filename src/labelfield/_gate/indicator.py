"""Reading label sets given as an indicator matrix with entries 0, 1 or NaN (unknown)."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from labelfield._gate.reading import as_numbers, sound_csr
from labelfield._namespaces import to_host

__all__ = ["WANTED_LABELS", "list_sets", "one_hot", "read_dense_indicator", "read_indicator"]

WANTED_LABELS = (
    "0, 1 or NaN (unknown), or lists of texts; sklearn's MultiLabelBinarizer turns lists of other "
    "tags into such a matrix"
)


def read_indicator(Y: Any, name: str) -> tuple[Any, Any]:
    """Return the ones of `Y` and its unknown entries, both (n, L), bool, both dense or both CSR.

    A 1-d `Y` is a single label. NaN, None and masked entries are unknown: False in the first
    answer and True in the second. `name` is the argument the error messages speak of. Sparse
    matrices stay sparse, with the True entries stored and nothing else.
    """
    Y = to_host(Y)
    if sparse.issparse(Y):
        stored = sound_csr(Y, name, WANTED_LABELS)
        ones, unknown = _split(stored.data, name)
        return _keep(stored, ones), _keep(stored, unknown)
    values = as_numbers(Y, name, WANTED_LABELS)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        raise ValueError(f"{name} has {values.ndim} dimensions; give an (n, L) indicator matrix.")
    return _split(values, name)


def read_dense_indicator(Y: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return what `read_indicator` does as arrays, one byte an entry, also for a sparse `Y`."""
    ones, unknown = read_indicator(Y, name)
    return (ones.toarray(), unknown.toarray()) if sparse.issparse(ones) else (ones, unknown)


def _split(values: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    ones = values == 1
    unknown = np.isnan(values)
    wrong = ~(ones | unknown | (values == 0))
    if wrong.any():
        raise ValueError(
            f"{name} holds {values[wrong].flat[0]}; entries must be 0, 1 or NaN (unknown)."
        )
    return ones, unknown


def _keep(stored: Any, chosen: np.ndarray) -> sparse.csr_array:
    """Return the bool CSR array whose True entries are the chosen stored ones."""
    before = np.concatenate([[0], np.cumsum(chosen)])
    indptr = before[stored.indptr].astype(stored.indptr.dtype)
    kept = stored.indices[chosen]
    return sparse.csr_array((np.ones(len(kept), bool), kept, indptr), shape=stored.shape)


def list_sets(Y: Any, weight: Any = None) -> tuple[Any, Any]:
    """Return the sets (M, L) of Y (n, L), an array or CSR matrix, and which one each row has.

    Sets of rows without weight (n,) are not listed; the number of such rows is 0.
    """
    if weight is not None and not weight.all():
        rows = np.flatnonzero(weight)
        codes = np.zeros(Y.shape[0], dtype=np.intp)
        sets, codes[rows] = list_sets(Y[rows])
        return sets, codes
    if not Y.shape[1]:  # the empty set is all there is
        return Y[:1], np.zeros(Y.shape[0], dtype=np.intp)
    if not sparse.issparse(Y):
        packed = np.ascontiguousarray(np.packbits(Y, axis=1))  # sorted as the sets are, but faster
        keys = packed.view(f"V{packed.shape[1]}")[:, 0]
        _, firsts, codes = np.unique(keys, return_index=True, return_inverse=True)
        return Y[firsts], codes.ravel()
    codes = np.empty(Y.shape[0], dtype=np.intp)
    seen: dict[bytes, int] = {}
    for row, (first, last) in enumerate(pairwise(Y.indptr.tolist())):
        codes[row] = seen.setdefault(Y.indices[first:last].tobytes(), len(seen))
    firsts = np.unique(codes, return_index=True)[1]
    sets, order = np.unique(Y[firsts].toarray(), axis=0, return_inverse=True)
    return sets, order.ravel()[codes]


def one_hot(codes: Any, n_classes: int) -> Any:
    """Return which class each row has: CSR matrix (n, K)."""
    n = len(codes)
    return sparse.csr_matrix((np.ones(n, np.uint8), codes, np.arange(n + 1)), shape=(n, n_classes))
