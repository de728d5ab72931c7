"""reproduce: the list, one small table, interruption and failure."""

from dataclasses import replace

import pytest
from lab.published import TABLES

import lab
from lab import list_tables, runner

TOY = lab.Table(
    id="999-1",
    title="toy",
    protocol=lab.CrossValidation(3),
    columns=(lab.Column("made", lab.Generated("make_multilabel", {"n_samples": 60})),),
    methods=(
        lab.Method("BR", lab.Model("br", {"alpha": 1.0})),
        lab.Method("LP", lab.Model("lp", {"alpha": 1.0})),
    ),
    metrics=("hamming_loss",),
    published={("made", "BR", "hamming_loss"): lab.Published(0.25, 0.5)},
)


@pytest.fixture
def toy_table(folder, monkeypatch):
    monkeypatch.setitem(TABLES, TOY.id, TOY)
    return folder


@pytest.fixture
def lone_table(toy_table, monkeypatch):
    """The toy table, and no published one."""
    for id in list(TABLES):
        if id != TOY.id:
            monkeypatch.delitem(TABLES, id)
    return toy_table


def test_list_counts_cells_and_gives_reasons_once(toy_table, run, run_json):
    rows = {row["id"]: row for row in run_json("reproduce", "--list", "--results", "kept")}
    assert list(rows) == list(TABLES)
    assert rows["999-1"]["cells"] == "done 0 of 6 cells"
    printed = run("reproduce", "--list", "--results", "kept").stdout
    lines = [line for line in printed.splitlines() if "qli2017-3.7 " in line]
    assert len(lines) == 1
    reason = "the image features (PHOW, CNN) computed by the author are not public"
    assert sum(line.endswith(f": {reason}") for line in printed.splitlines()) == 2  # MITscene too
    assert printed.count("two worked examples") == 1
    run("reproduce", "999-1", "--rows", "LP", "--results", "kept")
    (row,) = [
        row
        for row in run_json("reproduce", "--missing", "--results", "kept")
        if row["id"] == "999-1"
    ]
    assert (row["done"], row["unknown"]) == (3, 3)
    assert "done 3 of 6 cells" in run("reproduce", "--estimate", "--results", "kept").stdout


def test_time_left_is_that_of_like_cells(lone_table, run, run_json):
    run("reproduce", "999-1", "--folds", "2", "--results", "kept")
    (row,) = [
        r for r in run_json("reproduce", "--missing", "--results", "kept") if r["id"] == "999-1"
    ]
    assert (row["done"], row["unknown"]) == (4, 0)
    assert row["seconds_left"] > 0
    run("reproduce", "999-1", "--results", "kept")
    assert not [
        r for r in run_json("reproduce", "--missing", "--results", "kept") if r["id"] == "999-1"
    ]


def test_cells_of_other_code_are_stale_until_refreshed(toy_table, run_json, monkeypatch):
    run_json("reproduce", "999-1", "--results", "kept")
    monkeypatch.setattr(runner, "code_of", lambda cell: "changed")
    found = run_json("reproduce", "999-1", "--results", "kept")
    assert found["run"]["kept"] == 6
    assert found["status"] == "done 6 of 6 cells (6 stale)"
    assert run_json("reproduce", "999-1", "--refresh", "--results", "kept")["run"]["computed"] == 6


def test_all_runs_what_is_missing_in_any_table(lone_table, run_json, counted):
    counts = run_json("reproduce", "all", "--folds", "1", "--results", "kept")["run"]
    assert counts == counted(computed=2)


def test_tables_named_together(lone_table, run, run_json, monkeypatch):
    other = replace(TOY, id="999-2", title="another toy", methods=TOY.methods[:1])
    monkeypatch.setitem(TABLES, other.id, other)
    both = run_json("reproduce", "999-1", "999-2", "--results", "kept", "--folds", "1")
    assert [table["id"] for table in both["tables"]] == ["999-1", "999-2"]
    assert both["run"]["computed"] == 2  # they share a row
    printed = run("reproduce", "999-1", "999-2", "--results", "kept", "--folds", "1").stdout
    assert "999-1 toy" in printed
    assert "999-2 another toy" in printed


def test_ours_beside_the_print(toy_table, run, run_json, counted):
    printed = run("reproduce", "999-1", "--results", "results").stdout
    assert "≈ (0.250 ± 0.500)" in printed
    again = run_json("reproduce", "999-1", "--results", "results")
    assert again["run"] == counted(kept=6)
    br = again["columns"][0]["rows"][0]
    assert br["figures"]["hamming_loss"]["mark"] == "within"
    assert br["cells"] == [3, 3]
    assert [path.name for path in (toy_table / "results").iterdir()] == ["multilabel.jsonl"]


def test_cells_that_no_table_has_any_more_are_dropped_when_asked(
    lone_table, run, run_json, monkeypatch
):
    run("reproduce", "999-1", "--results", "kept")
    monkeypatch.setitem(TABLES, TOY.id, replace(TOY, methods=TOY.methods[:1], published={}))
    assert len(list(lab.Store("kept"))) == 6
    assert "3 cells dropped" in run("reproduce", "--forget", "--results", "kept").stderr
    assert len(list(lab.Store("kept"))) == 3
    assert run_json("reproduce", "999-1", "--results", "kept")["run"]["kept"] == 3


def test_one_row_and_pages(lone_table, run_json):
    found = run_json("reproduce", "999-1", "--rows", "LP", "--results", "kept", "--pages", "pages")
    assert found["run"]["computed"] == 3
    assert (lone_table / "pages" / "999-1.md").exists()


def test_interrupted_run_goes_on_where_it_stopped(toy_table, run_json, complaint, monkeypatch):
    compute, calls = runner.compute, []

    def impatient(cell):
        calls.append(cell)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return compute(cell)

    monkeypatch.setattr(runner, "compute", impatient)
    assert "kept" in complaint("reproduce", "999-1", "--results", "results", code=130)
    counts = run_json("reproduce", "999-1", "--results", "results")["run"]
    assert (counts["kept"], counts["computed"]) == (2, 4)


def test_failed_cells_are_told(toy_table, run, monkeypatch):
    def broken(cell):
        raise ValueError("no luck")

    monkeypatch.setattr(runner, "compute", broken)
    result = run("reproduce", "999-1", "--results", "results", code=1)
    assert "no luck" in result.stderr
    assert "6 failed" in result.stderr


def test_unknown_and_impossible_tables(folder, run, complaint):
    assert "No table is called 'qli2017-99'" in complaint("reproduce", "qli2017-99")
    never = next(row["id"] for row in list_tables() if row["kind"] == "impossible")
    assert "cannot be run: impossible" in complaint("reproduce", never)
    run("reproduce", code=2)


def test_comparison_ends_with_the_ranks(folder, run, monkeypatch):
    source = lab.Generated("make_multilabel", {"n_samples": 80, "n_labels": 2})
    columns = (*TOY.columns, lab.Column("again", source))
    comparison = replace(TOY, id="own-1", columns=columns, published={})
    monkeypatch.setitem(TABLES, comparison.id, comparison)
    printed = run("reproduce", "own-1", "--results", "results").stdout
    lines = [line for line in printed.splitlines() if "again" in line or "average rank" in line]
    assert "average rank" in lines[-1]
    assert "cells" not in printed
