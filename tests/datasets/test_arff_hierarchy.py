"""Hierarchical ARFF files: classes are paths, rows have sets of them."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

from labelfield import BinaryRelevance, LabelRules
from labelfield._exceptions import DataFormatError
from labelfield.datasets import read_arff, read_dataset

FILE = """@RELATION genes
@ATTRIBUTE size numeric
@ATTRIBUTE kind {a, b}
@ATTRIBUTE class   hierarchical 01,01/01,02/03/01 % paths
@DATA
1.5,b,01/01@02/03/01
?,a,01 % a comment
2,a,?
3,b,02/03
"""
NAMES = ("01", "01/01", "02", "02/03", "02/03/01")


@pytest.fixture
def genes(tmp_path):
    path = tmp_path / "genes.arff"
    path.write_text(FILE)
    return path


def test_rows_have_their_classes_and_all_above_them(genes):
    data = read_arff(genes)
    assert data.label_names == NAMES
    assert data.feature_names == ("size", "kind")
    assert data.categories == {"kind": ("a", "b")}
    np.testing.assert_array_equal(data.X, [[1.5, 1], [np.nan, 0], [2, 0], [3, 1]])
    nan = np.nan
    expected = [[1, 1, 1, 1, 1], [1, 0, 0, 0, 0], [nan] * 5, [0, 0, 1, 1, 0]]
    np.testing.assert_array_equal(data.Y, expected)
    rules = LabelRules.from_file(data.label_names, genes)
    assert rules == LabelRules.from_paths(NAMES)
    assert not len(rules.check(data.Y))


def test_packed_files_and_chosen_classes(genes, tmp_path):
    packed = tmp_path / "genes.arff.gz"
    packed.write_bytes(gzip.compress(FILE.replace("2,a,?\n", "").encode()))
    data = read_dataset(packed, labels=["02/03", "01"])
    assert data.label_names == ("02/03", "01")
    assert data.Y.dtype == np.uint8
    np.testing.assert_array_equal(data.Y, [[1, 1], [0, 1], [1, 0]])
    assert read_arff(genes, labels=[]).Y.shape == (4, 0)


def test_sparse_rows(tmp_path):
    path = tmp_path / "sparse.arff"
    head = "@relation g\n@attribute x numeric\n@attribute class hierarchical a,a/b,c\n@data\n"
    path.write_text(head + "{0 2, 1 a/b}\n{1 c@a}\n{0 3}\n")
    data = read_arff(path)
    assert sp.issparse(data.X)
    np.testing.assert_array_equal(data.X.toarray(), [[2], [0], [3]])
    np.testing.assert_array_equal(data.Y, [[1, 1, 0], [1, 0, 1], [0, 0, 0]])


def test_models_learn_inside_the_hierarchy(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "drawn.arff"
    rows = [f"{x:.3f},{'a/b' if x > 0.5 else 'a' if x > 0 else 'c'}" for x in rng.normal(size=80)]
    head = "@relation g\n@attribute x numeric\n@attribute class hierarchical a,a/b,c\n@data\n"
    path.write_text(head + "\n".join(rows) + "\n")
    data = read_arff(path)
    rules = LabelRules.from_file(data.label_names, path)
    model = BinaryRelevance(alpha=1.0, rules=rules).fit(data.X, data.Y)
    assert rules.keeps(model.predict(data.X)).all()


WRONG = {
    "an undeclared class": (
        FILE.replace("02/03\n", "02/04\n"),
        "line 9.*'02/04' is not a declared",
    ),
    "an empty step": (FILE.replace("02/03/01 %", "02//01 %"), "line 4.*lists paths such as"),
    "pairs of a graph": (
        FILE.replace("01,01/01,02/03/01", "root/a,a/b,root/b"),
        "line 4.*pairs parent/child.*LabelRules.from_parents",
    ),
    "no paths": (FILE.replace("hierarchical 01,01/01,02/03/01 %", "hierarchical %"), "of type"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG.keys())
def test_damaged_files_are_refused(text, message, tmp_path):
    path = tmp_path / "genes.arff"
    path.write_text(text)
    with pytest.raises(DataFormatError, match=message):
        read_arff(path)


def test_wrong_labels_are_refused(genes):
    with pytest.raises(DataFormatError, match="has no class '03'"):
        read_arff(genes, labels=["01", "03"])
    with pytest.raises(DataFormatError, match="names a class twice"):
        read_arff(genes, labels=["01", "01"])
    with pytest.raises(ValueError, match="classes of the hierarchical attribute 'class'.*got 2"):
        read_arff(genes, labels=2)
