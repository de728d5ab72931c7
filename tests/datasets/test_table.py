"""CSV and Parquet tables with label columns or a column of tags."""

import numpy as np
import pandas as pd
import pytest

from labelfield._exceptions import DataFormatError
from labelfield.datasets import read_table

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
        ("a,b\n1,2\n1,2,3\n", {"labels": ["a"]}, "not a readable table"),
        ("a,b\n1,2,3\n", {"labels": ["a"]}, "not a readable table"),
        ("a,b\n", {"labels": ["a"]}, "has no row"),
        ("", {"labels": ["a"]}, "not a readable table"),
        (b"a,b\n1,\xff\n", {"labels": ["a"]}, "not a readable table"),
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
    pd.DataFrame({"1": [1], "b": [0]}).to_parquet(path)
    frame = pd.read_parquet(path)
    frame.columns = ["b", "b"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pd, "read_parquet", lambda _: frame)
        with pytest.raises(DataFormatError, match="two columns are called 'b'"):
            read_table(path, labels=["b"])


def test_arguments(write):
    path = write(CSV)
    with pytest.raises(ValueError, match="either labels= .* or tags="):
        read_table(path)
    with pytest.raises(ValueError, match="either labels= .* or tags="):
        read_table(path, labels=["sun"], tags="sea")
    with pytest.raises(ValueError, match="list of column names"):
        read_table(path, labels="sun")
    with pytest.raises(FileNotFoundError, match="no file"):
        read_table(path.with_name("other.csv"), labels=["a"])
