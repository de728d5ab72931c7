"""The real files in LABELFIELD_DATA: published statistics, and a slow reader's matrices."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from labelfield.datasets import read_arff

ROOT = Path(os.environ.get("LABELFIELD_DATA", "not set"))
FILES = []
if (ROOT / "manifest.json").is_file():
    for name, entry in json.loads((ROOT / "manifest.json").read_text()).items():
        if entry["kind"] == "multilabel":
            FILES += [(name, file, entry) for file in entry["statistics"] if file != "whole"]
SLOW_TO_CHECK = {
    "imdb",
    "delicious",
    "rcv1subset1",
    "rcv1subset2",
    "tmc2007-500",
    "bibtex",
    "ohsumed",
}

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not FILES, reason="LABELFIELD_DATA names no folder with a manifest.json"),
]


def load(name, file, entry):
    labels = ROOT / name / entry["xml"] if entry.get("xml") else None
    return read_arff(ROOT / name / file, labels=labels)


@pytest.mark.parametrize(("name", "file", "entry"), FILES, ids=[file for _, file, _ in FILES])
def test_statistics_of_the_manifest(name, file, entry):
    statistics = load(name, file, entry).statistics()
    statistics["cardinality"] = round(statistics["cardinality"], 3)
    assert statistics == entry["statistics"][file]


@pytest.fixture(scope="module")
def verify():
    spec = importlib.util.spec_from_file_location("verify", ROOT / "verify.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))  # it imports its neighbour readers.py
        patch.setattr(sys, "dont_write_bytecode", True)
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "file", "entry"),
    [
        pytest.param(*row, marks=pytest.mark.slow if row[0] in SLOW_TO_CHECK else (), id=row[1])
        for row in FILES
    ],
)
def test_equal_to_the_slow_reader(verify, name, file, entry):
    xml = verify.read_labels(ROOT / name / entry["xml"]) if entry.get("xml") else None
    X, Y, features, labels = verify.read_arff(str(ROOT / name / file), xml)
    data = load(name, file, entry)
    assert (sparse.csr_matrix(data.X) != X).nnz == 0
    np.testing.assert_array_equal(data.Y, Y)
    assert list(data.feature_names) == features
    assert list(data.label_names) == labels
