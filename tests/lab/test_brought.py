"""Files that one must bring: tiny ones of the same formats."""

import numpy as np
import pytest
from lab.brought import BROUGHT, Brought

from lab import RandomSplit, StandardSplit

ARFF = """@relation toy
@attribute length numeric
@attribute sun {0,1}
@attribute sea {0,1}
@data
%s
"""
XML = """<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="sun"></label><label name="sea"></label></labels>"""


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELFIELD_DATA", str(tmp_path))

    def put(name, file, content):
        path = tmp_path / name / file
        path.parent.mkdir(exist_ok=True)
        if isinstance(content, dict):
            np.savez(path, **content)
        else:
            path.write_text(content)

    return put


@pytest.mark.parametrize("name", BROUGHT)
def test_what_to_bring_and_where(name, data):
    source = BROUGHT[name]
    assert source.missing().startswith("the file")
    assert "LABELFIELD_DATA" in source.missing()
    for file in source.files.values():
        assert file in source.missing()
    with pytest.raises(FileNotFoundError, match="lacks the file"):
        source.load()


def test_without_a_folder_of_data_everything_is_missing(monkeypatch):
    monkeypatch.delenv("LABELFIELD_DATA", raising=False)
    assert "LABELFIELD_DATA" in BROUGHT["wise"].missing()


@pytest.mark.parametrize("name", ["mediamill", "nus-wide", "tmc2007"])
def test_mulan_files(name, data):
    source = BROUGHT[name]
    data(name, source.files["train"], ARFF % "1.5,1,0\n2.5,0,1")
    data(name, source.files["test"], ARFF % "3.5,1,1")
    assert source.options["labels"] in source.missing()
    data(name, source.options["labels"], XML)
    assert source.missing() == ""
    part = StandardSplit().part(source, 0)
    assert part.train.label_names == ("sun", "sea")
    np.testing.assert_array_equal(part.train.Y, [[1, 0], [0, 1]])
    np.testing.assert_array_equal(source.load().X.ravel(), [1.5, 2.5, 3.5])


def test_files_of_the_extreme_classification_repository(data):
    data("eurlex", "eurlex_train.txt", "2 5000 3993\n0,3992 0:1.5 4999:2\n7 1:1\n")
    data("eurlex", "eurlex_test.txt", "1 5000 3993\n7 0:1\n")
    source = BROUGHT["eurlex"]
    train, test = source.load("train"), source.load("test")
    assert train.X.shape == (2, 5000)
    assert test.Y.shape == (1, 3993)
    assert source.load().X.shape == (3, 5000)
    with pytest.raises(ValueError, match="no part 'all'"):
        source.load("all")


def test_one_file_for_all(data):
    lines = "".join(f"{1 + row % 3},4 1:{row + 1} 301561:1\n" for row in range(10))
    data("wise", "wise2014-train.libsvm", lines)
    part = RandomSplit(test_share=0.2).part(BROUGHT["wise"], 0)
    assert part.train.X.shape == (8, 301561)
    assert part.test.Y.shape == (2, 4)


def test_features_of_images(data):
    X, Y = np.arange(6.0).reshape(3, 2), np.array([[1, 0], [0, 1], [1, 1]])
    arrays = {"X_train": X, "Y_train": Y, "X_test": X[:1], "Y_test": Y[:1]}
    data("mscoco-cnn", "mscoco-cnn.npz", arrays)
    source = BROUGHT["mscoco-cnn"]
    np.testing.assert_array_equal(source.load("train").X, X)
    assert source.load().Y.shape == (4, 2)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X_train": np.ones((2, 2))}, "no array Y_train"),
        ({"X_train": np.ones((2, 2)), "Y_train": np.full((2, 1), 3)}, "Y of 0 and 1"),
        ({"X_train": np.ones((2, 2)), "Y_train": np.ones((3, 1))}, "must be"),
    ],
)
def test_damaged_features_are_named(arrays, message, data):
    data("toy", "toy.npz", arrays)
    with pytest.raises(ValueError, match=message):
        Brought("toy", {"train": "toy.npz"}).load("train")
