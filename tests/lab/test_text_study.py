"""The study of text: what it reads, writes and compares with."""

import csv
import gzip
import json
import os

import numpy as np
import pytest
from lab.studies import text


def pack(path, lines):
    path.parent.mkdir(exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def test_parts_of_goemotions(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELFIELD_DATA", str(tmp_path))
    pack(tmp_path / "goemotions" / "train.tsv.gz", ['say "hi"\t0,2\tid1', "no\t1\tid2"])
    pack(tmp_path / "goemotions" / "test.tsv.gz", ["so\t1\tid3"])
    (tmp_path / "goemotions" / "labels.txt").write_text("joy\nfear\nlove\n")
    assert text.goemotions() == {
        "train": [('say "hi"', ["joy", "love"]), ("no", ["fear"])],
        "test": [("so", ["fear"])],
    }


def test_topics_of_reuters_occur_in_both_parts(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELFIELD_DATA", str(tmp_path))
    rows = [("train", ["grain", "tin"]), ("train", ["tin"]), ("test", ["grain"]), ("test", [])]
    documents = [
        {"split": split, "title": "t", "body": "b", "topics": topics} for split, topics in rows
    ]
    pack(tmp_path / "reuters21578" / "reuters21578.jsonl.gz", map(json.dumps, documents))
    assert text.reuters() == {
        "train": [("t\nb", ["grain"])],
        "test": [("t\nb", ["grain"])],
        "test-all": [("t\nb", ["grain"]), ("t\nb", [])],
    }


def test_tables_can_be_read_again(tmp_path):
    rows = [('two\nlines, "quoted"', ["a", "b"]), ("one", [])]
    text.write_table(tmp_path / "t.csv", rows)
    with (tmp_path / "t.csv").open(newline="") as file:
        header, *cells = csv.reader(file)
    assert header == ["number", "text", "tags"]
    assert cells == [["0", rows[0][0], "a;b"], ["1", "one", ""]]


def test_an_answer_is_never_empty():
    margins = np.array([[0.5, -0.1, 0.2], [-0.3, -0.1, -0.2]])
    np.testing.assert_array_equal(text.never_empty(margins), [[1, 0, 1], [0, 1, 0]])


def beach(n):
    rng = np.random.default_rng(0)
    drawn = [rng.choice(["sea", "sun", "snow", "fog"], 2, replace=False).tolist() for _ in range(n)]
    return [(" ".join([*tags, *rng.choice(["a1", "b2", "c3"], 3)]), tags) for tags in drawn]


def test_from_a_csv_file_to_a_service(tmp_path, monkeypatch, capsys):
    rows = beach(90)
    monkeypatch.setattr(text, "goemotions", lambda: {"train": rows[:60], "test": rows[60:]})
    text.study("goemotions", "quick", ["fit", "show", "serve"], tmp_path)
    said = capsys.readouterr().out
    assert "fit (quick): 4 labels" in said
    assert "predictions: number, labels, confidence, decision, alternatives, why" in said
    assert "promise 0.8: " in said
    assert "service: 30 rows" in said
    assert "30 answered as the model does" in said


def test_machines_are_compared_beside_a_threshold(capsys):
    rows = beach(80)
    text.baseline({"train": rows[:60], "test": rows[60:]})
    first, second, _ = capsys.readouterr().out.splitlines()
    assert "never empty, test: exact match" in first
    assert float(first.split("micro-F1 ")[1].split(",")[0]) > 0.9
    assert "one threshold" in second


@pytest.mark.data
def test_official_splits():
    if not os.path.isdir(os.path.join(os.environ.get("LABELFIELD_DATA", ""), "goemotions")):
        pytest.skip("GoEmotions is not in LABELFIELD_DATA")
    assert {part: len(rows) for part, rows in text.goemotions().items()} == {
        "train": 43410,
        "test": 5427,
    }
    parts = text.reuters()
    assert [len(rows) for rows in parts.values()] == [7770, 3019, 3299]
    assert len({tag for _, tags in parts["test"] for tag in tags}) == 90


def test_steps_can_be_run_one_by_one(tmp_path, monkeypatch, capsys):
    done = []
    monkeypatch.setattr(text, "goemotions", lambda: {"train": [("a", ["x"])], "test": []})
    for name in ("fit", "decide", "show", "serve"):
        monkeypatch.setattr(text, name, lambda work, *rest, name=name: done.append((name, work)))
    monkeypatch.setattr(text, "baseline", lambda parts: done.append(("machines", None)))
    text.study("goemotions", "quick", ["decide"], tmp_path / "kept")
    assert done == [("decide", tmp_path / "kept")]
    assert (tmp_path / "kept" / "train.csv").is_file()
    text.study("goemotions", "quick")
    assert [name for name, _ in done[1:]] == list(text.STEPS)
    assert not done[1][1].exists()  # nothing of the data is kept
    assert "1 train, 0 test" in capsys.readouterr().out
