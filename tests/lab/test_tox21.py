"""The study of Tox21 reads holes as holes and judges rows it has not seen."""

import gzip

import numpy as np
import pytest
from lab.studies.tox21 import fingerprints, judge, read_compounds
from sklearn.model_selection import KFold

from labelfield import BinaryRelevance
from labelfield.datasets import make_multilabel


def test_empty_cells_are_unknown(tmp_path):
    path = tmp_path / "tox21.csv.gz"
    header = ",".join(f"assay{k}" for k in range(12)) + ",mol_id,smiles\n"
    rows = "1,,0" + ",0" * 9 + ",A,CCO\n" + "0" + "," * 11 + ",B,CC\n"
    path.write_bytes(gzip.compress((header + rows).encode()))
    smiles, Y = read_compounds(path)
    assert smiles == ["CCO", "CC"]
    assert Y[0].tolist()[0] == 1.0
    assert np.isnan(Y).sum(axis=1).tolist() == [1, 11]


@pytest.mark.parametrize("zeros", [True, False])
def test_rows_are_judged_by_models_that_have_not_seen_them(zeros):
    data = make_multilabel(n_samples=60, n_labels=3, random_state=0)
    Y = np.where(np.random.default_rng(0).random(data.Y.shape) < 0.3, np.nan, data.Y)
    folds = list(KFold(2).split(data.X))
    alone, given = judge(BinaryRelevance(alpha=1.0), zeros, data.X, Y, folds)
    learned = np.nan_to_num(Y) if zeros else Y
    twin = BinaryRelevance(alpha=1.0).fit(data.X[30:], learned[30:])
    np.testing.assert_allclose(alone[:30], twin.predict_proba(data.X[:30]))
    np.testing.assert_allclose(given, alone, atol=1e-7)  # independent labels tell nothing


def test_fingerprints_are_those_of_single_molecules():
    pytest.importorskip("rdkit", reason="fingerprints need RDKit: pip install rdkit")
    both = fingerprints(["CCO", "c1ccccc1"]).toarray()
    np.testing.assert_array_equal(both[1:], fingerprints(["c1ccccc1"]).toarray())
    assert 0 < both[0].sum() < 20
