"""Drift of what comes in and of what is predicted: seen where it is, rare where there is none."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact, ks_2samp

pytest.importorskip("sqlalchemy")
from labelfield.desk.drift import drift_of_features, drift_of_predictions
from labelfield.desk.page.app import _templates


def cases_of(columns):
    return [
        SimpleNamespace(fields=dict(zip(columns, cells)), confidence=0.5, predicted=("a",))
        for cells in zip(*columns.values())
    ]


def p_of(found, what):
    return next(one["p"] for one in found["smallest"] if one["what"] == what)


def test_numbers_kinds_words_and_holes_are_tested_each_in_its_way():
    rng = np.random.default_rng(0)
    age = [*rng.normal(40, 5, 50).tolist(), *rng.normal(44, 5, 50).tolist()]
    ward = ["north"] * 30 + ["south"] * 20 + ["north"] * 18 + ["south"] * 29 + ["a", "b", "c"]
    note = [f"case {i} {'cough' if i % 5 else 'fever'}" for i in range(50)]
    note += [f"case {i} {'cough' if i % 2 else 'fever'}" for i in range(50, 100)]
    size = [1.0] * 60 + [None] * 5 + [float("nan")] * 5 + [1.0] * 30
    shown = [str(number) for number in age]  # as cases show them
    found = drift_of_features(cases_of({"age": shown, "ward": ward, "note": note, "size": size}))
    n = found["tests"]
    assert n == 8  # age, ward, words of a note and three of them, size and its holes
    assert p_of(found, "age") == pytest.approx(n * ks_2samp(age[:50], age[50:]).pvalue)
    kinds = chi2_contingency([[30, 18], [20, 29], [0, 3]]).pvalue
    assert p_of(found, "ward") == pytest.approx(min(1.0, n * kinds))
    fever = fisher_exact([[10, 40], [25, 25]]).pvalue
    assert p_of(found, "note, word 'fever'") == pytest.approx(n * fever)
    holes = fisher_exact([[0, 50], [10, 40]]).pvalue
    assert p_of(found, "size missing") == pytest.approx(n * holes)
    assert found["alarm"]


def test_alarms_are_rare_where_nothing_changes():
    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(60):
        columns = {"x": rng.normal(size=80).tolist(), "kind": rng.choice(["a", "b"], 80).tolist()}
        columns["text"] = [
            " ".join(rng.choice(["red", "blue", "green"], 2)) + f" {i}" for i in range(80)
        ]
        alarms += drift_of_features(cases_of(columns))["alarm"]
    assert alarms <= 3 + 3 * np.sqrt(3)


def test_pictures_are_not_read_as_texts():
    pictures = [f"data:image/png;base64,{i}" for i in range(80)]
    assert drift_of_features(cases_of({"picture": pictures, "x": [1.0] * 80}))["tests"] == 1


def test_too_few_or_redacted_cases_say_nothing():
    few = cases_of({"x": [1.0] * 59})
    assert drift_of_features(few) is None
    assert drift_of_predictions(few, ["a"]) is None
    for case in (many := cases_of({"x": [1.0] * 80})):
        case.fields = None
    assert drift_of_features(many) is None
    assert drift_of_predictions(many, ["a"])["tests"] == 2


def test_the_page_shows_both_kinds_of_drift_and_escapes_names():
    found = drift_of_features(cases_of({"<b>": [*range(40), *range(100, 140)]}))
    told = {"cases": {}, "audit": {"drawn": 0, "rates": []}, "promise": None, "drift": None}
    told |= {
        "model": dict.fromkeys(("promise", "kind", "file", "hash"), ""),
        "agreement": {"pairs": 0, "reviewers": {}},
    }
    page = _templates().get_template("monitor.html").render(title="t", feature_drift=found, **told)
    assert "Drift of features" in page
    assert "The later cases differ" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "Too few cases to say." in page
