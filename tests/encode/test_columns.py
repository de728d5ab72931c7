"""Tables of any make, read as numbers, moments and words."""

import datetime
from decimal import Decimal

import numpy as np
import pytest
import scipy.sparse as sp

from labelfield.encode.columns import read_columns

DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12, 0)


def only(X):
    (column,) = read_columns(X)
    return column


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([1, None, 3], [1.0, np.nan, 3.0]),
        ([1, True, Decimal("2.5")], [1.0, 1.0, 2.5]),
        ([DAY, None], np.array(["2024-02-29", "NaT"], dtype="datetime64[us]")),
        (
            [NOON, NOON.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=2)))],
            np.array(["2024-02-29T12", "2024-02-29T10"], dtype="datetime64[us]"),
        ),
        ([datetime.timedelta(hours=12), None], [0.5, np.nan]),
        (["a", "", "  ", None, float("nan")], ["a", None, None, None, None]),
        ([1, "a", 2.5], ["1", "a", "2.5"]),
    ],
)
def test_cells_of_every_kind(values, wanted):
    array = np.empty((len(values), 1), dtype=object)
    array[:, 0] = values
    got = only(array).values
    if got.dtype == object:
        assert got.tolist() == wanted
    else:
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("make", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_make_read_alike(make):
    content = {
        "size": [1.5, None, 2.0],
        "count": [1, None, 3],
        "fresh": [True, None, False],
        "when": [NOON, None, NOON],
        "notes": ["warm sea", None, ""],
    }
    if make == "pyarrow":
        frame = pytest.importorskip("pyarrow").table(content)
    else:
        frame = pytest.importorskip(make).DataFrame(content)
    columns = {column.name: column for column in read_columns(frame)}
    assert list(columns) == list(content)
    np.testing.assert_array_equal(columns["size"].values, [1.5, np.nan, 2.0])
    np.testing.assert_array_equal(columns["count"].values, [1, np.nan, 3])
    np.testing.assert_array_equal(columns["fresh"].values, [1, np.nan, 0])
    assert columns["fresh"].declared == "boolean"
    moments = np.array([NOON, None, NOON], dtype="datetime64[us]")
    np.testing.assert_array_equal(columns["when"].values, moments)
    assert columns["notes"].values.tolist() == ["warm sea", None, None]
    assert [c.missing().tolist() for c in columns.values()] == [[False, True, False]] * 4 + [
        [False, True, True]
    ]


def test_types_that_tell_their_kind():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(["red", "blue", None]),
            "grade": pd.Categorical([1, 2, 1]),
            "stock": pd.array([1, None, 3], dtype="Int64"),
            "name": pd.array(["a", None, "b"], dtype="string"),
        }
    )
    colour, grade, stock, name = read_columns(frame)
    assert (colour.declared, grade.declared, stock.declared) == ("category", "category", None)
    assert colour.words().tolist() == ["red", "blue", None]
    assert grade.words().tolist() == ["1", "2", "1"]
    assert stock.words().tolist() == ["1", None, "3"]
    assert name.words().tolist() == ["a", None, "b"]


def test_polars_categories():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"colour": pl.Series(["red", None, "blue"], dtype=pl.Categorical)})
    assert only(frame).declared == "category"
    assert only(frame).words().tolist() == ["red", None, "blue"]


@pytest.mark.parametrize(
    "texts",
    [["a b", "c"], ("a b", "c"), np.array(["a b", "c"]), np.array(["a b", "c"], dtype=object)],
)
def test_one_list_of_texts(texts):
    column = only(texts)
    assert (column.name, column.declared) == ("text", "text")
    assert column.values.tolist() == ["a b", "c"]


def test_series_of_texts():
    pd = pytest.importorskip("pandas")
    assert only(pd.Series(["a b", None])).values.tolist() == ["a b", None]


def test_digits_beside_words_are_kept():
    columns = read_columns([[0.1 + 0.2, "a"], [1e-20, "b"]])
    np.testing.assert_array_equal(columns[0].values, [0.1 + 0.2, 1e-20])


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        ("one text", ValueError, "X is one text"),
        ([1.0, 2.0], ValueError, "one number a row"),
        ([[1, 2], [3]], ValueError, "rows of different lengths"),
        (np.zeros((2, 2, 2)), ValueError, "3 dimensions"),
        (sp.csr_matrix(np.eye(2)), TypeError, "sparse matrix, which needs no encoding"),
        ([[[1, 2]], [{}]], (TypeError, ValueError), "X"),
        (np.array([[{}], [{}]]), TypeError, "Column 'x0' of X holds {}"),
        (np.array([[1j], [2]]), ValueError, "Complex data not supported: column 'x0'"),
        (np.array([[b"a"], [b"b"]]), ValueError, "column 'x0' of X is of type"),
    ],
)
def test_what_is_no_table(X, error, words):
    with pytest.raises(error, match=words):
        read_columns(X)
