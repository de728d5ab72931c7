"""Scores from elsewhere on the command line."""

import csv
import json

import numpy as np
import pytest

from command_lines import complaint_of, json_runner_of, runner_of
from labelfield import CalibratedSetClassifier, load
from labelfield.cli.app import app

run = runner_of(app)
run_json = json_runner_of(run)
complaint = complaint_of(run)
NAMES = ["sand", "sea", "snow"]


def write_lines(path, records):
    path.write_text("\n".join(json.dumps(record) for record in records))
    return path


@pytest.fixture
def made():
    rng = np.random.default_rng(0)
    Y = rng.random((120, 3)) < [0.3, 0.6, 0.2]
    P = np.clip(0.2 + 0.6 * Y + rng.normal(0, 0.15, Y.shape), 0.01, 0.99).round(3)
    return Y.astype(int), P


@pytest.fixture
def files(made, tmp_path):
    Y, P = made
    scores = [{"id": i, "scores": dict(zip(NAMES, p.tolist())), "note": f"row {i}"}
              for i, p in enumerate(P)]  # fmt: skip
    del scores[3]["scores"]["snow"]
    gold = [{"id": i, "labels": [n for n, on in zip(NAMES, Y[i]) if on]} for i in range(90)]
    return (
        write_lines(tmp_path / "scores.jsonl", scores),
        write_lines(tmp_path / "gold.jsonl", gold[::-1]),
        tmp_path / "desk.lf",
    )


def test_calibrated_scores_predict_further_scores(files, made, tmp_path):
    scores, gold, out = files
    told = run_json("calibrate", scores, gold, "--out", out, "--model", "own", "--accuracy", 0.6)
    assert (told["rows"], told["labels"], told["taggers"]) == (90, 3, ["scores"])
    assert "Approximate" in told["promise"]
    model = load(out)
    assert isinstance(model, CalibratedSetClassifier)
    table = tmp_path / "predictions.csv"
    result = run_json("predict", out, scores, "--out", table, "--accuracy", 0.6)
    assert result["promise"] == told["promise"]
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["id"] for row in rows] == [str(i) for i in range(120)]
    assert rows[5]["note"] == "row 5"
    sets = model.predict(made[1])
    assert rows[7]["labels"] == "|".join(n for n, on in zip(NAMES, sets[7]) if on)
    assert (sets[90:] == made[0][90:]).all(axis=1).mean() > 0.7


@pytest.mark.slow
def test_several_taggers_are_stacked(made, tmp_path):
    Y, P = made
    scores = [
        {"net": p.tolist(), "llm": [[n for n, on in zip(NAMES, y) if on], []]} for p, y in zip(P, Y)
    ]
    scores = write_lines(tmp_path / "scores.jsonl", scores)
    gold = write_lines(tmp_path / "gold.jsonl", [dict(zip(NAMES, y.tolist())) for y in Y])
    out = tmp_path / "desk.lf"
    options = ("--out", out, "--labels", ",".join(NAMES), "--accuracy", 0.5)
    told = run("calibrate", scores, gold, *options).stdout
    assert "Calibrated net, llm (stack) on 120 gold rows and 3 labels" in told
    assert "Promised: right sets 0.500" in told
    assert "takes one tagger" in complaint(
        "calibrate", scores, gold, *options, "--force", "--model", "own"
    )


def test_tables_with_a_column_per_label(made, tmp_path):
    Y, P = made
    for name, cells in (("scores", P), ("gold", Y)):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([["id", *NAMES], *([i, *row] for i, row in enumerate(cells))])
    out = tmp_path / "desk.lf"
    found = run_json(
        "calibrate", tmp_path / "scores.csv", tmp_path / "gold.csv", "-o", out, "--model", "own"
    )
    assert found["rows"] == 120
    np.testing.assert_array_equal(load(out).label_names_, NAMES)


@pytest.mark.parametrize(
    ("scores", "gold", "message"),
    [
        ([{"id": 1, "scores": {"a": 0.1}}] * 2, [["a"]], "the id '1' stands in two rows"),
        ([{"id": 1, "scores": {"a": 0.1}}, {"a": 0.2}], [["a"]], "some rows have an id"),
        ([{"a": 0.1}], [["a"], ["a"]], "2 rows for 1 rows of scores"),
        ([{"id": 1, "scores": {"a": 0.1}}], [{"id": 2, "labels": []}], "the id '2' has no scores"),
        ([{"a": "x"}], [["a"]], "must be a number"),
    ],
)
def test_bad_files_are_named(tmp_path, scores, gold, message):
    files = [
        write_lines(tmp_path / f"{name}.jsonl", records)
        for name, records in (("scores", scores), ("gold", gold))
    ]
    assert message in complaint("calibrate", *files, "--out", tmp_path / "desk.lf")


def test_broken_lines_are_named(files, tmp_path):
    scores, gold, out = files
    gold.write_text('{"id": 1}\n{"id": ')
    assert "line 2: no JSON" in complaint("calibrate", scores, gold, "--out", out)
    assert "--model must be one of" in complaint(
        "calibrate", scores, gold, "--out", out, "--model", "svm"
    )
