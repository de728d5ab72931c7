"""Stored cells."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from lab import Store


def test_what_is_written_is_read(tmp_path):
    store = Store(tmp_path)
    record = {"figures": {"own": {"f1_micro": 0.123456789012345}}, "title": "±"}
    store.write("data/br.v1-0", record)
    assert store.read("data/br.v1-0") == record
    assert list(store) == ["data/br.v1-0"]
    assert store.read("data/other") is None


def test_a_write_that_fails_leaves_the_earlier_cell(tmp_path):
    store = Store(tmp_path)
    store.write("a/b", {"x": 1})
    with pytest.raises(TypeError):
        store.write("a/b", {"x": object()})
    assert store.read("a/b") == {"x": 1}
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.json"]


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "cell.json").write_text("{")
    with pytest.raises(ValueError, match=r"cell\.json is not a stored cell"):
        Store(tmp_path).read("cell")


def test_threads_on_one_key_read_whole_cells(tmp_path):
    store = Store(tmp_path)
    records = [{"values": [k] * 2000} for k in range(8)]
    store.write("a/b", records[0])

    def write_and_read(record):
        for _ in range(5):
            store.write("a/b", record)
            assert store.read("a/b") in records

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write_and_read, records))
    assert list(store) == ["a/b"]
