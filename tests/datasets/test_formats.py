"""The table of formats: every ending finds its reader, and a new format needs one entry."""

import json

import numpy as np
import pytest

from command_lines import json_runner_of, runner_of
from labelfield.cli import app
from labelfield.datasets import Dataset, arff, formats, read_dataset, svmlight, table
from labelfield.datasets._format import Format
from labelfield.io._inputs import open_input
from toy_files import FEATURES, LABELS, toy, write_all


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("scene.arff", arff.FORMAT),
        ("SCENE.ARFF.GZ", arff.FORMAT),
        ("my.data.csv", table.CSV_FORMAT),
        ("a.tsv.bz2", table.CSV_FORMAT),
        ("a.csv.zip", table.CSV_FORMAT),
        ("a.jsonl.gz", table.JSON_FORMAT),
        ("a.parquet", table.PARQUET_FORMAT),
        ("a.pq", table.PARQUET_FORMAT),
        ("train.txt.xz", svmlight.FORMAT),
        ("scene", None),
        ("a.gz", None),
        ("a.csv.old", None),
        (".csv", None),
    ],
)
def test_the_ending_finds_the_format(name, form):
    assert formats.find_format(f"folder.arff/{name}") is form


def test_no_two_formats_share_an_ending():
    endings = [ending for form in formats.FORMATS for ending in form.endings]
    assert len(set(endings)) == len(endings)


def test_every_file_gives_the_same_data(tmp_path):
    X, Y = toy(20, seed=0)
    write_all(tmp_path, "toy", X, Y)
    for name, arguments in {
        "toy.arff": {},
        "toy.csv": {"labels": LABELS, "as_frame": False},
        "toy-tags.csv": {"tags": "tags", "tag_separator": ";", "as_frame": False},
        "toy.svm": {"n_labels": 3},
    }.items():
        data = read_dataset(tmp_path / name, **arguments)
        dense = data.X if isinstance(data.X, np.ndarray) else data.X.toarray()
        order = [
            LABELS.index(label) if label in LABELS else int(label) for label in data.label_names
        ]
        np.testing.assert_array_equal(dense, X)
        np.testing.assert_array_equal(data.Y, Y[:, order])


def test_wrong_endings_and_arguments_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"toy\.doc: no format has this ending; known are \.arff"):
        read_dataset("toy.doc")
    with pytest.raises(ValueError, match="svmlight files have no argument 'tags'"):
        read_dataset("toy.svm", tags="x")


def read_json(path):
    """The whole module of a new format, but for its entry."""
    with open_input(path) as file:
        rows = [json.loads(line) for line in file]
    names = sorted({label for row in rows for label in row["labels"]})
    Y = np.array([[label in row["labels"] for label in names] for row in rows], dtype=np.uint8)
    return Dataset(np.array([row["x"] for row in rows]), Y, FEATURES, tuple(names))


def test_a_new_format_is_one_reader_and_one_entry(tmp_path, monkeypatch):
    entry = Format("rows of JSON", (".rows",), read_json, rows_list_labels=True)
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, entry))
    monkeypatch.chdir(tmp_path)
    X, Y = toy(80, seed=0)
    rows = [
        json.dumps({"x": x, "labels": [n for n, on in zip(LABELS, y) if on]})
        for x, y in zip(X.tolist(), Y)
    ]
    (tmp_path / "toy.rows").write_text("\n".join(rows))
    write_all(tmp_path, "toy", X, Y)
    run = runner_of(app)
    run("fit", "toy.rows", "--out", "m.lf")
    run("predict", "m.lf", "toy.rows", "--out", "a.csv")
    run("predict", "m.lf", "toy.csv", "--out", "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    evaluate = json_runner_of(run)
    from_json = evaluate("evaluate", "m.lf", "toy.rows")["metrics"]
    assert from_json == evaluate("evaluate", "m.lf", "toy.arff")["metrics"]
    complaint = run("fit", "toy.rows", "--labels", 3, "--out", "n.lf", code=1).stderr
    assert "--labels does not apply to rows of JSON" in complaint
