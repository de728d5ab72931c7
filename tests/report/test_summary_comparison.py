"""Ranks, the best, and the report of one model out of a comparison."""

import numpy as np
import pytest

from labelfield.report import build_comparison_report, choose_result
from labelfield.report.summary import summarize_comparison

MEAN = {
    "a": {"f1_micro": 0.5, "hamming_loss": 0.1, "broken_rules": 3},
    "b": {"f1_micro": 0.7, "hamming_loss": 0.3, "broken_rules": 0},
    "c": {"f1_micro": 0.7, "hamming_loss": 0.2, "broken_rules": float("nan")},
}


def column(summary, name):
    [metric] = [metric for metric in summary["metrics"] if metric["name"] == name]
    return {score["model"]: score for score in metric["scores"]}


def test_ranks_follow_the_direction_of_the_metric():
    summary = summarize_comparison({"mean": MEAN, "greater_is_better": {"broken_rules": False}})
    assert {k: one["rank"] for k, one in column(summary, "f1_micro").items()} == {
        "a": 3.0,
        "b": 1.5,
        "c": 1.5,
    }
    assert {k: one["rank"] for k, one in column(summary, "hamming_loss").items()} == {
        "a": 1.0,
        "b": 3.0,
        "c": 2.0,
    }
    assert [k for k, one in column(summary, "f1_micro").items() if one["best"]] == ["c", "b"]
    assert [k for k, one in column(summary, "broken_rules").items() if one["best"]] == ["b"]
    assert column(summary, "broken_rules")["c"] == {
        "model": "c",
        "mean": None,
        "std": None,
        "rank": None,
        "best": False,
        "tied": False,
    }
    ranks = {model["model"]: model["mean_rank"] for model in summary["models"]}
    assert ranks == {"c": 1.75, "b": pytest.approx(5.5 / 3), "a": 2.0}
    assert list(ranks) == ["c", "b", "a"]


def test_titles_spreads_and_ties():
    summary = summarize_comparison(
        {
            "mean": MEAN,
            "std": {"a": {"f1_micro": 0.25}, "b": {"f1_micro": None}},
            "titles": {"broken_rules": "rows with a broken rule"},
            "ranks": {"hamming_loss": {"indistinct": [[0, 2], [1, 2]]}},
        }
    )
    titles = {metric["name"]: metric["title"] for metric in summary["metrics"]}
    assert titles["broken_rules"] == "rows with a broken rule"
    assert titles["hamming_loss"] == "Hamming loss"
    assert [column(summary, "f1_micro")[model]["std"] for model in "abc"] == [0.25, None, None]
    tied = {model: one["tied"] for model, one in column(summary, "hamming_loss").items()}
    assert tied == {"a": False, "b": False, "c": True}


def test_an_empty_comparison_is_refused():
    with pytest.raises(ValueError, match="comparison holds no scores"):
        summarize_comparison({"mean": {"a": {}}})


@pytest.fixture
def compared(answers):
    truth, guess = answers["Y_true"], answers["Y_pred"]
    results = [
        {"name": f"{model}, {decoder}", "model": model, "decoder": decoder}
        for model, decoder in (("br", "own"), ("lp", "subset"), ("lp", "f1"))
    ]
    return {
        "folds": 5,
        "results": results,
        "mean": {
            "br, own": {"subset_accuracy": 0.1, "hamming_loss": 0.5},
            "lp, subset": {"subset_accuracy": 0.9, "hamming_loss": 0.2},
            "lp, f1": {"subset_accuracy": 0.8, "hamming_loss": 0.1},
        },
        "answers": {
            "br": {"sets": {"own": 1 - truth}, "confidence": {}, "marginals": None},
            "lp": {
                "sets": {"subset": guess, "f1": truth},
                "confidence": {"subset": answers["confidence"], "f1": np.ones(len(truth))},
                "marginals": answers["marginals"],
            },
        },
    }


def test_choose_result_knows_losses(compared):
    assert choose_result(compared) == "lp, subset"
    assert choose_result(compared, "hamming_loss") == "lp, f1"
    with pytest.raises(ValueError, match="metric='f3' was not compared; there are hamming_loss"):
        choose_result(compared, "f3")


def test_the_report_of_the_best_result(compared, answers):
    rules = {"never": lambda Y: np.zeros(len(Y), bool)}
    summary = build_comparison_report(compared, answers["Y_true"], rules=rules, dataset="d")
    assert summary["model"] == "lp, subset"
    assert summary["dataset"] == "d"
    right = (answers["Y_true"] == answers["Y_pred"]).all(axis=1).mean()
    assert summary["overall"]["subset_accuracy"] == pytest.approx(right)
    assert summary["reliability"]["accuracy"] == pytest.approx(right)
    assert [one["model"] for one in summary["rules"]["models"]] == [
        "true sets",
        "lp, subset",
        "br, own",
        "lp, f1",
    ]
    assert "5 folds" in summary["notes"][0]


def test_the_report_of_a_named_result(compared, answers):
    summary = build_comparison_report(compared, answers["Y_true"], name="br, own")
    assert summary["overall"]["subset_accuracy"] == 0.0
    assert summary["automation"] is summary["reliability"] is None
    with pytest.raises(ValueError, match="name='x' was not compared"):
        build_comparison_report(compared, answers["Y_true"], name="x")
    with pytest.raises(ValueError, match="do not test every row"):
        build_comparison_report({**compared, "answers": None}, answers["Y_true"])
