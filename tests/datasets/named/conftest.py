"""A data folder and a cache of the test's own."""

import gzip

import pytest


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """An empty data folder and an empty cache, whatever the user has set."""
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("LABELFIELD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LABELFIELD_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def put(folders):
    def put(file, text):
        path = folders / "data" / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if file.endswith(".gz") else text.encode())

    return put
