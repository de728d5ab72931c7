"""labelfield restore: fills and corrects a text table, and touches nothing else."""

import csv
import json
import os
import re
from datetime import datetime, timedelta

import numpy as np
import pytest

HEADER = ["id", "height", "colour", "count", "note"]


def rows(n=120, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    return [
        [
            f"row-{i}",
            f"{g + 0.2 * rng.normal():.3f}",
            ("red", "green", "blue")[g],
            str(round(10 * g + rng.normal())),
            "",
        ]
        for i, g in enumerate(group)
    ]


def write(path, table, delimiter=","):
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([HEADER, *table])


def read(path, delimiter=","):
    with path.open(newline="") as file:
        header, *table = csv.reader(file, delimiter=delimiter)
    assert header == HEADER
    return table


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    clean = rows()
    write(tmp_path / "clean.csv", clean)
    dirty = [list(row) for row in rows(30, seed=1)]
    truth = [list(row) for row in dirty]
    dirty[0][1], dirty[1][2], dirty[2][3] = "", "?", "NA"
    red = next(i for i, row in enumerate(truth) if row[2] == "red" and i > 2)
    dirty[red][2] = "blue"
    write(tmp_path / "dirty.csv", dirty)
    return tmp_path, truth, dirty, red


def test_holes_are_filled_and_nothing_else_is_touched(files, run):
    folder, truth, dirty, _ = files
    before = (folder / "dirty.csv").read_bytes()
    result = run("restore", "dirty.csv", "--train", "clean.csv", "--out", "out.csv")
    assert (folder / "dirty.csv").read_bytes() == before
    after = read(folder / "out.csv")
    assert after[1][2] == truth[1][2]
    assert abs(float(after[0][1]) - float(truth[0][1])) < 0.8
    assert abs(int(after[2][3]) - int(truth[2][3])) < 5
    kept = [(i, j) for i in range(30) for j in range(5) if (i, j) not in {(0, 1), (1, 2), (2, 3)}]
    assert all(after[i][j] == dirty[i][j] for i, j in kept)
    assert "Filled 3 and corrected 0 cells of 30 rows" in result.stdout
    assert "ignore" in result.stdout


def test_wrong_cells_are_corrected_the_most_surprising_first(files, run_json):
    _, truth, _, red = files
    result = run_json(
        "restore", "dirty.csv", "--train", "clean.csv", "--out", "out.csv", "--flips", "0.1"
    )
    first = result["corrections"][0]
    assert (first["line"], first["column"]) == (red + 2, "colour")
    assert (first["before"], first["after"]) == ("blue", "red")
    assert result["corrected"] == sum(one["corrected"] for one in result["columns"]) >= 1
    kinds = {one["column"]: one["kind"] for one in result["columns"]}
    assert kinds == {
        "id": "ignore", "height": "numeric", "colour": "categorical", "count": "numeric",
        "note": "ignore",
    }  # fmt: skip


def test_the_report_shows_corrections(files, run):
    result = run(
        "restore", "dirty.csv", "--train", "clean.csv", "--out", "out.csv", "--flips", "estimate"
    )
    assert "Most surprising corrections" in result.stdout


def test_a_table_can_teach_itself(files, run_json):
    assert run_json("restore", "dirty.csv", "--out", "out.csv")["filled"] == 3


def test_a_schema_overrides_what_cells_look_like(files, run_json):
    folder, *_ = files
    (folder / "schema.json").write_text(json.dumps({"count": "categorical", "height": "ignore"}))
    result = run_json("restore", "clean.csv", "--schema", "schema.json", "--out", "out.csv")
    kinds = {one["column"]: one["kind"] for one in result["columns"]}
    assert (kinds["count"], kinds["height"]) == ("categorical", "ignore")


def test_tabs(files, run_json):
    folder, _, dirty, _ = files
    write(folder / "dirty.tsv", dirty, "\t")
    run_json("restore", "dirty.tsv", "--train", "clean.csv", "--out", "out.tsv")
    assert read(folder / "out.tsv", "\t")[1][2] in ("red", "green", "blue")


def test_the_input_is_never_overwritten(files, complaint):
    assert "is the input" in complaint("restore", "dirty.csv", "--out", "dirty.csv", "--force")
    train = ("--train", "clean.csv")
    told = complaint("restore", "dirty.csv", *train, "--out", "clean.csv", "--force")
    assert "is the input" in told


@pytest.mark.parametrize(
    ("notation", "shown"),
    [
        ("%Y-%m-%d", r"\d{4}-\d\d-\d\d"),
        ("%Y-%m-%dT%H:%M:%S", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"),
        ("%Y-%m-%d %H:%M", r"\d{4}-\d\d-\d\d \d\d:\d\d"),
        ("%Y-%m-%d %H:%M:%S+00:00", r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00:00"),
        ("%d.%m.%Y", r"\d\d\.\d\d\.\d{4}"),
        ("%m/%d/%Y %I:%M %p", r"\d\d/\d\d/\d{4} \d\d:\d\d [AP]M"),
    ],
)
def test_dates_are_numbers_and_are_written_as_they_were(files, run_json, notation, shown):
    """The group of a row tells its date to a few days."""
    folder, *_ = files
    table = rows(120)
    start = {"red": 0, "green": 400, "blue": 800}
    moments = [datetime(2021, 3, 1) + timedelta(start[r[2]], 3600 * i) for i, r in enumerate(table)]
    for row, moment in zip(table, moments):
        row[4] = moment.strftime(notation)
    table[5][4] = ""
    write(folder / "dates.csv", table)
    result = run_json("restore", "dates.csv", "--out", "out.csv")
    assert result["columns"][4] == {
        "column": "note", "kind": "date", "filled": 1, "corrected": 0,
    }  # fmt: skip
    after = read(folder / "out.csv")
    assert [row[4] for row in after[:5]] == [row[4] for row in table[:5]]
    assert re.fullmatch(shown, after[5][4])
    filled = datetime.strptime(after[5][4], notation)
    assert abs(filled - moments[5]) < timedelta(days=60)


def test_dates_written_in_two_ways_are_refused(files, complaint):
    folder, *_ = files
    table = rows(60)
    for i, row in enumerate(table):
        row[4] = f"2024-01-{1 + i % 28:02d}"
    write(folder / "iso.csv", table)
    table[3][4] = "05.01.2024"
    write(folder / "mixed.csv", table)
    said = complaint("restore", "mixed.csv", "--train", "iso.csv", "--out", "out.csv")
    assert "mixed.csv, line 5: '05.01.2024' in the column 'note'" in said
    (folder / "schema.json").write_text('{"note": "date"}')
    said = complaint("restore", "mixed.csv", "--schema", "schema.json", "--out", "out.csv")
    assert "column 'note' are no dates written in one way" in said


@pytest.mark.parametrize("option", ["table", "--train", "--schema"])
def test_pipes_are_refused(files, complaint, option):
    folder, *_ = files
    os.mkfifo(folder / "pipe.csv")
    words = ["pipe.csv"] if option == "table" else ["clean.csv", option, "pipe.csv"]
    assert "a pipe or device" in complaint("restore", *words, "--out", "out.csv")


def test_a_cell_beyond_the_limit_of_csv(files, complaint):
    folder, *_ = files
    (folder / "long.csv").write_text(f"a,b\n1,{'x' * 200_000}\n")
    assert "long.csv is not a readable table" in complaint(
        "restore", "long.csv", "--out", "out.csv"
    )


@pytest.mark.parametrize(
    ("cell", "words", "message"),
    [
        ("tall", (), "line 5: column 'height' holds numbers, but here 'tall'"),
        ("1", ("--noise", "much"), "--noise must be a number or 'estimate'"),
        ("1", ("--noise", "-1"), "The 'noise_scale' parameter of RandomMixedField must be"),
        ("1", ("--schema", "none.json"), "--schema none.json"),
        ("1", ("--train", "none.csv"), "There is no file 'none.csv'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(files, complaint, cell, words, message):
    folder, *_ = files
    table = rows(40)
    table[3][1] = cell
    write(folder / "broken.csv", table)
    assert message in complaint("restore", "broken.csv", "--out", "out.csv", *words)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", "needs a header line and at least one row"),
        ("a,a\n1,2\n", "two columns have the same name"),
        ("a,b\n1,2,3\n", "line 2: 3 values where the header has 2"),
        ("a\n\n?\n", "no column to learn from"),
    ],
)
def test_files_that_are_no_tables(files, complaint, text, message):
    folder, *_ = files
    (folder / "odd.csv").write_text(text)
    assert message in complaint("restore", "odd.csv", "--out", "out.csv")


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("[1]", "one JSON object"),
        ("[" * 100_000, "--schema schema.json"),
        ('{"height": "number"}', "kinds are"),
        ('{"x": "ignore"}', "no column"),
    ],
)
def test_schemas_that_are_wrong(files, complaint, schema, message):
    folder, *_ = files
    (folder / "schema.json").write_text(schema)
    assert message in complaint(
        "restore", "clean.csv", "--schema", "schema.json", "--out", "out.csv"
    )
