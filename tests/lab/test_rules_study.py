"""The parts of the study of rules: hierarchical files and the code book."""

import gzip

import numpy as np
from lab.studies import hierarchies
from lab.studies.hierarchies import pick_members, read_hierarchy
from lab.studies.rules import CODE_BOOK

from labelfield.kernels.sets.bits import all_sets
from labelfield.rules import LabelRules

FILE = """@RELATION genes
@ATTRIBUTE size numeric
@ATTRIBUTE kind {a, b}
@ATTRIBUTE class hierarchical 01,01/01,02/03
@DATA
1.5,b,01/01@02/03
?,a,01 % a comment
"""


def test_hierarchical_files_are_read(tmp_path):
    path = tmp_path / "genes.arff.gz"
    path.write_bytes(gzip.compress(FILE.encode()))
    X, Y, classes = read_hierarchy(path)
    assert classes == ["01", "01/01", "02", "02/03"]
    np.testing.assert_array_equal(X, [[1.5, 0, 1], [np.nan, 1, 0]])
    np.testing.assert_array_equal(Y, [[0, 1, 0, 1], [1, 0, 0, 0]])
    closed = LabelRules.from_paths(classes).closure(Y)
    np.testing.assert_array_equal(closed, [[1, 1, 1, 1], [1, 0, 0, 0]])


def test_the_code_book_allows_130_sets():
    names = ["HS", "Abusive", "HS_Individual", "HS_Group", "HS_Religion", "HS_Race"]
    names += ["HS_Physical", "HS_Gender", "HS_Other", "HS_Weak", "HS_Moderate", "HS_Strong"]
    rules = LabelRules.from_text(names, CODE_BOOK)
    assert rules.keeps(all_sets(12)).sum() == 130
    assert rules.review() == []


def test_members_are_picked_while_the_mean_gets_better():
    Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    good, worse = Y * 0.6 + 0.2, np.full((4, 2), 0.5)
    worse[0, 0] = 0.4
    assert pick_members({"good": good, "worse": worse}, Y) == (["good"], 1.0)
    half = np.where(Y[:, :1] == 1, [[0.9, 0.5]], [[0.1, 0.5]])
    other = np.where(Y[:, 1:] == 1, [[0.5, 0.9]], [[0.5, 0.1]])
    picks, area = pick_members({"first": half, "second": other}, Y)
    assert sorted(picks) == ["first", "second"]
    assert area == 1.0


def test_a_small_hierarchy_is_learned_and_measured(monkeypatch, capsys):
    rules = LabelRules.from_paths(["a", "a/b", "a/c", "d"])
    X = np.random.default_rng(0).normal(size=(90, 5))
    Y = rules.closure((X[:, :4] > 0).astype(int))
    parts = [(X[part], Y[part]) for part in (slice(40), slice(40, 60), slice(60, 90))]
    monkeypatch.setattr(hierarchies, "parts_of", lambda name: (*parts, rules))
    monkeypatch.setitem(hierarchies.AIMS, "toy", 0.5)
    monkeypatch.setattr(hierarchies, "MAX_TREES", 5)
    hierarchies.hierarchy("toy")
    assert "aim 0.500 met" in (told := capsys.readouterr().out)
    assert "; 0 incoherent marginals" in told
