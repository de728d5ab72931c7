"""The whole summary: plain data, examples in the right order."""

import json

import numpy as np
import pytest
from scipy import sparse

from labelfield import LabelGraph
from labelfield.report import build_report
from labelfield.report.summary import pick_examples


def test_json_holds_all_of_it(summary):
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_the_same_answers_give_the_same_summary(answers):
    assert build_report(**answers) == build_report(**answers)


def test_sparse_sets_say_the_same(answers):
    thin = {**answers, "Y_true": sparse.csr_array(answers["Y_true"])}
    assert build_report(**thin) == build_report(**answers)


def test_unknown_labels_go_through(answers):
    Y = answers["Y_true"].astype(float)
    Y[::3, 1] = np.nan
    Y[0] = np.nan
    summary = build_report(**{**answers, "Y_true": Y})
    json.dumps(summary, allow_nan=False)
    assert summary["data"]["unknown"] == np.isnan(Y).sum()
    assert summary["automation"]["rows"] == len(Y) - 1


def test_a_single_label_goes_through():
    summary = build_report([1, 0, 1], [[1], [1], [1]], confidence=[0.5, 0.5, 0.9])
    assert summary["data"]["labels"] == 1
    assert summary["graph"]["links"] == []


def test_the_graph_of_a_model_is_used(answers):
    graph = LabelGraph(tuple("abcde"), [[0, 1]], [2.0], title="Couplings")
    summary = build_report(**answers, label_graph=graph)
    assert summary["graph"]["title"] == "Couplings"
    assert summary["graph"]["links"] == [[0, 1, 2.0]]


def test_examples_are_the_surest_mistakes_and_hits(answers, names):
    picked = pick_examples(
        answers["Y_true"],
        answers["Y_pred"],
        confidence=answers["confidence"],
        label_names=names,
        row_ids=[f"photo {k}" for k in range(200)],
        n_examples=4,
    )
    right = (answers["Y_true"] == answers["Y_pred"]).all(axis=1)
    stated = answers["confidence"]
    rows = {key: [one["row"] for one in group] for key, group in picked.items()}
    assert rows["worst"] == sorted(np.flatnonzero(~right), key=lambda row: -stated[row])[:4]
    assert rows["surest"] == sorted(np.flatnonzero(right), key=lambda row: -stated[row])[:4]
    assert rows["unsure"] == sorted(range(200), key=lambda row: stated[row])[:4]
    for one in picked["worst"]:
        assert one["id"] == f"photo {one['row']}"
        assert set(one["missed"]) == set(one["true"]) - set(one["predicted"])
        assert set(one["added"]) == set(one["predicted"]) - set(one["true"])
        assert one["wrong"] == len(one["missed"]) + len(one["added"]) > 0
        assert one["picture"] is None


def test_examples_without_confidence_are_the_most_wrong():
    picked = pick_examples([[1, 1], [1, 0], [0, 0]], [[0, 0], [0, 0], [0, 0]])
    assert [one["wrong"] for one in picked["worst"]] == [2, 1]
    assert picked["surest"] == picked["unsure"] == []


def test_pictures_come_from_a_sequence_or_a_function(answers):
    pictures = np.random.default_rng(0).random((200, 3, 3))
    by_row = build_report(**answers, pictures=pictures)
    by_call = build_report(**answers, pictures=lambda row: pictures[row])
    assert by_row == by_call
    assert by_row["examples"]["worst"][0]["picture"].startswith("data:image/png;base64,")


def test_wrong_shapes_are_refused(answers):
    with pytest.raises(ValueError, match="Y_pred"):
        build_report(answers["Y_true"], answers["Y_pred"][:, :4])
    with pytest.raises(ValueError, match="confidence"):
        build_report(answers["Y_true"], answers["Y_pred"], confidence=[0.5])
