"""Label rules on the command line."""

import json

import pandas as pd
import pytest

from command_lines import complaint_of, json_runner_of, runner_of
from labelfield import LabelRules, load
from labelfield.cli.app import app

run = runner_of(app)
run_json = json_runner_of(run)
complaint = complaint_of(run)
LABELS = ("--label-columns", "flu,fever,mild,severe")
ROWS = [[1, 1, 1, 0], [0, 1, 0, 1], [1, 1, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0]]


@pytest.fixture
def table(tmp_path):
    frame = pd.DataFrame(ROWS, columns=["flu", "fever", "mild", "severe"])
    frame.insert(0, "x", [0.1, 0.3, 0.4, 0.9, 0.5, 0.7])
    path = tmp_path / "notes.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("flu implies fever\nexactly one of mild, severe given fever\n")
    return path


def test_check_lists_the_rows_that_break_rules(table, rules):
    told = run("rules", "check", table, rules, *LABELS).stdout
    assert "1 of 6 rows break a rule." in told
    assert "flu implies fever" in told
    found = run_json("rules", "check", table, rules, *LABELS)
    assert found["rules"] == [{"rule": "flu implies fever", "rows": 1, "first": [4]}]
    assert found["findings"] == []


def test_check_reviews_the_rules_themselves(table, tmp_path):
    path = tmp_path / "odd.txt"
    path.write_text("flu implies fever\nflu forbids fever\n")
    (finding,) = run_json("rules", "check", table, path, *LABELS)["findings"]
    assert finding.startswith("flu can never be present")


def test_suggestions_can_be_saved_and_read_again(table, tmp_path):
    frame = pd.read_csv(table)
    many = tmp_path / "many.csv"
    frame[frame.index != 4].sample(200, replace=True, random_state=0).to_csv(many, index=False)
    text = run("rules", "suggest", many, *LABELS).stdout
    read = LabelRules.from_text(["flu", "fever", "mild", "severe"], text)
    assert "flu implies fever" in str(read)
    found = run_json("rules", "suggest", many, *LABELS)
    assert [one["rule"] for one in found] == str(read).splitlines()


def test_fitted_models_keep_rules(table, rules, tmp_path):
    out = tmp_path / "model.lf"
    wrong = complaint("fit", table, *LABELS, "--rules", rules, "--out", out)
    assert "row 4 of Y breaks the rule 'flu implies fever'" in wrong
    assert "on_violation" in wrong
    options = ("--rules", rules, "--on-violation", "drop", "--out", out)
    run("fit", table, *LABELS, "--model", "br", *options)
    assert str(load(out).rules) == "flu implies fever\nexactly 1 of mild, severe given fever"
    predicted = tmp_path / "predicted.csv"
    run("predict", out, table, "--out", predicted)
    for labels in pd.read_csv(predicted)["labels"].fillna(""):
        names = labels.split("|")
        assert "fever" in names or "flu" not in names


def test_wrong_rules_are_one_line(table, tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("flu implies feverr\n")
    told = complaint("rules", "check", table, path, *LABELS)
    assert "line 1 of the rules" in told
    assert "did you mean 'fever'" in told
    missing = complaint("rules", "check", table, tmp_path / "none.txt", *LABELS)
    assert "none.txt" in missing
    path.write_text(json.dumps({"rules": []}))
    without = complaint(
        "fit", table, *LABELS, "--model", "mlknn", "--rules", path, "--out", tmp_path / "m.lf"
    )
    assert without.startswith("Error")


def test_reports_count_the_rules_that_data_and_models_break(table, rules, tmp_path):
    out, page = tmp_path / "model.lf", tmp_path / "report.html"
    options = ("--rules", rules, "--on-violation", "keep", "--out", out)
    run("fit", table, *LABELS, "--model", "br", *options)
    found = run_json("report", out, table, *LABELS, "--out", page)["rules"]
    assert found["rules"] == ["flu implies fever", "exactly 1 of mild, severe given fever"]
    broken = {row["model"]: row["broken"] for row in found["models"]}
    assert broken["true sets"] == 1
    assert broken["BinaryRelevance"] == 0
    assert "BinaryRelevance without its rules" in broken
    assert "Broken rules" in page.read_text()
