"""CSV and Parquet tables with label columns or a column of tags."""

import csv

import numpy as np
import pandas as pd
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from labelfield._exceptions import DataFormatError
from labelfield.datasets import _frames, read_table
from labelfield.datasets._source import Source

CSV = "id,size,colour,sun,sea\n1,2.5,red,1,0\n2,,blue,,true\n3,4,red,0.0,False\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="toy.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_label_columns(write):
    data = read_table(write(CSV), labels=["sea", "sun"], drop=["id"])
    np.testing.assert_array_equal(data.Y, [[0, 1], [1, np.nan], [0, 0]])
    assert data.label_names == ("sea", "sun")
    assert data.feature_names == ("size", "colour")
    assert data.X["colour"].tolist() == ["red", "blue", "red"]
    assert data.X["size"].isna().tolist() == [False, True, False]


def test_labels_without_holes_are_whole_numbers(write):
    data = read_table(write(CSV), labels=["sea"], drop=["id", "colour", "sun"], as_frame=False)
    assert data.Y.dtype == np.uint8
    np.testing.assert_array_equal(data.X, [[2.5], [np.nan], [4]])


def test_column_of_tags(write):
    text = "x;tags\n1;sea| sun\n2;\n3;sun|sun|\n"
    data = read_table(write(text), tags="tags", tag_separator="|", separator=";")
    assert data.label_names == ("sea", "sun")
    np.testing.assert_array_equal(data.Y, [[1, 1], [0, 0], [0, 1]])
    assert data.Y.dtype == np.uint8


def test_numeric_tags(write):
    data = read_table(write("x,tags\n1,5\n2,7\n"), tags="tags")
    assert data.label_names == ("5", "7")


def test_tags_stay_as_they_are_written(write):
    """No number is read into them, no name of a missing value out of them."""
    data = read_table(write("x,tags\n1,007\n2,\n3,NA\n4,1.50\n"), tags="tags")
    assert data.label_names == ("007", "1.50", "NA")
    np.testing.assert_array_equal(data.Y, [[1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 0]])


def test_tags_may_be_lists_in_parquet(tmp_path):
    path = tmp_path / "toy.parquet"
    pd.DataFrame({"x": [1, 2, 3], "tags": [["sea", "sun"], [], None]}).to_parquet(path)
    data = read_table(path, tags="tags")
    np.testing.assert_array_equal(data.Y, [[1, 1], [0, 0], [0, 0]])


def test_label_prefix(write):
    assert read_table(write(CSV), label_prefix="se").label_names == ("sea",)


def test_parquet_equals_csv(write, tmp_path):
    pd.read_csv(write(CSV)).to_parquet(tmp_path / "toy.parquet")
    one = read_table(tmp_path / "toy.csv", labels=["sun", "sea"])
    two = read_table(tmp_path / "toy.parquet", labels=["sun", "sea"])
    np.testing.assert_array_equal(one.Y, two.Y)
    pd.testing.assert_frame_equal(one.X, two.X)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (CSV, {"labels": ["see"]}, "line 1: no column is called 'see'; did you mean sea"),
        (CSV, {"labels": ["sea"], "drop": ["idd"]}, "no column is called 'idd'"),
        (CSV, {"labels": ["colour"]}, "row 1: label 'colour' is 'red'"),
        (CSV.replace("false", "2").replace("False", "2"), {"labels": ["sea"]}, "row 3: .* is '2'"),
        (CSV, {"labels": ["sea"], "as_frame": False}, "column 'colour' is not numeric"),
        ("a,b\n1,2\n1,2,3\n", {"labels": ["a"]}, "line 3: 3 cells where the header has 2"),
        ("a,b\n1,2,3\n", {"labels": ["a"]}, "line 2: 3 cells where the header has 2"),
        ("a,b\n1,2\n\n1\n", {"labels": ["a"]}, "line 4: 1 cells where the header has 2"),
        ('a,b\n1,"x\ny"\n1\n', {"labels": ["a"]}, "line 4: 1 cells where the header has 2"),
        ("y1,x,y1\n1,2,1\n", {"labels": ["y1"]}, "line 1: two columns are called 'y1'"),
        ('a,b\n1,"2\n', {"labels": ["a"]}, "not a readable table"),
        ('a,b\n"' + "x" * 200_000 + '",2\n', {"labels": ["b"]}, "line 2: .* larger than"),
        ("a,b\n", {"labels": ["a"]}, "has no row"),
        ("", {"labels": ["a"]}, "the file is empty"),
        (b"a,b\n1,\xff\n", {"labels": ["a"]}, "line 2: byte 0xff"),
        (b"a,b\n1,2\x00\n", {"labels": ["a"]}, "line 2: a zero byte"),
        (CSV, {"label_prefix": "z"}, "no column starts with 'z'"),
    ],
)
def test_bad_table_is_refused(write, text, options, message):
    with pytest.raises(DataFormatError, match=rf"toy\.csv.*{message}"):
        read_table(write(text), **options)


def test_bad_parquet_is_refused(write):
    with pytest.raises(DataFormatError, match="not a readable table"):
        read_table(write(b"PAR1 nonsense", "toy.parquet"), labels=["a"])


def test_two_columns_of_one_name_are_refused(tmp_path):
    path = tmp_path / "toy.parquet"
    parquet.write_table(pyarrow.table([[1], [0]], names=["b", "b"]), path)
    with pytest.raises(DataFormatError, match="two columns are called 'b'"):
        read_table(path, labels=["b"])


def test_parquet_that_would_fill_memory_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "toy.parquet"
    pd.DataFrame({"a": np.zeros(100_000), "b": np.zeros(100_000)}).to_parquet(path)
    assert path.stat().st_size < 10_000
    monkeypatch.setattr(_frames, "MAX_BYTES", 1_000_000)
    with pytest.raises(DataFormatError, match="1600000 bytes when unpacked, where 1000000"):
        read_table(path, labels=["b"])


def test_arguments(write):
    path = write(CSV)
    for wrong, message in [
        ({}, "one of labels= .* and tags="),
        ({"labels": ["sun"], "tags": "sea"}, "one of labels= .* and tags="),
        ({"labels": "sun"}, "labels must be a list of column names"),
        ({"labels": ["sun"], "drop": "id"}, "drop must be a list of column names"),
        ({"labels": ["sun", "sun"]}, "names the column 'sun' twice"),
        ({"tags": "sun", "tag_separator": ""}, "tag_separator must not be empty"),
        ({"labels": ["sun"], "separator": ", "}, "separator must be one plain character"),
        ({"labels": ["sun"], "separator": ""}, "separator must be one plain character"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_table(path, **wrong)
    with pytest.raises(FileNotFoundError, match="no file"):
        read_table(path.with_name("other.csv"), labels=["a"])


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=st.lists(
        st.tuples(
            st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False),
            st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=5),
            st.integers(0, 1),
        ),
        min_size=1,
        max_size=6,
    ),
    separator=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
)
def test_what_a_csv_writer_writes_is_read(tmp_path, rows, separator, quoting):
    path = tmp_path / "toy.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator="\n")
        writer.writerows([("number", "text", "label"), *rows])
    data = read_table(path, labels=["label"], separator=separator, drop=["text"], as_frame=False)
    np.testing.assert_allclose(data.X[:, 0], [row[0] for row in rows], rtol=1e-14)
    np.testing.assert_array_equal(data.Y[:, 0], [row[2] for row in rows])
    tags = read_table(path, tags="text", tag_separator="\0", separator=separator)
    expected = [{row[1].strip()} - {""} for row in rows]
    names = np.array(tags.label_names, dtype=object)
    assert [set(names[row.astype(bool)]) for row in tags.Y] == expected


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_damaged_table_is_read_or_refused(tmp_path, data):
    raw = bytearray(b'x,tags,y\n1,"sea,sun",0\n2.5,,1\n-3e2,sun,1\n')
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        piece = data.draw(st.lists(st.sampled_from(b'0159,;."\n\r-+ exy\x00\xff'), max_size=2))
        raw[at : at + data.draw(st.integers(0, 2))] = bytes(piece)
    path = tmp_path / "toy.csv"
    path.write_bytes(bytes(raw))
    try:
        read = read_table(path, labels=["y"])
    except DataFormatError as error:
        message = str(error)
    else:
        message = "toy.csv"
        assert np.isin(read.Y[~np.isnan(read.Y)], [0, 1]).all()
        assert len(read.X) == len(read.Y)
    assert "toy.csv" in message


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text("ab,\n ", min_size=1, max_size=30))
def test_lines_are_counted_as_the_csv_reader_counts_them(text):
    source = Source("toy.csv", f"{text}\n".encode())
    if _frames._is_plain_table(source, ",", True):
        _frames._written_cells(source, ",", [], True)
    lines = [line for line in text.split("\n") if line]
    regular = len({line.count(",") for line in lines}) == 1 and "\n\n" not in f"\n{text}\n"
    names = text.split("\n")[0].split(",")
    assert _frames._is_plain_table(source, ",", True) or not regular or len(set(names)) < len(names)
