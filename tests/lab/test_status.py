"""What can be computed now."""

from dataclasses import replace

import pytest
from lab.building import build, is_known
from lab.headings import HEADINGS
from lab.published import TABLES
from lab.scaling import SCALES
from lab.tasks import TASKS

from lab import (
    Generated,
    Method,
    Model,
    Store,
    Stored,
    cells_of,
    get_table,
    list_tables,
    run_table,
    status,
)
from labelfield import registry
from labelfield.metrics import METRICS

KINDS = {"available", "partial", "waiting", "impossible", "out of scope"}


def test_every_table_is_listed_with_a_status():
    rows = list_tables()
    assert [row["id"] for row in rows] == list(TABLES)
    assert {row["kind"] for row in rows} <= KINDS
    for row in rows:
        assert row["kind"] == "available" or len(row["status"]) > len(row["kind"])


@pytest.mark.parametrize("id", TABLES)
def test_no_table_claims_more_than_the_registry_holds(id):
    table = TABLES[id]
    found = status(table)
    unknown = {one for one in table.needs if not is_known(one)}
    if found.kind in ("impossible", "out of scope"):
        assert not cells_of(table)
        return
    assert unknown <= set(found.waiting_for)
    ready = [cell for cell in cells_of(table) if not cell.source.missing()]
    if found.kind == "available":
        assert not found.waiting_for
        assert all(column.source is not None for column in table.columns)
    if found.runnable:
        assert table.task in TASKS
        assert ready
    else:
        assert not ready or table.task not in TASKS


@pytest.mark.parametrize("id", TABLES)
def test_names_in_a_description_exist(id):
    table = TABLES[id]
    assert set(table.metrics) <= set(HEADINGS)
    titles = [column.title for column in table.columns]
    assert len(set(titles)) == len(titles)
    titles = {column.title for column in table.columns}
    rows = [method.title for method in table.methods]
    assert len(set(rows)) == len(rows)
    for column in table.columns:
        assert column.note or (column.source is not None and column.comparable)
        if column.source is not None:
            table.protocol_of(column)
    for method in table.methods:
        assert method.scale is None or method.scale in SCALES
        assert method.search is None or method.search.metric in METRICS


@pytest.mark.parametrize("id", [id for id in TABLES if TABLES[id].methods])
def test_methods_that_exist_take_the_parameters_described(id):
    table = TABLES[id]
    for method in table.methods:
        if method.model is None or not all(map(is_known, method.model.ids())):
            continue
        for column in table.columns:
            estimator = build(method.model_for(column), seed=0)
            searched = set(method.search.grid) - {"scale"} if method.search else set()
            assert searched <= set(estimator.get_params())


def test_status_of_a_table(table):
    assert status(table).kind == "partial"
    assert status(table).waiting_for == ("no-such-id",)
    known = replace(table, columns=table.columns[:1], methods=table.methods[:3], published={})
    assert str(status(known)) == "available"
    later = replace(known, methods=(Method("x", Model("later")),), reference="")
    assert str(status(later)) == "waiting for: later"
    assert not status(later).runnable
    secret = replace(table, columns=table.columns[1:], published={})
    assert str(status(secret)) == "impossible: no secret: locked away"
    unwritten = replace(known, task="juggle")
    assert str(status(unwritten)) == "waiting for: the task 'juggle'"
    elsewhere = replace(table.columns[0], source=Generated("make_nothing"))
    lost = replace(known, columns=(elsewhere,))
    assert str(status(lost)) == "waiting for: the generator make_nothing"


def test_a_data_set_that_is_not_here_is_waited_for(table, tmp_path, monkeypatch):
    monkeypatch.setenv("LABELFIELD_DATA", str(tmp_path))
    monkeypatch.setenv("LABELFIELD_CACHE", str(tmp_path))
    here = replace(table.columns[0], source=Stored("never-heard-of"))
    lost = replace(table, columns=(here,), methods=table.methods[:3], published={})
    assert str(status(lost)).startswith("waiting for: the data set never-heard-of")
    assert not status(lost).runnable
    store = Store(tmp_path / "results")
    assert run_table(lost, store, methods=["LP"])["without_data"] == 3
    assert list(store) == []


def test_an_unknown_table_is_refused_with_the_ones_there_are():
    with pytest.raises(ValueError, match=r"qli2017-3\.6"):
        get_table("qli2017-9.9")


def test_models_are_built_with_their_parts():
    model = Model("br", {"estimator": Model("sklearn.svm.LinearSVC", {"C": 3.0})})
    built = build(model, seed=7)
    assert type(built) is registry.get("br").load()
    assert (built.estimator.C, built.estimator.random_state) == (3.0, 7)
    with pytest.raises(ValueError, match="'no-such-id'"):
        build(Model("no-such-id"))
