"""What users hand in: plain numbers and sound sparse matrices, or an error that names them."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from labelfield._gate.reading import as_numbers, sound_csr

DENSE = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("format", FORMATS)
def test_every_sparse_format_becomes_canonical_csr(kind, format):
    got = sound_csr(kind(DENSE).asformat(format), "X")
    assert isinstance(got, kind)
    assert got.has_canonical_format
    np.testing.assert_array_equal(got.toarray(), DENSE)


def test_a_sound_matrix_is_not_copied():
    matrix = sp.csr_matrix(DENSE)
    assert np.shares_memory(sound_csr(matrix, "X").data, matrix.data)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint8])
def test_duplicates_are_summed_without_touching_the_caller(dtype):
    data, indices, indptr = np.array([100, 7, 100], dtype=dtype), [2, 0, 2], [0, 3, 3]
    matrix = sp.csr_matrix((data.copy(), indices, indptr), shape=(2, 3))
    assert not matrix.has_canonical_format  # scipy remembers this answer
    got = sound_csr(matrix, "X")
    np.testing.assert_array_equal(got.toarray(), [[7.0, 0.0, 200.0], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(matrix.data, data)
    np.testing.assert_array_equal(matrix.indices, indices)


def test_flags_of_the_caller_are_not_trusted():
    matrix = sp.csr_matrix(DENSE)
    assert matrix.has_canonical_format
    matrix.indices[-2:] = 2  # behind the back of the remembered flag
    np.testing.assert_array_equal(sound_csr(matrix, "X").toarray()[1], [3.0, 0.0, 9.0])


def broken(format, **arrays):
    matrix = sp.csr_matrix(DENSE).asformat(format)
    for name, array in arrays.items():
        setattr(matrix, name, array)
    return matrix


def lists(rows):
    matrix = sp.lil_matrix(DENSE)
    matrix.rows[0] = rows
    return matrix


BROKEN = {
    "index beyond the width": broken("csr", indices=np.array([9, 0, 0, 1, 2])),
    "negative index": broken("csr", indices=np.array([-1, 0, 0, 1, 2])),
    "index of 64 bits": broken("csr", indices=np.array([2**40, 0, 0, 1, 2])),
    "fractional indices": broken("csr", indices=np.array([1.0, 2.0, 0.0, 1.0, 2.0])),
    "pointers that fall": broken("csr", indptr=np.array([0, 5, 3])),
    "pointers that fall to 0": broken("csr", indptr=np.array([0, 5, 0])),
    "pointers beyond the entries": broken("csr", indptr=np.array([0, 2, 99])),
    "pointers that begin late": broken("csr", indptr=np.array([1, 2, 5])),
    "too few pointers": broken("csr", indptr=np.array([0, 5])),
    "too few values": broken("csr", data=np.ones(3)),
    "row beyond the height": broken("csc", indices=np.array([1, 0, 1, 0, 7])),
    "block beyond the width": broken("bsr", indices=np.array([5, 5])),
    "coordinates beyond the shape": broken("coo", coords=(np.full(5, 8), np.arange(5))),
    "negative coordinates": broken("coo", coords=(np.full(5, -1), np.zeros(5, int))),
    "lists beyond the width": lists([7, 8]),
    "lists of other lengths": lists([1]),
    "diagonals without offsets": broken("dia", offsets=np.array([0])),
}


@pytest.mark.parametrize("matrix", BROKEN.values(), ids=BROKEN)
def test_broken_sparse_matrices_are_refused_by_name(matrix):
    with pytest.raises(ValueError, match="features is a damaged"):
        sound_csr(matrix, "features")


def test_sparse_matrices_of_other_kinds_are_refused():
    with pytest.raises(ValueError, match="X holds complex numbers"):
        sound_csr(sp.csr_matrix(DENSE * 1j), "X")
    with pytest.raises(ValueError, match="X is sparse of 1 dimension"):
        sound_csr(sp.coo_array(np.ones(3)), "X")


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([[1, None]], [[1.0, np.nan]]),
        ([[pd.NA, 1.5]], [[np.nan, 1.5]]),
        ([[True, np.bool_(False)]], [[1, 0]]),
        (np.array([[Decimal("0.5"), Fraction(1, 4), 10**20]]), [[0.5, 0.25, 1e20]]),
        (np.ma.masked_array([[1, 2]], mask=[[False, True]]), [[1.0, np.nan]]),
        (np.ma.masked_array([[1, 2]]), [[1, 2]]),
        (np.array([[1, 2]]).view(np.matrix), [[1, 2]]),
        (np.array([[1, 2]], dtype=np.longdouble), [[1.0, 2.0]]),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), [[1.0], [np.nan]]),
        (pd.DataFrame({"a": pd.array([True, None], dtype="boolean")}), [[1.0], [np.nan]]),
        (pd.DataFrame({"a": pd.Categorical([0, 1]), "b": [True, False]}), [[0, 1], [1, 0]]),
        (pd.DataFrame({"a": pd.arrays.SparseArray([0, 1])}), [[0], [1]]),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), [[1, 2]]),
        (pl.DataFrame({"a": [1, None], "b": [True, None]}), [[1.0, 1.0], [np.nan, np.nan]]),
        (pa.table({"a": [1, 2], "b": [0.5, None]}), [[1.0, 0.5], [2.0, np.nan]]),
        (pd.Series([1, None], dtype="Float64"), [1.0, np.nan]),
    ],
)
def test_missing_entries_become_nan(values, numbers):
    got = as_numbers(values, "X")
    assert type(got) is np.ndarray
    assert got.dtype.kind in "biuf"
    np.testing.assert_array_equal(got, numbers)


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), ValueError, "X holds dates; give"),
        (np.array([[1]], dtype="timedelta64[s]"), ValueError, "X holds time spans"),
        (np.array([[1j]]), ValueError, "X holds complex numbers"),
        ([["1", "2"]], ValueError, "X holds text"),
        ([["1", None]], ValueError, "X holds text such as '1'"),
        (np.zeros(2, dtype=[("a", float)]), ValueError, "X holds records"),
        ([[datetime.date(2020, 1, 1)]], ValueError, r"X holds dates or times such as datetime"),
        (np.array([[np.datetime64(5, "s"), 1]], dtype=object), ValueError, "X holds dates"),
        (np.array([[np.timedelta64(5, "s"), 1]], dtype=object), ValueError, "X holds dates"),
        (
            np.array([[1j, None]], dtype=object),
            ValueError,
            "not supported: X holds 1j",
        ),
        ([[pd.NaT]], ValueError, "X holds dates or times such as NaT"),
        ([[10**400]], ValueError, "X holds numbers beyond the range of float64"),
        ([[{"a": 1}]], TypeError, r"X holds {'a': 1}: .* not 'dict'"),
        ([[1], [1, 2]], ValueError, "X has rows of different lengths"),
        (pd.DataFrame({"when": pd.to_datetime(["2020"])}), ValueError, "column 'when' of X holds"),
        (pd.DataFrame({"tag": ["a"]}), ValueError, "column 'tag' of X holds text"),
        (pl.DataFrame({"when": [datetime.date(2020, 1, 1)]}), ValueError, "'when' of X holds date"),
        (pl.LazyFrame({"a": [1]}), TypeError, "X is of type LazyFrame; give an array"),
        (None, TypeError, "X is of type NoneType"),
        ("abc", TypeError, "X is of type str"),
        ({"a": 1}, TypeError, "X is of type dict"),
        ((i for i in range(3)), TypeError, "X is of type generator"),
    ],
)
def test_what_is_no_number_is_refused_by_name(values, error, words):
    with pytest.raises(error, match=words):
        as_numbers(values, "X")
