"""Targets: odd but right, known in part, and wrong."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

from hostile.cases import HOLED, UNKNOWN, Y, refused, same
from labelfield import split_tags

NAMES = ["rain", "snow", "fog"]
ONE = Y[:, 0]
CSR = sp.csr_matrix(Y)


def frame(dtype=int):
    return pd.DataFrame(Y, columns=NAMES).astype(dtype)


def holed_frame(dtype):
    return pd.DataFrame(Y, columns=NAMES).astype(dtype).mask(UNKNOWN)


def holed_objects(missing):
    return lambda: np.where(UNKNOWN, missing, Y.astype(object))


def entry(value, dtype=object):
    """Return a maker of labels one of which is `value`."""

    def make():
        array = Y.astype(dtype)
        array[3, 1] = value
        return array

    return make


def column(value, dtype=object):
    """Return a maker of a 1-d target one entry of which is `value`."""

    def make():
        array = ONE.astype(dtype)
        array[3] = value
        return array

    return make


def classes(absent, present):
    return lambda: np.where(ONE == 1, present, absent)


def halves():
    """Return labels whose ones are each given as two halves."""
    arrays = np.full(2 * CSR.nnz, 0.5), np.repeat(CSR.indices, 2), 2 * CSR.indptr
    return sp.csr_matrix(arrays, shape=Y.shape)


def twice():
    arrays = np.ones(2 * CSR.nnz, dtype=np.uint8), np.repeat(CSR.indices, 2), 2 * CSR.indptr
    return sp.csr_matrix(arrays, shape=Y.shape)


def stored_zeros():
    matrix = sp.csr_matrix(Y + 1.0)
    matrix.data -= 1.0
    return matrix


def holed_csr():
    matrix = sp.csr_matrix(np.where(UNKNOWN, 7.0, Y))
    matrix.data[matrix.data == 7.0] = np.nan
    return matrix


def damaged():
    matrix = CSR.copy()
    matrix.indices = matrix.indices + 99
    return matrix


def matrix():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.matrix(Y)


TAGS = ("fog", "rain", "snow")


def tags(rows=tuple, whole=list):
    return whole([rows(name for name, one in zip(TAGS, row) if one) for row in Y.tolist()])


def tag_array():
    array = np.empty(len(Y), dtype=object)
    array[:] = tags(list)
    return array


GOOD_Y = {
    "list of lists": (lambda: Y.tolist(), same()),
    "tuple of arrays": (lambda: tuple(Y), same()),
    "tuples of tags": (tags, same()),
    "lists of tags": (lambda: tags(list), same()),
    "sets of tags": (lambda: tags(set, tuple), same()),
    "array of lists of tags": (tag_array, same()),
    "arrays of tags": (lambda: tags(lambda row: np.array(list(row), dtype=str)), same()),
    "Series of lists of tags": (lambda: pd.Series(tags(list), index=range(60, 0, -1)), same()),
    "polars lists of tags": (lambda: pl.Series(tags(list)), same()),
    "arrow lists of tags": (lambda: pa.array(tags(list)), same()),
    "joined tags": (lambda: pl.Series(["|".join(row) for row in tags()]), same()),
    "split tags": (lambda: split_tags([" ; ".join(row) for row in tags()]), same()),
    "pairs of tags": (lambda: [("rain", "fog")] * 60, same(lambda: np.ones((60, 2), dtype=int))),
    "bool": (lambda: Y == 1, same()),
    "float": (lambda: Y.astype(float), same()),
    "float16": (lambda: Y.astype(np.float16), same()),
    "long double": (lambda: Y.astype(np.longdouble), same()),
    "int8": (lambda: Y.astype(np.int8), same()),
    "uint64": (lambda: Y.astype(np.uint64), same()),
    "other byte order": (lambda: Y.astype(">i4"), same()),
    "minus zero": (lambda: np.where(Y == 1, 1.0, -0.0), same()),
    "objects": (lambda: Y.astype(object), same()),
    "bools as objects": (lambda: (Y == 1).astype(object), same()),
    "np.matrix": (matrix, same()),
    "Fortran order": (lambda: np.asfortranarray(Y), same()),
    "every second column": (lambda: np.repeat(Y, 2, axis=1)[:, ::2], same()),
    "masked array without a mask": (lambda: np.ma.masked_array(Y), same()),
    "csr": (lambda: CSR, same()),
    "csr_array": (lambda: sp.csr_array(Y), same()),
    "csc": (lambda: CSR.tocsc(), same()),
    "coo": (lambda: CSR.tocoo(), same()),
    "lil": (lambda: CSR.tolil(), same()),
    "csr of bools": (lambda: CSR.astype(bool), same()),
    "csr of ones in halves": (halves, same()),
    "csr with stored zeros": (stored_zeros, same()),
    "pandas frame": (frame, same()),
    "frame of bools": (lambda: frame(bool), same()),
    "frame of Int64": (lambda: frame("Int64"), same()),
    "frame of boolean": (lambda: frame("boolean"), same()),
    "frame of categories": (lambda: frame("category"), same()),
    "frame with a shuffled index": (lambda: frame().set_index(np.arange(60)[::-1]), same()),
    "frame named by numbers, text and tuples": (
        lambda: pd.DataFrame(Y, columns=[1, "b", ("c", 2)]),
        same(),
    ),
    "frame with strange names": (lambda: pd.DataFrame(Y, columns=["", "a\nb", "=1"]), same()),
    "sparse frame": (lambda: pd.DataFrame.sparse.from_spmatrix(CSR), same()),
    "polars frame": (lambda: pl.DataFrame(Y, schema=NAMES), same()),
    "arrow table": (lambda: pa.table(dict(zip(NAMES, Y.T.copy()))), same()),
    "one column": (lambda: Y[:, :1], same(lambda: Y[:, :1].tolist())),
    "1-d bool": (lambda: ONE == 1, same(lambda: ONE)),
    "1-d float": (lambda: 1.0 * ONE, same(lambda: ONE)),
    "1-d text": (classes("no", "yes"), same(lambda: ONE)),
    "1-d text of digits": (classes("0", "1"), same(lambda: ONE)),
    "1-d of -1 and 1": (classes(-1, 1), same(lambda: ONE)),
    "1-d of 3 and 7": (classes(3, 7), same(lambda: ONE)),
    "1-d list": (lambda: ONE.tolist(), same(lambda: ONE)),
    "1-d series": (lambda: pd.Series(ONE), same(lambda: ONE)),
    "1-d series of Int64": (lambda: pd.Series(ONE, dtype="Int64"), same(lambda: ONE)),
    "1-d series of categories": (
        lambda: pd.Series(classes("no", "yes")(), dtype="category"),
        same(lambda: ONE),
    ),
    "1-d series of strings": (
        lambda: pd.Series(classes("no", "yes")(), dtype="string"),
        same(lambda: ONE),
    ),
    "1-d polars series": (lambda: pl.Series(ONE), same(lambda: ONE)),
}

UNKNOWN_Y = {
    "tags of which some rows are unknown": (
        lambda: [None, float("nan"), *tags()[2:]],
        same(lambda: np.vstack([np.full((2, 3), np.nan), Y[2:]])),
    ),
    "NaN": (lambda: HOLED, same(lambda: HOLED)),
    "masked array": (lambda: np.ma.masked_array(Y, mask=UNKNOWN), same(lambda: HOLED)),
    "masked bools": (lambda: np.ma.masked_array(Y == 1, mask=UNKNOWN), same(lambda: HOLED)),
    "masked and NaN": (
        lambda: np.ma.masked_array(HOLED, mask=np.roll(UNKNOWN, 1)),
        same(lambda: np.where(np.roll(UNKNOWN, 1), np.nan, HOLED)),
    ),
    "None": (holed_objects(None), same(lambda: HOLED)),
    "pandas NA": (holed_objects(pd.NA), same(lambda: HOLED)),
    "NaN as objects": (lambda: HOLED.astype(object), same(lambda: HOLED)),
    "list with None": (lambda: holed_objects(None)().tolist(), same(lambda: HOLED)),
    "frame of Int64": (lambda: holed_frame("Int64"), same(lambda: HOLED)),
    "frame of boolean": (lambda: holed_frame("boolean"), same(lambda: HOLED)),
    "frame of float": (lambda: holed_frame(float), same(lambda: HOLED)),
    "polars nulls": (
        lambda: pl.from_pandas(holed_frame("Int64")),
        same(lambda: HOLED),
    ),
    "polars bools and nulls": (
        lambda: pl.from_pandas(holed_frame("boolean")),
        same(lambda: HOLED),
    ),
    "arrow nulls": (
        lambda: pa.Table.from_pandas(holed_frame("Int64")),
        same(lambda: HOLED),
    ),
    "csr with stored NaN": (holed_csr, same(lambda: HOLED)),
}

BAD_Y = {
    "None": (lambda: None, refused("requires y to be passed")),
    "text": (lambda: "abc", refused("Y is of type str", TypeError)),
    "dict": (lambda: {"rain": ONE}, refused("Y is of type dict", TypeError)),
    "set": (lambda: {0, 1}, refused("Y is of type set", TypeError)),
    "generator": (lambda: (row for row in Y), refused("Y is of type generator", TypeError)),
    "a number": (lambda: 1, refused("Y has 0 dimensions")),
    "three dimensions": (lambda: Y[:, :, None], refused("Y has 3 dimensions")),
    "no columns": (lambda: Y[:, :0], refused("Y has 0 columns")),
    "other number of rows": (lambda: Y[:50], refused("inconsistent numbers of rows: 60 and 50")),
    "lists of numbers": (lambda: [[3], [1, 2]] * 30, refused("different lengths.*MultiLabelBin")),
    "tags and numbers": (
        lambda: [["rain"], [3]] * 30,
        refused("Y holds the tag 3; tags are"),
    ),
    "empty tags": (lambda: [["rain", ""]] * 60, refused("Y holds the tag ''; tags are texts")),
    "tags and text": (lambda: [["rain"], "fog"] * 30, refused("Y holds 'fog' among lists of tags")),
    "lists of 0 and 1 as text": (
        lambda: Y.astype(str).tolist(),
        refused("Y holds 0 and 1 as text"),
    ),
    "no tag at all": (lambda: [[]] * 60, refused("Y has 0 columns")),
    "tags of fewer rows": (lambda: tags()[:50], refused("inconsistent numbers of rows: 60 and 50")),
    "1-d of tags with two separators": (
        lambda: ["rain;fog", "rain,fog", "snow"] * 20,
        refused(r"';' and ','.*split_tags\(Y, sep=...\)"),
    ),
    "1-d of tags without a separator": (
        lambda: ["rain fog", "fog", "snow"] * 20,
        refused(r"Only binary classification.*split_tags\(y, sep=';'\)"),
    ),
    "0 and 1 as text": (lambda: Y.astype(str), refused("Y holds text")),
    "0 and 1 as bytes": (lambda: Y.astype("S"), refused("Y holds text")),
    "text among objects": (entry("1"), refused("Y holds text such as '1'")),
    "a dict among objects": (entry({}), refused("Y holds {}", TypeError)),
    "2": (entry(2, int), refused("Y holds 2; entries must be 0, 1 or NaN")),
    "-1": (entry(-1, int), refused("Y holds -1; entries must be 0, 1 or NaN")),
    "255": (entry(255, np.uint8), refused("Y holds 255")),
    "0.5": (entry(0.5, float), refused("Y holds 0.5")),
    "almost 1": (entry(1.0 - 1e-9, float), refused("Y holds 0.999999999")),
    "infinity": (entry(np.inf, float), refused("Y holds inf")),
    "NaN only": (lambda: np.full(Y.shape, np.nan), refused("Y marks no label|cannot learn")),
    "dates": (lambda: Y.astype("datetime64[s]"), refused("Y holds dates")),
    "time spans": (lambda: Y.astype("timedelta64[s]"), refused("Y holds time spans")),
    "complex": (lambda: Y.astype(complex), refused("Complex data not supported: Y")),
    "frame with text": (lambda: frame().assign(fog="no"), refused("column 'fog' of Y holds text")),
    "categories of text": (
        lambda: frame(str).astype("category"),
        refused("'rain' of Y holds text"),
    ),
    "frame with a name twice": (
        lambda: pd.DataFrame(Y, columns=list("aab")),
        refused("Y has two columns of one name"),
    ),
    "frame named 1 and '1'": (
        lambda: pd.DataFrame(Y, columns=[1, "1", 2]),
        refused("Y has two columns of one name"),
    ),
    "damaged csr": (damaged, refused("Y is a damaged csr matrix")),
    "csr of 2": (lambda: 2 * CSR, refused("Y holds 2")),
    "csr with ones given twice": (twice, refused("Y holds 2")),
    "complex csr": (lambda: CSR * 1j, refused("Complex data not supported: Y")),
    "sparse of one dimension": (lambda: sp.coo_array(ONE), refused("Y is sparse of 1 dimension")),
    "1-d of three classes": (lambda: np.arange(60) % 3, refused("Only binary classification")),
    "1-d of fractions": (lambda: np.linspace(0, 1, 60), refused("Unknown label type")),
    "1-d with NaN": (column(np.nan, float), refused("Input y contains NaN")),
    "1-d with infinity": (column(np.inf, float), refused("Input y contains infinity")),
    "1-d with None": (column(None), refused("y holds missing entries")),
    "1-d with NA": (column(pd.NA), refused("y holds missing entries")),
    "1-d masked": (
        lambda: np.ma.masked_array(ONE, mask=UNKNOWN[:, 0]),
        refused("y holds missing entries"),
    ),
    "1-d of text and numbers": (column("a"), refused("Unknown label type")),
    "1-d of bytes": (classes(b"n", b"y"), refused("labels represented as bytes", TypeError)),
    "1-d of dates": (lambda: ONE.astype("datetime64[D]"), refused("y holds dates")),
    "1-d complex": (lambda: ONE.astype(complex), refused("Complex data not supported: y")),
    "1-d of other length": (lambda: ONE[:50], refused("inconsistent numbers of rows")),
}
