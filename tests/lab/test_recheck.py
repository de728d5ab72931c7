"""recheck: stored cells computed once more."""

import json
from dataclasses import replace
from functools import wraps

import numpy as np
import pytest
from lab.published import TABLES
from lab.recheck import compare
from lab.tasks import TASKS

from lab import FreshDraws, Generated, Store, cells_of


@pytest.fixture
def stored(table, folder, run, monkeypatch):
    """A small table, and no published one, with all of its cells stored."""
    for id in list(TABLES):
        monkeypatch.delitem(TABLES, id)
    monkeypatch.setitem(TABLES, table.id, table)
    run("reproduce", table.id, "--results", "kept")
    return table


def test_a_second_run_agrees(stored, run, run_json):
    rows = run_json("recheck", "--results", "kept", "--cells", "4")["cells"]
    assert len({row["cell"] for row in rows}) == 4
    assert [row["largest"] for row in rows] == pytest.approx([0.0] * 4, abs=1e-5)
    assert {row["figures"] for row in rows} <= {2, 4}  # measures of the table, of every decision
    assert all(row["agrees"] for row in rows)
    assert not any(row["other choice"] or row["other code"] for row in rows)
    assert [row["deviations"] for row in rows] == pytest.approx([0.0] * 4, abs=1e-5)
    assert "yes" in run("recheck", "--results", "kept").stdout


def test_a_printed_digit_that_differs_is_told(stored, run, monkeypatch):
    classify = TASKS["classify"]

    @wraps(classify)
    def other(cell, part):
        answer = classify(cell, part)
        for figures in answer["figures"].values():
            figures["hamming_loss"] += 6e-4  # three digits are printed
        return answer

    monkeypatch.setitem(TASKS, "classify", other)
    words = ("recheck", "--results", "kept", "--cells", "2")
    assert "0 of 2 cells agree" in run(*words, code=1).stderr
    (row, _) = json.loads(run(*words, "--json", code=1).stdout)["cells"]
    assert row["largest"] == pytest.approx(0.6)
    (cell,) = [cell for cell in cells_of(stored) if cell.key == row["cell"]]
    losses = [
        Store("kept").read(replace(cell, repetition=k).key)["figures"]["own"]["hamming_loss"]
        for k in range(cell.protocol.repetitions)
    ]
    assert row["deviations"] == pytest.approx(6e-4 / np.std(losses, ddof=1))


def test_nothing_stored(stored, complaint):
    assert "no stored cell" in complaint("recheck", "--results", "empty")


def test_cells_that_took_long_are_left_out(stored, complaint):
    store = Store("kept")
    for cell in cells_of(stored):
        store.write(cell.key, {**store.read(cell.key), "seconds": 100.0})
    assert "no stored cell" in complaint("recheck", "--results", "kept")


def test_every_data_set_has_its_turn(table, folder, run, run_json, monkeypatch):
    for id in list(TABLES):
        monkeypatch.delitem(TABLES, id)
    other = replace(table.columns[0], title="other", source=Generated("make_star_cliques"))
    short = FreshDraws(n_train=30, n_test=20, n_repetitions=2)
    columns = (table.columns[0], replace(other, protocol=short))
    two = replace(table, columns=columns, methods=table.methods[:1], published={}, reference="")
    monkeypatch.setitem(TABLES, table.id, two)
    run("reproduce", table.id, "--results", "kept")
    for seed in range(3):
        words = ("recheck", "--results", "kept", "--cells", "2", "--seed", seed)
        rows = run_json(*words)["cells"]
        assert {row["cell"].partition("/")[0] for row in rows} == {"multilabel", "star_cliques"}


def test_differences_are_counted_in_printed_steps():
    stored = {"a": {"f1": 0.5, "other": 1.0}, "b": {"f1": 0.25}}
    again = {"a": {"f1": 0.51, "other": 9.0}, "b": {"f1": 0.25}}
    assert compare(stored, again, {"f1": 0.01}) == pytest.approx([1.0, 0.0])
