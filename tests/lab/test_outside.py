"""Outside sources of label relatedness for the tables."""

import os

import numpy as np
import pytest
from lab.building import build
from lab.outside import CountedElsewhere, NearInWords

from lab import get_table
from labelfield import ConditionalRBM
from labelfield.datasets import make_multilabel

needs_data = pytest.mark.skipif(
    not os.environ.get("LABELFIELD_DATA"), reason="LABELFIELD_DATA names no folder"
)


def test_the_folder_is_asked_for(monkeypatch):
    monkeypatch.delenv("LABELFIELD_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="Set LABELFIELD_DATA"):
        NearInWords("corel5k", "words.txt").matrix  # noqa: B018


def test_a_machine_takes_what_is_only_loaded_when_needed(monkeypatch):
    data = make_multilabel(n_samples=40, n_labels=3, random_state=0)
    related = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    monkeypatch.setattr(CountedElsewhere, "matrix", related)
    options = {"n_hidden": 2, "max_iter": 1, "random_state": 0}
    named, given = (
        ConditionalRBM(relatedness=knowledge, **options).fit(data.X, data.Y)
        for knowledge in (CountedElsewhere("these", "those"), related)
    )
    np.testing.assert_array_equal(named.predict_proba(data.X), given.predict_proba(data.X))


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(("row", "least"), [("Corel16k", 120), ("word vectors", 200)])
def test_stand_ins_know_many_labels_of_corel5k(row, least):
    methods = get_table("xli2015-2").methods
    method = next(m for m in methods if row in m.title)
    matrix = build(method.model).relatedness.matrix
    assert matrix.shape == (374, 374)
    assert (matrix != 0).any(axis=0).sum() >= least
