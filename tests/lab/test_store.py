"""Stored cells."""

import json
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from lab import Store


def test_what_is_written_is_read(tmp_path):
    store = Store(tmp_path)
    record = {"figures": {"own": {"f1_micro": 0.123456789}}, "title": "±"}
    store.write("data/br.v1-0", record)
    assert store.read("data/br.v1-0") == record
    assert list(store) == ["data/br.v1-0"]
    assert store.read("data/other") is None
    assert store.read("else/other") is None


def test_figures_are_kept_to_nine_digits(tmp_path):
    store = Store(tmp_path)
    store.write("a/b", {"x": [1 / 3, 7, float("inf")], "y": {"z": 1e-12 / 3}})
    assert store.read("a/b") == {"x": [0.333333333, 7, float("inf")], "y": {"z": 3.33333333e-13}}


def test_the_last_line_of_a_key_counts_and_tidy_keeps_it(tmp_path):
    store = Store(tmp_path)
    for x in (1, 2):
        store.write("a/b", {"x": x})
        store.write("a/a", {"x": 10 * x})
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) == 4
    store.tidy()
    assert [line[:12] for line in (tmp_path / "a.jsonl").read_text().splitlines()] == [
        '{"key":"a/a"',
        '{"key":"a/b"',
    ]
    assert [store.read(key)["x"] for key in store] == [20, 2]


def record(f1, **more):
    costs = {"seconds": 1.5, "warnings": []}
    return {"code": "c", "figures": {"own": {"f1": f1, "gap": float("nan")}}, **costs, **more}


def test_cells_of_a_row_share_a_line_and_stay_what_they_were(tmp_path):
    records = {
        "a/br-9f-0": record(0.5),
        "a/br-9f-2": record(0.6),
        "a/br-9f-10": record(0.7),
        "a/br-9f-3": record(0.7, chosen={"alpha": 1.0}),
        "a/br-9f-4": {"error": "ValueError: no", "seconds": 0.1},
        "a/lp-9f-0": record(0.1),
        "a/lp-9f-1": record(0.2, chosen={"a/b": 1.0}),
        "a/lp-9f-2": record(0.2, chosen={"a/b": 1.0}),
    }
    store = Store(tmp_path)
    for key, one in records.items():
        store.write(key, one)
    for n_lines in (6, 6):  # tidy once more changes nothing
        store.tidy()
        lines = (tmp_path / "a.jsonl").read_text().splitlines()
        assert len(lines) == n_lines
        assert lines[0].startswith('{"row":"a/br-9f","cells":[0,2,10],"same":{"code":"c"')
        assert list(store) == sorted(records)
        for key, one in records.items():
            assert json.dumps(store.read(key), sort_keys=True) == json.dumps(one, sort_keys=True)
    store.write("a/br-9f-2", record(0.9))
    store.tidy()
    assert Store(tmp_path).read("a/br-9f-2")["figures"]["own"]["f1"] == 0.9


def test_a_write_that_fails_leaves_the_earlier_cell(tmp_path):
    store = Store(tmp_path)
    store.write("a/b", {"x": 1})
    with pytest.raises(TypeError):
        store.write("a/b", {"x": object()})
    assert store.read("a/b") == {"x": 1}


def test_a_line_that_was_never_finished_is_passed_over(tmp_path):
    store = Store(tmp_path)
    store.write("a/b", {"x": 1})
    path = tmp_path / "a.jsonl"
    path.write_bytes(path.read_bytes() + b'{"key":"a/c","x"')
    assert list(Store(tmp_path)) == ["a/b"]
    store.write("a/d", {"x": 3})
    assert store.read("a/d") == {"x": 3}


def test_a_damaged_line_is_named(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"key":"a/a"}\nnonsense\n{"key":"a/b"}\n{"key":"a/c"}\n')
    with pytest.raises(ValueError, match=r"a\.jsonl, line 2 is not a stored cell"):
        Store(tmp_path).read("a/a")


def write_many(where, name):
    for k in range(20):
        Store(where).write(f"a/{name}-{k}", {"values": [k] * 500})


def write_and_tidy(where, name):
    for k in range(20):
        store = Store(where)
        store.write(f"a/{name}-{k}", {"values": [k] * 500})
        store.tidy()


@pytest.mark.parametrize("work", [write_many, write_and_tidy])
def test_processes_on_one_file_lose_nothing(tmp_path, work):
    context = multiprocessing.get_context("spawn")
    helpers = [context.Process(target=work, args=(tmp_path, name)) for name in "xy"]
    for helper in helpers:
        helper.start()
    for helper in helpers:
        helper.join()
    assert len(list(Store(tmp_path))) == 40


def test_threads_on_one_key_read_whole_cells(tmp_path):
    store = Store(tmp_path)
    records = [{"values": [k] * 2000} for k in range(8)]
    store.write("a/b", records[0])

    def write_and_read(record):
        for _ in range(5):
            store.write("a/b", record)
            assert Store(tmp_path).read("a/b") in records

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write_and_read, records))
    assert list(store) == ["a/b"]


def test_a_store_travels_without_what_it_has_read(tmp_path):
    store = Store(tmp_path)
    store.write("a/b", {"x": 1})
    store.read("a/b")
    assert pickle.loads(pickle.dumps(store)).read("a/b") == {"x": 1}
