"""Every hostile file gets a right answer or one line that says what is wrong."""

import gzip
import re
import shlex

import numpy as np
import pytest

from hostile.files import DATA_FILES
from hostile.model_files import MODEL_FILES
from labelfield.datasets import _frames, _source, read_table

LIMIT = 2_000_000


@pytest.fixture
def low_limits(monkeypatch):
    """Limits that a small bomb passes, so that the tests need no large ones."""
    monkeypatch.setattr(_source, "SAFE_BYTES", LIMIT)
    monkeypatch.setattr(_source, "MAX_BYTES", 4 * LIMIT)
    monkeypatch.setattr(_frames, "MAX_BYTES", 4 * LIMIT)
    monkeypatch.setattr("labelfield.io.archive.SAFE_BYTES", LIMIT)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("hostile", [*DATA_FILES, *MODEL_FILES], ids=lambda one: one.name)
def test_a_hostile_file_gets_one_clear_answer(hostile, folder, said, low_limits):
    path = folder / hostile.name
    if callable(hostile.made):
        hostile.made(path)
    else:
        made = hostile.made
        path.write_bytes(made if isinstance(made, bytes) else made.encode())
    code, words = said(shlex.split(hostile.command.replace("FILE", hostile.name)))
    assert code == hostile.code, words
    assert re.search(hostile.must_say, words), words


def written(odd):
    """The bytes of a file that must be read, whatever looks odd about it."""
    return odd if isinstance(odd, bytes) else odd.encode()


PLAIN = "x,sea\n1.5,0\n-2e3,1\n"
ODD_SPELLINGS = {
    "Windows lines": written(PLAIN.replace("\n", "\r\n")),
    "old Mac lines": written(PLAIN.replace("\n", "\r")),
    "byte order mark": b"\xef\xbb\xbf" + written(PLAIN),
    "no last newline": written(PLAIN[:-1]),
    "blank lines": written("\n" + PLAIN.replace("\n", "\n\n")),
    "quoted cells": b'"x","sea"\n"1.5","0"\n"-2e3","1"\n',
    "words for labels": written(PLAIN.replace(",0", ",False").replace(",1\n", ",TRUE\n")),
    "packed": gzip.compress(written(PLAIN)),
}


@pytest.mark.parametrize("odd", ODD_SPELLINGS)
def test_odd_spellings_give_the_same_numbers(odd, tmp_path):
    (tmp_path / "odd.csv").write_bytes(ODD_SPELLINGS[odd])
    data = read_table(tmp_path / "odd.csv", labels=["sea"], as_frame=False)
    np.testing.assert_array_equal(data.X, [[1.5], [-2000]])
    np.testing.assert_array_equal(data.Y, [[0], [1]])


def test_the_corpus_is_as_large_as_promised():
    names = [one.name for one in [*DATA_FILES, *MODEL_FILES]]
    assert len(set(names)) == len(names) >= 60
