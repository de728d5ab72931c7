"""Data sets by name: what is found in the data folder and what can be fetched."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from labelfield._exceptions import DataFormatError
from labelfield.datasets import (
    list_datasets,
    load_dataset,
    load_digit_scenes,
)
from labelfield.datasets.named.catalogue import CATALOGUE

HEADER = "@relation r\n@attribute x real\n@attribute c {a,b}\n@attribute y {0,1}\n@data\n"
XML = '<labels><label name="y"/></labels>'


def test_parts_and_their_union(put):
    put("Own/Own-TRAIN-sparse.arff.gz", HEADER + "1,b,0\n2,a,1\n")
    put("Own/own_test.arff", HEADER + "3,a,1\n")
    put("Own/own.XML", XML)
    assert load_dataset("own", "train").X[:, 0].tolist() == [1, 2]
    assert load_dataset("OWN", split="test").X[:, 0].tolist() == [3]
    whole = load_dataset("own")
    np.testing.assert_array_equal(whole.X, [[1, 1], [2, 0], [3, 0]])
    np.testing.assert_array_equal(whole.Y, [[0], [1], [1]])
    assert whole.name == "own"
    assert whole.categories == {"c": ("a", "b")}


def test_whole_file_comes_before_the_parts(put):
    put("own/own-train.arff", HEADER + "1,b,0\n")
    put("own/own-test.arff", HEADER + "3,a,1\n")
    put("own/own.arff", HEADER + "9,a,1\n")
    put("own/own.xml", XML)
    assert load_dataset("own").X[:, 0].tolist() == [9]
    assert load_dataset("own", "train").X[:, 0].tolist() == [1]


def test_sparse_and_dense_parts_join_as_sparse(put):
    put("own/own-train.arff", HEADER + "{0 4}\n")
    put("own/own-test.arff", HEADER + "3,b,1\n")
    put("own/own.xml", XML)
    X = load_dataset("own").X
    assert sparse.isspmatrix_csr(X)
    np.testing.assert_array_equal(X.toarray(), [[4, 0], [3, 1]])


@pytest.mark.parametrize(
    ("files", "split", "error", "message"),
    [
        ({"own.arff": "1,a,1\n"}, "train", ValueError, "has no train file"),
        ({"own-train.arff": "1,a,1\n"}, None, ValueError, "has no whole file"),
        ({"a.arff": "1,a,1\n", "b.arff": "1,a,1\n"}, None, DataFormatError, "both look like"),
    ],
)
def test_folder_without_the_part(put, files, split, error, message):
    put("own/own.xml", XML)
    for file, rows in files.items():
        put(f"own/{file}", HEADER + rows)
    with pytest.raises(error, match=message):
        load_dataset("own", split)


def test_parts_that_differ_and_two_label_files(put):
    put("own/own-train.arff", HEADER + "1,b,0\n")
    put("own/own-test.arff", HEADER.replace("{a,b}", "{b,a}") + "3,a,1\n")
    put("own/own.xml", XML)
    with pytest.raises(DataFormatError, match="declare different attributes"):
        load_dataset("own")
    put("own/more.xml", XML)
    with pytest.raises(DataFormatError, match="more.xml, own.xml lists the labels"):
        load_dataset("own")


@pytest.mark.parametrize("name", ["../own", "/etc/passwd", "a/b", "..", "", "a\\b", "a\0b", 3])
def test_names_that_could_be_paths(name):
    with pytest.raises(ValueError, match="A data set is named by"):
        load_dataset(name)


def test_unknown_names(put):
    put("private/x.arff", HEADER)
    with pytest.raises(ValueError, match="Did you mean scene"):
        load_dataset("scenes")
    with pytest.raises(ValueError, match="Did you mean private"):
        load_dataset("privat")
    with pytest.raises(ValueError, match="use labelfield.restore.load_mixed_table"):
        load_dataset("adult")
    with pytest.raises(ValueError, match="split must be"):
        load_dataset("scene", "valid")
    with pytest.raises(FileNotFoundError, match="fetch=False"):
        load_dataset("scene", fetch=False)


def test_embedded_digits_need_no_folder(monkeypatch):
    monkeypatch.delenv("LABELFIELD_DATA")
    np.testing.assert_array_equal(
        load_dataset("digits", "test").X, load_digit_scenes(split="test").X
    )


def test_list_says_where_each_set_is(put, folders):
    put("private/x.arff", HEADER)
    put("scene/scene.arff", HEADER)
    put("crx/crx.data", "")
    (folders / "cache" / "files" / "yeast").mkdir(parents=True)
    found = {row.name: row.found for row in list_datasets()}
    assert found["digits"] == "embedded"
    assert found["private"] == found["scene"] == found["crx"] == "folder"
    assert found["yeast"] == "cache"
    assert found["emotions"] == found["german"] == "repository"
    row = next(row for row in list_datasets() if row.name == "scene")
    assert row[2:] == ("multi-label", 2407, 294, 6)


REAL = Path(os.environ.get("LABELFIELD_DATA", "not set"))


@pytest.mark.data
@pytest.mark.skipif(not (REAL / "scene").is_dir(), reason="LABELFIELD_DATA names no data folder")
@pytest.mark.parametrize("name", ["scene", "yeast", "corel5k", "medical", "flags", "cal500"])
def test_real_sets_have_their_published_sizes(monkeypatch, name):
    monkeypatch.setenv("LABELFIELD_DATA", str(REAL))
    statistics = load_dataset(name).statistics()
    assert (statistics["instances"], statistics["features"], statistics["labels"]) == CATALOGUE[
        name
    ][:3]
