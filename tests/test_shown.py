"""What results look like on a screen: one line in a terminal, a small table in a notebook."""

import json

import numpy as np
import pytest

from labelfield import BinaryRelevance, CalibratedSetClassifier, LabelGraph, LabelPowerset
from labelfield._shown import as_html, as_text
from labelfield.calibrate import Route
from labelfield.datasets import make_multilabel
from labelfield.evaluation import compare_models
from labelfield.joints import IndependentJoint, explain_set
from labelfield.promise import Acceptance


@pytest.fixture(scope="module")
def data():
    return make_multilabel(n_samples=90, n_labels=4, random_state=0)


def test_cells_are_shown_not_obeyed():
    assert as_text(["a"], [["\x1b[31m"]]) == "a\n\\x1b[31m"
    assert "<script>" not in as_html(["<script>"], [["<script>"]], "<script>")


def test_a_table_without_rows_is_its_header():
    assert as_text(["model", "F1"], []) == "model F1"


def test_a_route_is_one_line(data):
    model = CalibratedSetClassifier(BinaryRelevance(alpha=0.1), cv=2).fit(data.X, data.Y)
    route = model.route(data.X, accuracy=0.05)
    assert f"{route.accept.sum()} of 90 accepted" in repr(route)
    assert f"<td>{route.review.sum()}</td>" in route._repr_html_()
    assert len(repr(route)) < 120


def test_a_route_that_accepts_nothing_says_so():
    unmet = Acceptance(np.inf, 0.99, 0.95, n_rows=9, n_above=0, rate=np.nan, exact=False)
    nothing = Route(np.zeros(3, bool), np.ones(3), unmet)
    assert "0 of 3 accepted, threshold=inf" in repr(nothing)
    assert "none is enough" in nothing._repr_html_()
    assert "approximate, no guarantee" in nothing._repr_html_()


def test_a_graph_names_its_strongest_link():
    links = np.triu(np.arange(36.0).reshape(6, 6) - 20, k=1)
    graph = LabelGraph.from_matrix([*"abcdef"], links + links.T)
    assert repr(graph) == "LabelGraph(6 labels, 15 links, -19.00 'a'-'b')"
    page = graph._repr_html_()
    assert page.count("<tr>") == 1 + 10
    assert "the 10 strongest" in page
    assert repr(LabelGraph(("a", "b"), [], [])) == "LabelGraph(2 labels, 0 links)"


def test_a_joint_shows_its_most_probable_sets():
    joint = IndependentJoint.from_probabilities([[0.9, 0.8], [0.1, 0.2]] * 4)
    page = joint._repr_html_()
    assert "{0, 1} 0.720" in page
    assert "{} 0.720" in page
    assert page.count("<tr>") == 1 + 5
    assert joint.take(slice(0, 0))._repr_html_().count("<tr>") == 1


def test_a_comparison_is_a_table_and_a_dictionary(data):
    models = {"BR": BinaryRelevance(alpha=0.1), "LP": LabelPowerset(alpha=0.1)}
    found = compare_models(data.X, data.Y, models, decoders=("subset",), cv=2)
    title, header, *rows = repr(found).splitlines()
    assert title == "90 rows, 4 labels, means of 2 folds"
    assert header.startswith("model, decision")
    assert len(rows) == 2
    assert f"{found['mean']['BR, subset']['f1_macro']:.3f}" in rows[0]
    assert found._repr_html_().count("<tr>") == 3
    assert json.loads(json.dumps(found["results"])) == found["results"]


def test_a_data_set_lists_its_frequent_labels(data):
    page = data._repr_html_()
    share = data.Y.mean(axis=0).max()
    assert page.index(f"{share:.1%}") < page.index(f"{data.Y.mean(axis=0).min():.1%}")


def test_an_explanation_is_escaped():
    joint = IndependentJoint.from_probabilities([[0.9, 0.2]])
    page = explain_set(joint, names=["<b>", "c"])._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
