"""Results of labels, sets and rules against scikit-learn and counting by hand."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score

from labelfield.report.summary import count_broken_rules, score_labels, score_overall, score_sets


def test_labels_agree_with_scikit_learn(answers, names):
    rows = score_labels(
        answers["Y_true"],
        answers["Y_pred"],
        marginals=answers["marginals"],
        label_names=names,
    )
    theirs = precision_recall_fscore_support(answers["Y_true"], answers["Y_pred"])
    auc = roc_auc_score(answers["Y_true"], answers["marginals"], average=None)
    for key, values in zip(("precision", "recall", "f1", "support"), theirs):
        assert [row[key] for row in rows] == pytest.approx(values.tolist())
    assert [row["auc"] for row in rows] == pytest.approx(auc.tolist())
    assert [row["name"] for row in rows] == names
    assert [row["predicted"] for row in rows] == answers["Y_pred"].sum(axis=0).tolist()


def test_measures_without_a_value_are_none():
    never, unclaimed = score_labels([[0, 1], [0, 1]], [[0, 0], [0, 0]], marginals=np.zeros((2, 2)))
    assert never["recall"] is never["precision"] is never["f1"] is never["auc"] is None
    assert unclaimed["precision"] is unclaimed["auc"] is None
    assert unclaimed["recall"] == unclaimed["f1"] == 0.0


def test_unknown_entries_count_nowhere():
    [label] = score_labels([[1.0], [np.nan], [0.0]], [[1], [1], [0]])
    assert (label["support"], label["predicted"], label["precision"]) == (1, 1, 1.0)


def test_overall(answers):
    overall = score_overall(answers["Y_true"], answers["Y_pred"])
    wrong = answers["Y_true"] != answers["Y_pred"]
    assert overall["subset_accuracy"] == pytest.approx(1 - wrong.any(axis=1).mean())
    assert overall["hamming_loss"] == pytest.approx(wrong.mean())


def test_sets_are_counted_as_by_hand(answers, names):
    found = score_sets(answers["Y_true"], answers["Y_pred"], label_names=names, n_sets=1000)
    truth = [tuple(row) for row in answers["Y_true"]]
    predicted = [tuple(row) for row in answers["Y_pred"]]
    assert len(found) == len(set(truth))
    assert [one["support"] for one in found] == sorted(map(truth.count, set(truth)), reverse=True)
    for one in found:
        key = tuple(int(name in one["labels"]) for name in names)
        given = [answer for true, answer in zip(truth, predicted) if true == key]
        wrong = [answer for answer in given if answer != key]
        assert one["support"] == len(given)
        assert one["exact"] == pytest.approx(given.count(key) / len(given))
        assert one["predicted"] == predicted.count(key)
        if wrong:
            assert one["mistaken_for"]["count"] == max(map(wrong.count, wrong))
        else:
            assert one["mistaken_for"] is None


def test_sets_with_unknown_entries_are_left_out():
    assert score_sets([[1.0, np.nan]], [[1, 0]]) == []


def test_broken_rules():
    rules = {"b needs a": lambda Y: Y[:, 1] & ~Y[:, 0], "not all": lambda Y: Y.all(axis=1)}
    found = count_broken_rules(rules, {"x": [[0, 1], [1, 1], [1, 0]], "y": [[0, 0]]})
    assert found["rules"] == ["b needs a", "not all"]
    assert found["models"] == [
        {"model": "x", "rows": 3, "broken": 2, "share": 2 / 3, "by_rule": [1, 1]},
        {"model": "y", "rows": 1, "broken": 0, "share": 0.0, "by_rule": [0, 0]},
    ]
