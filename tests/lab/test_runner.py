"""Running tables: resuming, failing, parallel runs, the same figures as by hand."""

import json
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from lab.building import build_row
from lab.pages.markdown import render_table
from lab.pages.progress import tally
from lab.runner import compute
from lab.tasks import TASKS
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info, threadpool_limits

from lab import (
    Method,
    Model,
    Search,
    StandardSplit,
    Store,
    cells_of,
    get_table,
    run_table,
    summarize,
)
from lab import runner as runner_module
from labelfield import BinaryRelevance
from labelfield.metrics import METRICS


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


def test_a_cell_has_one_thread(table, monkeypatch):
    monkeypatch.setitem(TASKS, "classify", lambda cell, part: {"threads": threads()})
    with threadpool_limits(limits=2):
        before = threads()
        assert compute(cells_of(table)[0])["threads"] == [1] * len(before)
        assert threads() == before


def threads():
    return [pool["num_threads"] for pool in threadpool_info()]


def test_figures_equal_those_by_hand(table, store, counted):
    assert run_table(table, store) == counted(computed=6)
    data = table.columns[0].source.load()
    folds = KFold(3, shuffle=True, random_state=0).split(data.X)
    cells = [cell for cell in cells_of(table) if cell.model.id == "br"]
    for cell, (train, test) in zip(cells, folds, strict=True):
        scaler = StandardScaler().fit(data.X[train])
        model = BinaryRelevance(alpha=1.0).fit(scaler.transform(data.X[train]), data.Y[train])
        record = store.read(cell.key)
        for decoder in ("hamming", "subset"):
            sets = model.predict(scaler.transform(data.X[test]), decoder=decoder)
            for metric in ("hamming_loss", "subset_accuracy", "f1_micro"):
                by_hand = METRICS[metric](data.Y[test], sets)
                assert record["figures"][decoder][metric] == pytest.approx(by_hand)
        assert record["fit_seconds"] > 0


def test_rows_that_differ_in_the_decision_share_a_fit(table):
    keys = {cell.key for cell in cells_of(table, methods=["BR"])}
    assert keys == {cell.key for cell in cells_of(table, methods=["BR for sets"])}
    assert len(keys) == 3


def test_a_fixed_split_is_repeated_only_where_the_seed_changes_something(table):
    def repetitions(id, **parameters):
        row = Method("row", Model(id, parameters))
        once = replace(
            table, protocol=StandardSplit(), methods=(row,), reference="row", published={}
        )
        return len(cells_of(once))

    assert repetitions("cbm") == StandardSplit().repetitions > 1
    assert repetitions("cbm", random_state=0) == 1
    assert repetitions("br") == 1


def test_a_cell_out_of_time_is_stopped_said_and_tried_again_with_more_time(
    table, store, monkeypatch, counted
):
    tried = []

    def slow_power_sets(cell):
        if cell.model.id == "lp":
            tried.append(cell.repetition)
            while True:
                try:
                    sum(range(1000))
                except Exception:  # what catches all errors does not catch the limit
                    continue
        return compute(cell)

    monkeypatch.setattr(runner_module, "compute", slow_power_sets)
    counts = run_table(table, store, limit=1.0)
    assert counts == counted(computed=3, stopped=3)
    assert tried == [0]  # the other repetitions would not do better
    assert "3 stopped by a time limit" in str(tally(table, store))
    assert "- LP: stopped after 1 CPU seconds" in render_table(summarize(table, store))
    assert run_table(table, store, limit=1.0)["kept"] == 6
    monkeypatch.setattr(runner_module, "compute", compute)
    assert run_table(table, store, limit=100.0)["computed"] == 3
    assert str(tally(table, store)).startswith("done 6 of 6")


def test_a_stale_cell_that_fails_now_keeps_its_figures(table, store, monkeypatch):
    run_table(table, store)
    before = {key: store.read(key) for key in store}
    monkeypatch.setattr(runner_module, "code_of", lambda cell: "changed")

    def fail(cell):
        raise ValueError("not today")

    monkeypatch.setattr(runner_module, "compute", fail)
    assert run_table(table, store, refresh=True)["failed"] == 6
    assert {key: store.read(key) for key in store} == before


def test_interrupted_run_resumes_without_computing_again(table, store, monkeypatch, counted):
    computed = []

    def compute_until_the_third(cell):
        if len(computed) == 2:
            raise KeyboardInterrupt
        computed.append(cell.key)
        return compute(cell)

    monkeypatch.setattr(runner_module, "compute", compute_until_the_third)
    with pytest.raises(KeyboardInterrupt):
        run_table(table, store)
    assert sorted(store) == sorted(computed)

    def compute_the_rest(cell):
        assert cell.key not in computed
        return compute(cell)

    monkeypatch.setattr(runner_module, "compute", compute_the_rest)
    assert run_table(table, store) == counted(kept=2, computed=4)
    assert run_table(table, store) == counted(kept=6)


def test_failing_cell_is_recorded_and_does_not_stop_the_others(table, store, counted):
    bad = Method("bad", Model("br", {"alpha": -1.0}))
    broken = replace(table, methods=(bad, *table.methods))
    assert run_table(broken, store) == counted(computed=6, failed=3)
    errors = [record for key in store if "error" in (record := store.read(key))]
    assert len(errors) == 3
    assert "alpha" in errors[0]["error"]
    assert "runner.py:" in errors[0]["traceback"]
    assert not re.search(r"(^|[\s\"])/", errors[0]["traceback"])  # no folder of this machine
    assert run_table(broken, store) == counted(kept=6, failed=3)


def test_parallel_run_stores_the_same_figures(table, store, tmp_path):
    other = Store(tmp_path / "parallel")
    calls = []
    run_table(table, store, methods=["LP"])
    with parallel_config(backend="threading"):
        run_table(table, other, methods=["LP"], n_jobs=2, progress=lambda *call: calls.append(call))
    assert list(other) == list(store)
    for key in store:
        assert other.read(key)["figures"] == store.read(key)["figures"]
    assert [call[:2] for call in calls] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert calls[-1][2] == 0.0


@pytest.mark.slow
def test_several_processes_store_the_same_figures(table, store, tmp_path):
    other = Store(tmp_path / "processes")
    run_table(table, store)
    run_table(table, other, n_jobs=2)
    assert {key: other.read(key)["figures"] for key in other} == {
        key: store.read(key)["figures"] for key in store
    }


@pytest.mark.parametrize(
    "id", ["qli2017-2.2", "qli2017-3.6", "qli2017-fig3.1", "cli2019-4.3", "xli2015-1"]
)
def test_cells_can_be_handed_to_another_process(id, store):
    for cell in cells_of(get_table(id)):
        copy, where = pickle.loads(pickle.dumps((cell, store)))
        assert copy == cell
        assert copy.key == cell.key
        assert where.folder == store.folder


def test_warnings_are_kept_with_the_figures(table, store):
    slow = Method("slow", Model("br", {"max_iter": 1, "alpha": 1e-6}))
    run_table(replace(table, methods=(slow,), published={}, reference=""), store)
    record = store.read(next(iter(store)))
    assert "error" not in record
    assert any("ConvergenceWarning" in said for said in record["warnings"])


def test_search_is_made_inside_the_training_part(table, store):
    searched = Method(
        "searched",
        Model("br"),
        decoder="subset",
        scale="unit",
        search=Search(
            {"alpha": (1e-3, 1e3), "scale": ("standard", "unit")}, "subset_accuracy", folds=2
        ),
    )
    run_table(replace(table, methods=(searched,), published={}, reference=""), store)
    records = [store.read(key) for key in store]
    assert len(records) == 3
    for record in records:
        assert set(record["chosen"]) == {"alpha", "scale"}
        assert set(record["figures"]) == {"subset"}


def test_search_on_a_held_out_fifth():
    found = build_row(Model("br"), search=Search({"alpha": (1e-3, 1e3)}, "hamming_loss", 1), seed=3)
    X, Y = np.arange(40.0).reshape(20, 2), (np.arange(40).reshape(20, 2) % 3 == 0).astype(int)
    found.fit(X, Y)
    (train, test), *more = found.cv.split(X)
    assert not more
    assert (len(train), len(test)) == (16, 4)
    assert found.best_params_["model__alpha"] in (1e-3, 1e3)


def test_repetitions_of_a_fixed_split_only_for_random_models(table):
    fixed = replace(
        table,
        protocol=StandardSplit(n_repetitions=3),
        methods=(Method("BR", Model("br")), Method("RAkEL", Model("rakel"))),
        published={},
        reference="",
    )
    assert len(cells_of(fixed, methods=["BR"])) == 1
    assert len(cells_of(fixed, methods=["RAkEL"])) == 3


def test_seed_of_a_cell_is_its_repetition(table):
    cell = cells_of(
        replace(table, methods=(Method("R", Model("rakel")),), published={}, reference="")
    )
    first, again, other = (compute(one)["figures"] for one in (cell[1], cell[1], cell[2]))
    assert first == again
    assert first != other


def test_key_depends_on_what_is_computed_and_on_nothing_else(table):
    (cell, *_) = cells_of(table, methods=["LP"])
    renamed = replace(table, id="999-2", title="another")
    assert cells_of(renamed, methods=["LP"])[0].key == cell.key
    longer = replace(cell, model=Model("lp", {"alpha": 2.0}))
    assert longer.key != cell.key
    assert replace(cell, scale="unit").key != cell.key
    assert json.loads(json.dumps(cell.describe())) == cell.describe()


def test_unknown_titles_are_refused(table, store):
    with pytest.raises(ValueError, match="No row of table 999-1 is called 'XX'"):
        run_table(table, store, methods=["XX"])
    with pytest.raises(ValueError, match="No column of table 999-1 is called 'YY'"):
        run_table(table, store, columns=["YY"])


def test_rows_without_model_data_or_registry_entry_have_no_cells(table):
    assert {cell.model.id for cell in cells_of(table)} == {"br", "lp"}
    assert cells_of(table, columns=["secret"]) == []
    assert np.isin([cell.repetition for cell in cells_of(table)], [0, 1, 2]).all()


@pytest.mark.parametrize("limit", [60.0, None])
def test_a_cell_out_of_memory_is_told_from_one_that_fails(limit, table, store, monkeypatch):
    monkeypatch.setattr("lab.limits.MEMORY_SHARE", 0.001)  # less than this process has already

    def large(cell):
        return {"figures": np.ones((2**14, 2**14)).sum()}

    monkeypatch.setattr(runner_module, "compute", large)
    assert run_table(table, store, methods=["LP"], limit=limit)["stopped"] == 3
    told = "it needs more than 0 GiB of memory"
    assert [store.read(key)["unfinished"] for key in store] == [told] * 3
    assert np.ones((2**12, 2**12)).sum() == 2**24  # the limit is gone
