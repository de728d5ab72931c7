"""Stored cells."""

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
