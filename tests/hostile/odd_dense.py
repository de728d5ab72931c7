"""Arrays, lists and frames of features: odd but right, and wrong."""

import datetime
import tempfile
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from hostile.cases import X, refused, same

NAMES = list("abcd")
WHOLE = np.round(20 * X)
DAYS = (1000 * X).astype("datetime64[D]")


class Wrapped(np.ndarray):
    """An array that multiplies in its own way."""

    def __matmul__(self, other):
        raise RuntimeError("the product of a subclass must not be asked for")


class Speaking:
    """An object that is no array but can become one."""

    def __array__(self, dtype=None, copy=None):
        return X.copy()


def frame(**columns):
    return pd.DataFrame(X, columns=NAMES).assign(**columns)


def entry(value):
    """Return a maker of features as objects, one of which is `value`."""

    def make():
        array = X.astype(object)
        array[3, 1] = value
        return array

    return make


def number(value):
    """Return a maker of features one of which is `value`."""

    def make():
        array = X.copy()
        array[3, 1] = value
        return array

    return make


def read_only():
    array = X.copy()
    array.flags.writeable = False
    return array


def mapped():
    with tempfile.TemporaryFile() as file:
        array = np.memmap(file, dtype=float, mode="w+", shape=X.shape)
        array[:] = X
        return array


def strided():
    return np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]


def of_each(function):
    return np.array([[function(value) for value in row] for row in X], dtype=object)


def matrix():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.matrix(X)


def records():
    return np.rec.fromarrays(list(X.T), names=NAMES)


GOOD_X = {
    "list of lists": (lambda: X.tolist(), same()),
    "tuple of arrays": (lambda: tuple(X), same()),
    "Fortran order": (lambda: np.asfortranarray(X), same()),
    "every second row and third column": (strided, same()),
    "rows from the last": (lambda: X[::-1].copy()[::-1], same()),
    "read-only": (read_only, same()),
    "mapped from a file": (mapped, same()),
    "other byte order": (lambda: X.astype(">f8"), same()),
    "array subclass": (lambda: X.view(Wrapped), same()),
    "np.matrix": (matrix, same()),
    "object with __array__": (Speaking, same()),
    "masked array without a mask": (lambda: np.ma.masked_array(X), same()),
    "masked array with an empty mask": (lambda: np.ma.masked_array(X, mask=X > 99), same()),
    "float32": (lambda: X.astype(np.float32), same(atol=1e-4)),
    "float16": (lambda: X.astype(np.float16), same(lambda: X.astype(np.float16).astype(float))),
    "long double": (lambda: X.astype(np.longdouble), same()),
    "int8": (lambda: WHOLE.astype(np.int8), same(lambda: WHOLE)),
    "uint8": (lambda: (WHOLE + 100).astype(np.uint8), same(lambda: WHOLE + 100)),
    "bool": (lambda: X > 0, same(lambda: 1.0 * (X > 0))),
    "objects": (lambda: X.astype(object), same()),
    "Decimal": (lambda: of_each(lambda v: Decimal(float(v))), same()),
    "Fraction": (lambda: of_each(lambda v: Fraction(float(v))), same()),
    "whole numbers of 100 bits": (
        lambda: of_each(lambda v: int(v * 2**100)),
        same(lambda: np.trunc(X * 2.0**100)),
    ),
    "minus zero": (number(-0.0), same(number(0.0))),
    "one number of 1e-320": (number(1e-320), same(number(0.0))),
    "pandas frame": (frame, same()),
    "frame of Float64": (lambda: frame().astype("Float64"), same()),
    "frame of arrow floats": (lambda: frame().astype("float64[pyarrow]"), same()),
    "frame of categories": (lambda: frame().astype("category"), same()),
    "frame of floats and bools": (
        lambda: frame(a=X[:, 0] > 0),
        same(lambda: np.column_stack([X[:, 0] > 0, X[:, 1:]])),
    ),
    "frame with a shuffled index": (lambda: frame().set_index(np.arange(60)[::-1]), same()),
    "frame named by numbers": (lambda: pd.DataFrame(X), same()),
    "frame named by tuples": (lambda: pd.DataFrame(X, columns=list(zip("aabb", "xyxy"))), same()),
    "polars frame": (lambda: pl.DataFrame(X, schema=NAMES), same()),
    "arrow table": (lambda: pa.table(dict(zip(NAMES, X.T.copy()))), same()),
}

BAD_X = {
    "None": (lambda: None, refused("X is of type NoneType", TypeError)),
    "text": (lambda: "abc", refused("X is of type str", TypeError)),
    "bytes": (lambda: b"abc", refused("X is of type bytes", TypeError)),
    "dict": (lambda: {"a": X}, refused("X is of type dict", TypeError)),
    "set": (lambda: {1.0, 2.0}, refused("X is of type set", TypeError)),
    "generator": (lambda: (row for row in X), refused("X is of type generator", TypeError)),
    "function": (lambda: len, refused("X is of type builtin", TypeError)),
    "class": (lambda: np.ndarray, refused("X is of type type", TypeError)),
    "lazy frame": (lambda: pl.LazyFrame({"a": [1]}), refused("X is of type LazyFrame", TypeError)),
    "a number": (lambda: 3.0, refused("Expected 2D array, got scalar")),
    "array of no dimension": (lambda: np.array(3.0), refused("Expected 2D array, got scalar")),
    "one dimension": (lambda: X[:, 0], refused("Expected 2D array, got 1D")),
    "three dimensions": (lambda: X[None], refused("dim 3")),
    "empty list": (list, refused("Expected 2D array")),
    "no rows": (lambda: X[:0], refused("0 sample")),
    "no columns": (lambda: X[:, :0], refused("0 feature")),
    "rows of different lengths": (lambda: [[1.0], [1.0, 2.0]], refused("X has rows of different")),
    "other number of rows": (lambda: X[:50], refused("X and Y have inconsistent numbers of rows")),
    "NaN": (number(np.nan), refused("Input X contains NaN")),
    "infinity": (number(np.inf), refused("Input X contains infinity")),
    "both infinities": (lambda: np.where(X > 0, np.inf, -np.inf), refused("contains infinity")),
    "masked entries": (lambda: np.ma.masked_array(X, mask=X > 1), refused("X contains NaN")),
    "None among numbers": (entry(None), refused("Input X contains NaN")),
    "pandas NA among numbers": (entry(pd.NA), refused("Input X contains NaN")),
    "missing Float64 of a frame": (
        lambda: frame(b=pd.array([None, *X[1:, 1]], dtype="Float64")),
        refused("Input X contains NaN"),
    ),
    "dates": (lambda: DAYS, refused("X holds dates")),
    "time spans": (lambda: DAYS - DAYS.min(), refused("X holds time spans")),
    "a date among objects": (entry(datetime.date(2020, 1, 1)), refused("X holds dates or times")),
    "a time stamp among objects": (entry(pd.Timestamp("2020")), refused("X holds dates or times")),
    "numpy's date among objects": (entry(np.datetime64(5, "s")), refused("X holds dates or times")),
    "numpy's time span among objects": (
        entry(np.timedelta64(5, "s")),
        refused("X holds dates or times"),
    ),
    "no time among objects": (entry(pd.NaT), refused("X holds dates or times such as NaT")),
    "complex": (lambda: X * (1 + 0j), refused("Complex data not supported: X")),
    "a complex number among objects": (entry(1j), refused("Complex data not supported: X holds")),
    "numpy's complex among objects": (entry(np.complex64(1j)), refused("Complex data not")),
    "text array": (lambda: np.full(X.shape, "a"), refused("X holds text")),
    "numbers as text": (lambda: X.astype(str), refused("X holds text")),
    "numbers as bytes": (lambda: X.astype("S"), refused("X holds text")),
    "numbers as variable text": (
        lambda: X.astype(np.dtypes.StringDType()),
        refused("X holds text"),
    ),
    "text among objects": (entry("1.5"), refused("X holds text such as '1.5'")),
    "a dict among objects": (entry({"a": 1}), refused("X holds {'a': 1}", TypeError)),
    "a list among objects": (entry([1.0]), refused(r"X holds \[1.0\]", TypeError)),
    "records": (records, refused("X holds records")),
    "a whole number beyond float64": (entry(10**400), refused("X holds numbers beyond the range")),
    "1e308": (lambda: X * 1e307, refused(r"X holds .*e\+307, and squares .* overflow")),
    "one number of 1e160": (number(-1e160), refused(r"X holds 1e\+160.*Scale the features")),
    "float32 of 1e20": (lambda: (X * 1e20).astype(np.float32), refused("overflow in float32")),
    "1e-320": (lambda: X * 1e-320, refused("such small numbers vanish in float64")),
    "long double beyond float64": (
        lambda: X.astype(np.longdouble) * np.longdouble("1e4000"),
        refused("Input X contains infinity"),
    ),
    "frame of dates": (lambda: pd.DataFrame(DAYS), refused("column 0 of X holds dates")),
    "one date of a frame": (lambda: frame(b=pd.Timestamp("2020")), refused("column 'b' of X")),
    "dates with a time zone": (
        lambda: frame(b=pd.Timestamp("2020", tz="UTC")),
        refused("column 'b' of X holds dates or times"),
    ),
    "periods": (lambda: frame(b=pd.Period("2020")), refused("column 'b' of X", TypeError)),
    "text of a frame": (lambda: frame(b="x"), refused("column 'b' of X holds text")),
    "categories of text": (
        lambda: frame(b=pd.Categorical(["u", "v"] * 30)),
        refused("column 'b' of X holds text such as"),
    ),
    "polars dates": (
        lambda: pl.DataFrame({"a": X[:, 0], "when": DAYS[:, 1]}),
        refused("column 'when' of X holds dates"),
    ),
    "polars text": (lambda: pl.DataFrame({"a": ["x"] * 60}), refused("column 'a' of X holds text")),
    "polars null": (lambda: pl.DataFrame({"a": [None] * 60}), refused("Input X contains NaN")),
    "polars lists": (lambda: pl.DataFrame({"a": [[1.0]] * 60}), refused("'a' of X", TypeError)),
    "frame with a name twice": (
        lambda: pd.DataFrame(X, columns=list("aabc")),
        refused("X has two columns of one name"),
    ),
    "frame named by text and numbers": (
        lambda: pd.DataFrame(X, columns=["a", "b", 1, 2]),
        refused("Feature names are only supported if all", TypeError),
    ),
}
