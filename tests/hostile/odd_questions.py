"""What fitted models are asked: new rows, known labels, sets to judge; and weights of rows."""

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

from hostile.cases import HOLED, UNKNOWN, X, Y, refused, same
from hostile.odd_dense import NAMES, number
from hostile.odd_sparse import CSR, doubled, long_indices, unsorted, with_arrays

DAMAGED = with_arrays(indices=lambda a: a + 99)
FEW = "X has 3 features, but .* expecting 4"
ONES = np.ones(60)


def frame(columns=NAMES):
    return pd.DataFrame(X, columns=columns)


def weight(value):
    return lambda: np.where(np.arange(60) == 3, value, 1.0)


NEW_ROWS = {
    "csr after an array": (lambda: CSR, same()),
    "csc after an array": (lambda: CSR.tocsc(), same()),
    "coo after an array": (lambda: CSR.tocoo(), same()),
    "lil after an array": (lambda: CSR.tolil(), same()),
    "unsorted csr": (unsorted, same()),
    "duplicates": (lambda: doubled(CSR / 2), same()),
    "indices of 64 bits": (long_indices, same()),
    "list of lists": (lambda: X.tolist(), same()),
    "frame named by numbers": (lambda: pd.DataFrame(X), same()),
    "float32": (lambda: X.astype(np.float32), same(atol=1e-5)),
    "other byte order": (lambda: X.astype(">f8"), same()),
    "Fortran order": (lambda: np.asfortranarray(X), same()),
    "tiny numbers": (lambda: X * 1e-320, same(lambda: 0 * X)),
    "one number of 1e-320": (number(1e-320), same(number(0.0))),
    "damaged csr": (DAMAGED, refused("X is a damaged csr")),
    "pointers that fall": (with_arrays(indptr=lambda a: a[::-1]), refused("X is a damaged csr")),
    "None": (lambda: None, refused("X is of type NoneType", TypeError)),
    "text": (lambda: "abc", refused("X is of type str", TypeError)),
    "generator": (lambda: iter(X), refused("X is of type", TypeError)),
    "one row without brackets": (lambda: X[0], refused("Expected 2D array, got 1D")),
    "three dimensions": (lambda: X[None], refused("dim 3")),
    "no rows": (lambda: X[:0], refused("0 sample")),
    "too few columns": (lambda: X[:, :3], refused(FEW)),
    "too few sparse columns": (lambda: CSR[:, :3], refused(FEW)),
    "too many columns": (lambda: np.hstack([X, X]), refused("X has 8 features")),
    "NaN": (number(np.nan), refused("Input X contains NaN")),
    "infinity": (number(-np.inf), refused("Input X contains infinity")),
    "masked": (lambda: np.ma.masked_array(X, mask=X > 1), refused("Input X contains NaN")),
    "1e200": (number(1e200), refused("X holds 1e[+]200.*Scale the features")),
    "dates": (lambda: (1e3 * X).astype("datetime64[s]"), refused("X holds dates")),
    "complex": (lambda: X * 1j, refused("Complex data not supported: X")),
    "numbers as text": (lambda: X.astype(str), refused("X holds text")),
}

NEW_COLUMNS = {  # after a fit to a frame with the columns a, b, c, d
    "the same frame": (frame, same()),
    "a polars frame": (lambda: pl.DataFrame(X, schema=NAMES), same()),
    "another index": (lambda: frame().set_index(np.arange(60)[::-1]), same()),
    "reordered": (lambda: frame()[list("dcba")], refused("must be in the same order")),
    "one missing": (lambda: frame()[list("abc")], refused("yet now missing:\n- d")),
    "one more": (lambda: frame().assign(e=1.0), refused("unseen at fit time:\n- e")),
    "one renamed": (lambda: frame(list("abcz")), refused("unseen at fit time:\n- z")),
    "a name twice": (lambda: frame(list("abcc")), refused("X has two columns of one name")),
    "a column of text": (lambda: frame().assign(b="x"), refused("column 'b' of X holds text")),
}

KNOWN = {
    "NaN": (lambda: HOLED, same(lambda: HOLED)),
    "masked": (lambda: np.ma.masked_array(Y, mask=UNKNOWN), same(lambda: HOLED)),
    "None": (lambda: np.where(UNKNOWN, None, Y.astype(object)), same(lambda: HOLED)),
    "frame": (lambda: pd.DataFrame(Y).astype("Int64").mask(UNKNOWN), same(lambda: HOLED)),
    "bool": (lambda: Y == 1, same(lambda: Y)),
    "csr": (lambda: sp.csr_matrix(Y), same(lambda: Y)),
    "other labels": (lambda: Y[:, :2], refused(r"known must have shape \(60, 3\)")),
    "other rows": (lambda: Y[:5], refused(r"known must have shape \(60, 3\)")),
    "2": (lambda: 2 * Y, refused("known holds 2")),
    "0.9": (lambda: 0.9 * Y, refused("known holds 0.9")),
    "text": (lambda: Y.astype(str), refused("known holds text")),
    "dates": (lambda: Y.astype("datetime64[s]"), refused("known holds dates")),
    "complex": (lambda: Y * 1j, refused("Complex data not supported: known")),
    "nothing": (lambda: None, refused("known is of type NoneType", TypeError)),
    "damaged csr": (lambda: broken_sets(), refused("known is a damaged csr")),
}

SETS = {
    "bool": (lambda: Y == 1, same(lambda: Y)),
    "float": (lambda: 1.0 * Y, same(lambda: Y)),
    "csr": (lambda: sp.csr_matrix(Y), same(lambda: Y)),
    "csr with duplicates": (lambda: doubled(sp.csr_matrix(Y / 2)), same(lambda: Y)),
    "frame": (lambda: pd.DataFrame(Y), same(lambda: Y)),
    "NaN": (lambda: HOLED, refused("sets holds NaN")),
    "256": (lambda: 256 * Y, refused("sets holds 256")),
    "257": (lambda: 257 * Y, refused("sets holds 257")),
    "0.9": (lambda: 0.9 * Y, refused("sets holds 0.9")),
    "-1": (lambda: -Y, refused("sets holds -1")),
    "text": (lambda: Y.astype(str), refused("sets holds text")),
    "other labels": (lambda: Y[:, :2], refused("sets must have shape")),
    "other rows": (lambda: Y[:5], refused("sets must have shape")),
    "nothing": (lambda: None, refused("sets is of type NoneType", TypeError)),
    "damaged csr": (lambda: broken_sets(), refused("sets is a damaged csr")),
}

WEIGHTS = {
    "ones": (lambda: ONES, same()),
    "a number": (lambda: 1.0, same()),
    "list": (lambda: [1] * 60, same()),
    "series": (lambda: pd.Series(ONES), same()),
    "bool": (lambda: ONES > 0, same()),
    "NaN": (weight(np.nan), refused("sample_weight contains NaN")),
    "infinity": (weight(np.inf), refused("sample_weight contains infinity")),
    "negative": (weight(-1.0), refused("Negative values .* `sample_weight`")),
    "all zero": (lambda: 0 * ONES, refused("Sample weights must contain .* non-zero")),
    "too few": (lambda: ONES[:9], refused("sample_weight.shape")),
    "two dimensions": (lambda: ONES[:, None], refused("sample_weight has shape")),
    "masked": (
        lambda: np.ma.masked_array(ONES, mask=X[:, 0] > 0),
        refused("sample_weight contains NaN"),
    ),
    "None among them": (lambda: [None] + [1.0] * 59, refused("sample_weight contains NaN")),
    "text": (lambda: ["1"] * 60, refused("sample_weight holds text")),
    "complex": (lambda: ONES * 1j, refused("Complex data not supported: sample_weight")),
    "dates": (lambda: ONES.astype("datetime64[s]"), refused("sample_weight holds dates")),
    "1e200": (weight(1e200), refused("sample_weight holds 1e[+]200")),
    "all 1e-200": (lambda: 1e-200 * ONES, refused("sample_weight holds no number above 1e-200")),
    "dict": (lambda: {0: 1.0}, refused("sample_weight is of type dict", TypeError)),
}


def broken_sets():
    matrix = sp.csr_matrix(Y)
    matrix.indices = matrix.indices + 99
    return matrix
