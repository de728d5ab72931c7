"""Outside sources of label relatedness for the tables."""

import os

import pytest
from lab.building import build
from lab.outside import NearInWords

from lab import get_table

needs_data = pytest.mark.skipif(
    not os.environ.get("LABELFIELD_DATA"), reason="LABELFIELD_DATA names no folder"
)


def test_the_folder_is_asked_for(monkeypatch):
    monkeypatch.delenv("LABELFIELD_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="Set LABELFIELD_DATA"):
        NearInWords("corel5k", "words.txt").matrix  # noqa: B018


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(("row", "least"), [("Corel16k", 120), ("word vectors", 200)])
def test_stand_ins_know_many_labels_of_corel5k(row, least):
    methods = get_table("xli2015-2").methods
    method = next(m for m in methods if row in m.title)
    matrix = build(method.model).relatedness.matrix
    assert matrix.shape == (374, 374)
    assert (matrix != 0).any(axis=0).sum() >= least
