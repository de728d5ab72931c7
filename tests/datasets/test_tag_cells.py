"""Cells that list labels: separators, quotes, lists, several columns."""

import json

import numpy as np
import pytest

from labelfield._exceptions import DataFormatError
from labelfield.datasets import read_table

pytest.importorskip("pandas")


def tagged(tmp_path, cells, name="toy.csv", **arguments):
    path = tmp_path / name
    if name.endswith(".jsonl"):
        lines = [json.dumps({"x": j, "tags": cell}) for j, cell in enumerate(cells)]
        path.write_text("\n".join(lines), encoding="utf-8")
    else:
        doubled = [cell.replace('"', '""') for cell in cells]
        path.write_text("x,tags\n" + "".join(f'{j},"{c}"\n' for j, c in enumerate(doubled)))
    data = read_table(path, tags="tags", **arguments)
    sets = [[n for n, on in zip(data.label_names, row) if on] for row in data.Y]
    return sets, data.reading["tag_separator"]


@pytest.mark.parametrize(
    ("cells", "sets", "separator"),
    [
        (["b;a", "a", ""], [["a", "b"], ["a"], []], ";"),
        (["b|a", "a"], [["a", "b"], ["a"]], "|"),
        (["b, a", "a"], [["a", "b"], ["a"]], ","),
        (["a, b; c", "c; d"], [["a, b", "c"], ["c", "d"]], ";"),
        (['sun,"sea, warm"', "sun"], [["sea, warm", "sun"], ["sun"]], ","),
        (['sun,"sea; warm"', "sun,ice"], [["sea; warm", "sun"], ["ice", "sun"]], ","),
        (['5" disc,sun', "sun"], [['5" disc', "sun"], ["sun"]], ","),
        (['"open,sun', "sun"], [['"open', "sun"], ["sun"]], ","),
        (["['a', 'b, c']", "[]", '["a"]'], [["a", "b, c"], [], ["a"]], ","),
        (["[a", "b]"], [["[a"], ["b]"]], ","),
        (["007;NA", "7"], [["007", "NA"], ["7"]], ";"),
    ],
)
def test_cells(tmp_path, cells, sets, separator):
    assert tagged(tmp_path, cells) == (sets, separator)


def test_separator_that_is_given(tmp_path):
    sets, _ = tagged(tmp_path, ["a, b; c", "c"], tag_separator=",")
    assert sets == [["a", "b; c"], ["c"]]
    sets, _ = tagged(tmp_path, ["a -- b", 'a -- "c"'], tag_separator="--")
    assert sets == [["a", "b"], ['"c"', "a"]]


def test_lists_in_json_lines(tmp_path):
    sets, _ = tagged(tmp_path, [["b", "a, c"], [], None, "a"], name="toy.jsonl")
    assert sets == [["a, c", "b"], [], [], ["a"]]


def test_several_columns_are_joined(tmp_path):
    (tmp_path / "toy.csv").write_text("x,first,second\n1,a,b;c\n2,b,\n3,,c\n")
    data = read_table(tmp_path / "toy.csv", tags=["first", "second"])
    assert data.label_names == ("a", "b", "c")
    np.testing.assert_array_equal(data.Y, [[1, 1, 1], [0, 1, 0], [0, 0, 1]])
    assert data.reading == {"tags": ["first", "second"], "tag_separator": ";"}


def test_tables_without_a_header(tmp_path):
    (tmp_path / "toy.csv").write_text("1.5;red;a\n2.5;blue;a,b\n")
    data = read_table(tmp_path / "toy.csv", tags="3", header=False)
    assert data.feature_names == ("1", "2")
    np.testing.assert_array_equal(data.Y, [[1, 0], [1, 1]])
    assert data.X["1"].tolist() == [1.5, 2.5]
    (tmp_path / "toy.csv").write_text("1,2\n3\n")
    with pytest.raises(DataFormatError, match="line 2: 1 cells where the first line has 2"):
        read_table(tmp_path / "toy.csv", labels=["2"], header=False)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_separator_of_cells_is_seen(tmp_path, separator):
    rows = ['"size, cm",sun', "1,1", "2,0"]
    (tmp_path / "toy.csv").write_text(
        rows[0].replace(",sun", f"{separator}sun") + "\n1,1\n2,0\n".replace(",", separator)
    )
    data = read_table(tmp_path / "toy.csv", labels=["sun"])
    assert data.X["size, cm"].tolist() == [1, 2]


def test_columns_as_text_keep_their_zeros(tmp_path):
    (tmp_path / "toy.csv").write_text("zip,sun\n007,1\n,0\n")
    data = read_table(tmp_path / "toy.csv", labels=["sun"], as_text=["zip", "absent"])
    assert data.X["zip"].isna().tolist() == [False, True]
    assert data.X["zip"][0] == "007"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_files_of_spreadsheets(tmp_path, encoding):
    (tmp_path / "toy.tsv").write_text("naïve\tsun\n1\t1\n2\t0\n", encoding=encoding)
    assert read_table(tmp_path / "toy.tsv", labels=["sun"]).feature_names == ("naïve",)
