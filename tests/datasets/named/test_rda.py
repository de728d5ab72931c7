"""R data files: read as R wrote them, data sets among them written anew, all else refused."""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import struct
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from labelfield._exceptions import DataFormatError
from labelfield.datasets import load_dataset, read_dataset
from labelfield.datasets.named import download, rda
from labelfield.datasets.named.download import (
    PublicFile,
    PublicSource,
    fetch_files,
    public_folder,
)
from labelfield.datasets.named.mldr import as_arff
from labelfield.datasets.named.rda import read_rda

HEAD = b"RDX2\nX\n" + struct.pack(">3i", 2, 0x30402, 0x20300)
END = struct.pack(">i", 254)
ROOT = Path(os.environ.get("LABELFIELD_DATA", "not set"))


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def integer(*numbers):
    return struct.pack(f">{len(numbers)}i", *numbers)


def text(word):
    return integer(9, -1) if word is None else integer(9, len(word.encode())) + word.encode()


def texts(words, **attributes):
    return closed(16, integer(len(words)) + b"".join(map(text, words)), attributes)


def reals(numbers, **attributes):
    return closed(
        14, integer(len(numbers)) + struct.pack(f">{len(numbers)}d", *numbers), attributes
    )


def integers(numbers, **attributes):
    return closed(13, integer(len(numbers), *numbers), attributes)


def items(named, **attributes):
    content = integer(len(named)) + b"".join(named.values())
    return closed(19, content, {"names": texts(list(named)), **attributes})


def closed(kind, content, attributes):
    if not attributes:
        return integer(kind) + content
    return integer(kind | 0x200) + content + pairs(attributes)


def pairs(named):
    tagged = (integer(2 | 0x400, 1) + text(name) + item for name, item in named.items())
    return b"".join(tagged) + END


def workspace(**objects):
    return HEAD + pairs(objects)


def mldr(columns, labels, **more):
    rows = items({"index": integers(range(len(labels)))}, **{"row.names": texts(labels)})
    return workspace(made=items({"dataset": items(columns), "labels": rows, **more}))


SMALL = {
    "a word": reals([0, 1.5, 0, 0]),
    "it's": integers([2, 0, 0, 0]),
    "y1": integers([1, 0, 0, 1]),
    "y2": reals([0, 0, 0, 1]),
    ".labelcount": integers([1, 0, 0, 2]),
}


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_vectors_lists_and_attributes_are_read(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(rda, "CHUNK", 16)  # a vector of many pieces
    values = [0.0, 1.5, 0.0, -2.0, float("nan")]
    whole = workspace(
        x=reals(values),
        n=integers([7, rda.MISSING, 0], levels=texts(["low", None])),
        l=items({"inner": texts(["é", ""]), "none": END}),
    )
    path = tmp_path / "all.rda"
    path.write_bytes(pack(whole))
    read = read_rda(path)
    assert list(read) == ["x", "n", "l"]
    x, n = read["x"].value, read["n"].value
    np.testing.assert_array_equal(x.at, [1, 3, 4])
    np.testing.assert_array_equal(x.values, [1.5, -2.0, np.nan])
    np.testing.assert_array_equal(n.values, [7, np.nan])
    assert (x.length, n.length) == (5, 3)
    assert read["n"].texts("levels") == []  # one of them is missing
    inner = read["l"].named()
    assert inner["inner"].value == ["é", ""]
    assert inner["none"].value is None


def test_a_name_said_before_is_referred_to(tmp_path):
    again = integer(2 | 0x400, 255 | 1 << 8) + reals([3.0])
    path = tmp_path / "twice.rda"
    path.write_bytes(HEAD + pairs({"x": reals([1.0])}).removesuffix(END) + again + END)
    assert read_rda(path)["x"].value.values.tolist() == [3.0]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "begins with b''"),
        (b"RDX2\nX\n", "breaks off"),
        (workspace(x=reals([1.0]))[:-9], "breaks off"),
        (gzip.compress(workspace(x=reals([1.0])))[:-20], "ended before"),
        (lzma.compress(HEAD)[:-9] + b"123456789", "Corrupt|corrupt"),
        (HEAD + integer(2, 3), "type 3, which is not plain data"),
        (HEAD + integer(2, 14, -1, 0, 1), "length -1"),
        (HEAD + integer(2 | 0x400, 255 | 5 << 8), "name 5 of 0"),
        (HEAD + integer(2) * 400, "breaks off|nested more"),
        (HEAD + integer(2, 19, 1) + integer(19, 1) * 400, "nested more than 20 deep"),
        (HEAD + integer(2) + integer(1) * 4000, "nested more than 20 deep"),
    ],
)
def test_other_content_is_refused(tmp_path, content, problem):
    path = tmp_path / "bad.rda"
    path.write_bytes(content)
    with pytest.raises(DataFormatError, match=rf"bad.rda: not an R data file.*({problem})"):
        read_rda(path)


def test_a_data_set_is_written_anew(tmp_path):
    path = tmp_path / "small.rda"
    path.write_bytes(lzma.compress(mldr(SMALL, ["y2", "y1"])))
    as_arff(path)
    data = read_dataset(tmp_path / "small.arff", labels=tmp_path / "small.xml")
    assert data.feature_names == ("a word", "it's")
    assert data.label_names == ("y2", "y1")
    np.testing.assert_array_equal(data.X.toarray(), [[0, 2], [1.5, 0], [0, 0], [0, 0]])
    np.testing.assert_array_equal(data.Y, [[0, 1], [0, 0], [0, 0], [1, 1]])


def test_full_tables_are_written_in_the_dense_form(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5, 3)) * [1.0, 1e-9, 1e9]
    columns = {f"x{j}": reals(X[:, j]) for j in range(3)} | {"y": integers([1, 0, 1, 0, 1])}
    path = tmp_path / "full.rda"
    path.write_bytes(mldr(columns, ["y"]))
    as_arff(path)
    data = read_dataset(tmp_path / "full.arff", labels=tmp_path / "full.xml")
    assert not sparse.issparse(data.X)
    np.testing.assert_array_equal(data.X, X)  # every bit of every number


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (workspace(x=reals([1.0])), "not one data set of the package mldr"),
        (mldr({"w": texts(["a"]), "y": integers([1])}, ["y"]), "column 'w' does not hold numbers"),
        (mldr({"w": integers([1], levels=texts(["a"])), "y": integers([1])}, ["y"]), "column 'w'"),
        (mldr({"x": integers([1])}, ["y"]), "labels are not among its columns"),
        (mldr({"x": integers([1, 0]), "y": integers([1])}, ["y"]), "columns differ in length"),
    ],
)
def test_other_objects_are_refused_and_nothing_is_written(tmp_path, content, problem):
    path = tmp_path / "other.rda"
    path.write_bytes(content)
    with pytest.raises(DataFormatError, match=problem):
        as_arff(path)
    assert [p.name for p in tmp_path.glob("other*")] == ["other.rda"]


def test_fetched_files_are_written_anew_and_read_by_name(folders, monkeypatch):
    content = lzma.compress(mldr(SMALL, ["y1", "y2"]))
    file = PublicFile("ohsumed.rda", "some/repo@c0ffee", "ohsumed.rda", None, sha256(content))
    source = PublicSource("Joachims 1998", "research", (file,))
    monkeypatch.setattr(download, "public_sources", lambda: {"ohsumed": source})
    monkeypatch.setattr(download, "urlopen", lambda address, timeout: io.BytesIO(content))
    folder = fetch_files("ohsumed", quiet=True)
    np.testing.assert_array_equal(load_dataset("ohsumed", fetch=False).Y[:, 1], [0, 0, 0, 1])
    (folder / "ohsumed.arff").unlink()  # as where writing it was interrupted
    assert public_folder("ohsumed") is None
    fetch_files("ohsumed", quiet=True)
    assert public_folder("ohsumed") == folder


@pytest.mark.data
@pytest.mark.skipif(not ROOT.is_dir(), reason="LABELFIELD_DATA names no folder")
@pytest.mark.parametrize(
    ("name", "file"), [("ohsumed", "ohsumed.rda"), ("rcv1subset1", "rcv1sub1.rda")]
)
def test_real_files_give_the_rows_of_the_data_folder(tmp_path, monkeypatch, name, file):
    monkeypatch.setenv("LABELFIELD_DATA", str(ROOT))
    path = tmp_path / f"{name}.rda"
    path.write_bytes((ROOT / name / file).read_bytes())
    as_arff(path)
    read = read_dataset(tmp_path / f"{name}.arff", labels=tmp_path / f"{name}.xml")
    known = read_dataset(ROOT / name / f"{name}.arff.gz", labels=ROOT / name / f"{name}.xml")
    assert read.label_names == known.label_names
    assert read.feature_names == known.feature_names
    assert (read.X != known.X).nnz == 0
    np.testing.assert_array_equal(read.Y, known.Y)
    assert load_dataset(name, fetch=False).Y.shape == read.Y.shape
