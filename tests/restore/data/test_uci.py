"""UCI tables: layouts, the thesis protocol, faults."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from labelfield._exceptions import DataFormatError
from labelfield.restore import load_mixed_table, read_uci_table

CRX = "{},{},0,u,g,w,v,1.25,t,t,01,f,g,00202,0,{}\n"
ROOT = Path(os.environ.get("LABELFIELD_DATA", "not set"))
real = [
    pytest.mark.data,
    pytest.mark.skipif(not (ROOT / "crx").is_dir(), reason="LABELFIELD_DATA names no data folder"),
]


def write(tmp_path, text, name="crx.data"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_columns_and_states(tmp_path):
    text = CRX.format("b", "30.83", "+") + CRX.format("?", "?", "-") + CRX.format("a", "NA", "-")
    table = read_uci_table("crx", write(tmp_path, text))
    assert table.columns[:3] == ("A1", "A2", "A3")
    assert table.continuous_names == ("A2", "A3", "A8", "A11", "A14", "A15")
    np.testing.assert_array_equal(table.continuous[0], [30.83, 0, 1.25, 1, 202, 0])
    np.testing.assert_array_equal(np.isnan(table.continuous[:, 0]), [False, True, True])
    assert table.categories[0] == ("a", "b")
    np.testing.assert_array_equal(table.categorical[:, 0], [1, -1, 0])
    np.testing.assert_array_equal(table.target, [0, 1, 1])
    assert table.class_names == ("+", "-")


def test_two_thirds_train_and_test_rows_need_their_categories(tmp_path):
    rows = [CRX.format("?" if k in (0, 7) else "a", k, "+") for k in range(10)]
    path = write(tmp_path, "".join(rows))
    train = read_uci_table("crx", path, split="train")
    test = read_uci_table("crx", path, split="test")
    assert train.continuous[:, 0].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert test.continuous[:, 0].tolist() == [8, 9]


def test_adult_has_its_own_split_comments_and_dots(tmp_path):
    row = "39, {}, 77516, B, 13, N, A, N, W, M, 2174, 0, 40, U, {}\n"
    train = write(tmp_path, row.format("Gov", "<=50K") + "\n", "adult.data")
    test = tmp_path / "adult.test.gz"
    body = "|1x3 Cross validator\n" + row.format("?", ">50K.") + row.format("Own", ">50K.")
    test.write_bytes(gzip.compress(body.encode()))
    whole = read_uci_table("adult", train, test)
    assert whole.continuous_names[:2] == ("age", "fnlwgt")
    np.testing.assert_array_equal(whole.target, [0, 1, 1])
    assert len(read_uci_table("adult", train, test, split="train").target) == 1
    assert len(read_uci_table("adult", train, test, split="test").target) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CRX.format("b", "1", "+") + "b,1,+\n", "line 2: 3 values where the table has 16"),
        (CRX.format("b", "x", "+"), "line 1: 'x' is not a number, for column A2"),
        (CRX.format("b", "1", "*"), r"line 1: '\*' is not one of"),
        ("| only a comment\n", "no row"),
    ],
)
def test_broken_table_is_refused(tmp_path, text, message):
    with pytest.raises(DataFormatError, match=rf"crx\.data, {message}|{message}"):
        read_uci_table("crx", write(tmp_path, text))


def test_arguments(tmp_path):
    path = write(tmp_path, CRX.format("b", "1", "+"))
    with pytest.raises(ValueError, match="name must be one of adult, crx"):
        read_uci_table("iris", path)
    with pytest.raises(ValueError, match="needs the files adult.data, adult.test"):
        read_uci_table("adult", path)
    with pytest.raises(ValueError, match="split must be"):
        read_uci_table("crx", path, split="valid")


def test_tables_by_name(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELFIELD_DATA", str(tmp_path))
    monkeypatch.setenv("LABELFIELD_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ValueError, match=r"'\.\./crx' is not one of the tables adult"):
        load_mixed_table("../crx")
    with pytest.raises(FileNotFoundError, match="datasets fetch crx"):
        load_mixed_table("crx")
    (tmp_path / "crx").mkdir()
    (tmp_path / "crx" / "notes.txt").write_text("nothing")
    with pytest.raises(FileNotFoundError, match=r"lacks the file crx\.data"):
        load_mixed_table("crx")
    rows = 3 * CRX.format("b", "30.83", "+")
    (tmp_path / "crx" / "CRX.data.gz").write_bytes(gzip.compress(rows.encode()))
    assert len(load_mixed_table("CRX", "train").target) == 2


@pytest.mark.parametrize(
    ("name", "files", "n_train", "n_test", "mc", "md", "shares"),
    [
        pytest.param(
            "adult",
            ("adult.data.gz", "adult.test.gz"),
            32561,
            15060,
            6,
            8,
            (0.7543, 0.2457),
            marks=real,
        ),
        pytest.param("crx", ("crx.data",), 460, 220, 6, 9, (0.3909, 0.6091), marks=real),
        pytest.param(
            "australian", ("australian.dat",), 460, 230, 6, 8, (0.5609, 0.4391), marks=real
        ),
        pytest.param("german", ("german.data",), 667, 333, 7, 13, (0.7117, 0.2883), marks=real),
    ],
)
def test_table_of_the_thesis(name, files, n_train, n_test, mc, md, shares):
    """Sizes and class shares printed in table 2.1."""
    paths = [ROOT / name / file for file in files]
    train = read_uci_table(name, *paths, split="train")
    test = read_uci_table(name, *paths, split="test")
    assert train.continuous.shape == (n_train, mc)
    assert test.categorical.shape == (n_test, md)
    np.testing.assert_array_equal(np.round(np.bincount(test.target) / n_test, 4), shares)
