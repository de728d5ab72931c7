"""BOOMER through files, with a stand-in for the package that only its own Python has."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from lab.arena import boomer
from lab.arena.rows import make_rows
from lab.arena.tuning import measure_row

from toy_files import toy

STAND_IN = '''
import numpy as np


class Predictor:
    """Answers of more and more rules."""

    def __init__(self, answer, n_rules):
        self.answer, self.left = answer, n_rules

    def has_next(self):
        return self.left > 0

    def apply_next(self, n):
        assert self.has_next()
        self.left -= n
        return self.answer


class BoomerClassifier:
    """Knows labels by the signs of the first features; its sets for F1 are all labels."""

    def __init__(self, **parameters):
        self.parameters = parameters

    def set_params(self, **parameters):
        self.parameters.update(parameters)

    def fit(self, X, Y):
        if Y.sum() == 0:
            raise ValueError("nothing to learn")
        self.n_labels = Y.shape[1]

    def _signs(self, X):
        X = X.toarray() if hasattr(X, "toarray") else X
        both = np.stack([X[:, 0] > 0, X[:, -1 if X.shape[1] == 1 else 1] > 0], axis=1)
        return np.column_stack([both, both.all(axis=1)]).astype(np.uint8)

    def predict_incrementally(self, X):
        if self.parameters["binary_predictor"] == "gfm":
            return Predictor(np.ones((X.shape[0], self.n_labels), dtype=np.uint8), 300)
        return Predictor(self._signs(X), 300)

    def predict_proba_incrementally(self, X):
        return Predictor(0.1 + 0.8 * self._signs(X), 300)
'''


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    package = tmp_path / "mlrl" / "boosting"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(STAND_IN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("LABELFIELD_BOOMER", sys.executable)
    boomer.boomer_python.cache_clear()
    yield
    boomer.boomer_python.cache_clear()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_answers_come_back_for_every_number_of_rules(stand_in, form):
    X, Y = toy(40, 0)
    assert boomer.why_not() == ""
    found = boomer.Boomer().fit(form(X), Y, 0).ask(form(X[:9]))
    assert list(found) == ["100 rules", "300 rules", "1000 rules"]
    signs = np.stack([X[:9, 0] > 0, X[:9, 1] > 0], axis=1)
    for answer in found.values():
        np.testing.assert_array_equal(answer.sets("subset", True)[:, :2], signs)
        np.testing.assert_array_equal(answer.sets("f1", True), np.ones((9, 3)))
        np.testing.assert_allclose(answer.marginals()[:, :2], 0.1 + 0.8 * signs)
        np.testing.assert_array_equal(answer.sets("hamming", True)[:, :2], signs)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_constant_columns_are_kept_from_it(stand_in, form):
    X, Y = toy(40, 0)
    wide = np.column_stack([np.zeros(40), np.ones(40), X])
    later = wide[:9] + np.eye(len(wide.T))[0]  # what was constant in training may vary later
    plain = boomer.Boomer().fit(form(X), Y, 0).ask(form(X[:9]))
    found = boomer.Boomer().fit(form(wide), Y, 0).ask(form(later))
    for rules, answer in found.items():
        np.testing.assert_array_equal(answer.marginals(), plain[rules].marginals())
    assert boomer.Boomer().fit(form(0 * X), Y, 0).ask(form(X[:9]))


def test_it_is_tuned_and_measured_like_the_others(stand_in):
    X, Y = toy(90, 1)
    found = measure_row(make_rows()["boomer"], X[:60], Y[:60], X[60:], Y[60:], 0)
    assert found["figures"]["subset_accuracy"] > 0.7
    assert found["chosen"]["subset_accuracy"]["variant"].endswith("rules")


def test_its_complaint_is_passed_on(stand_in):
    X, Y = toy(20, 2)
    with pytest.raises(RuntimeError, match="nothing to learn"):
        boomer.Boomer().fit(X, 0 * Y, 0)


def test_absence_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("LABELFIELD_BOOMER", str(tmp_path / "python"))
    boomer.boomer_python.cache_clear()
    assert "has no mlrl-boomer" in boomer.why_not()
    boomer.boomer_python.cache_clear()


def test_an_environment_is_made_once(monkeypatch, tmp_path):
    asked = []

    def says_yes(words):
        """Everything works on the second Python; nothing can be installed on the first."""
        asked.append(words)
        (tmp_path / "boomer" / "bin").mkdir(parents=True, exist_ok=True)
        (tmp_path / "boomer" / "bin" / "python").touch()
        return "new" not in words

    monkeypatch.delenv("LABELFIELD_BOOMER", raising=False)
    monkeypatch.setenv("LABELFIELD_CACHE", str(tmp_path))
    monkeypatch.setattr(boomer, "_pythons", lambda: iter([("p12", "new"), ("p11", "old")]))
    monkeypatch.setattr(boomer, "_says_yes", says_yes)
    boomer.boomer_python.cache_clear()
    assert boomer.boomer_python() == (str(tmp_path / "boomer" / "bin" / "python"), "")
    assert [words[0] for words in asked if "venv" in words] == ["p12", "p11"]
    monkeypatch.setattr(boomer, "_pythons", lambda: iter([("p12", "new")]))
    (tmp_path / "boomer" / "bin" / "python").unlink()
    boomer.boomer_python.cache_clear()
    assert "new cannot be installed" in boomer.why_not()
    (tmp_path / "boomer" / "bin" / "python").unlink()
    monkeypatch.setattr(boomer, "_pythons", lambda: iter([]))
    boomer.boomer_python.cache_clear()
    assert "3.12" in boomer.why_not()
    boomer.boomer_python.cache_clear()
