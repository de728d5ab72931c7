"""What the holes in the labels of Tox21 are worth: 8014 compounds, 12 assays, 17 % not measured.

    python -m lab.studies.tox21 [--folds 3]

Needs the folder tox21 in LABELFIELD_DATA and RDKit (pip install rdkit), which makes the features:
Morgan fingerprints of radius 2, 2048 bits. All rows learn from the same folds; linear models choose
their strength inside the training part, the trees are not tuned. Figures are means over assays of the measured test cells; "given"
also knows the other measured assays of the compound.
"""

import argparse
import csv
import gzip
import os
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import KFold

from labelfield import BinaryRelevance, DependentRelevance
from labelfield.metrics import average_precision, roc_auc

N_ASSAYS, N_BITS = 12, 2048


def read_compounds(path):
    """Return SMILES strings and activities (n, 12) with NaN where nothing was measured."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    Y = np.array([[float(cell) if cell else np.nan for cell in row[:N_ASSAYS]] for row in rows])
    return [row[-1] for row in rows], Y


def fingerprints(smiles):
    """Return Morgan fingerprints (n, 2048) as a CSR array; what RDKit cannot read has no bits."""
    try:
        from rdkit import Chem, RDLogger
        from rdkit.Chem import rdFingerprintGenerator
    except ModuleNotFoundError:
        raise SystemExit("Fingerprints need RDKit: pip install rdkit") from None
    RDLogger.DisableLog("rdApp.*")
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=N_BITS)
    molecules = [Chem.MolFromSmiles(text) for text in smiles]
    bits = [[] if m is None else list(generator.GetFingerprint(m).GetOnBits()) for m in molecules]
    starts = np.cumsum([0, *map(len, bits)], dtype=np.int32)  # trees want short numbers
    return sp.csr_array(
        (np.ones(starts[-1]), np.concatenate(bits).astype(np.int32), starts), (len(smiles), N_BITS)
    )


def ways():
    """Return name, model and whether holes are taken for zeros, in the order of the table."""
    trees = ExtraTreesClassifier(60, min_samples_leaf=2, random_state=0)
    yield "holes are zeros", BinaryRelevance(), True
    yield "binary relevance", BinaryRelevance(), False
    yield "dependent relevance", DependentRelevance(), False
    yield "60 trees per assay", BinaryRelevance(trees), False


def judge(model, zeros, X, Y, folds):
    """Return out-of-fold probabilities from the structure and given other assays."""
    alone, given = np.empty_like(Y), np.empty_like(Y)
    for train, test in folds:
        model.fit(X[train], np.nan_to_num(Y[train]) if zeros else Y[train])
        alone[test] = model.predict_proba(X[test])
        given[test] = model.predict_given(X[test], Y[test])
    return alone, given


def main():
    """Print the table, a line as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", type=int, default=3)
    n_folds = parser.parse_args().folds
    path = Path(os.environ.get("LABELFIELD_DATA", "data")) / "tox21" / "tox21.csv.gz"
    if not path.is_file():
        raise SystemExit(
            f"There is no {path}; LABELFIELD_DATA must name the folder with tox21 in it."
        )
    smiles, Y = read_compounds(path)
    X = fingerprints(smiles)
    folds = KFold(n_folds, shuffle=True, random_state=0)
    print(f"{'':22}AUC  average precision  AUC given  AP given")
    for name, model, zeros in ways():
        alone, given = judge(model, zeros, X, Y, list(folds.split(X)))
        figures = [f(Y, P) for P in (alone, given) for f in (roc_auc, average_precision)]
        print(
            f"{name:20}{figures[0]:5.3f}{figures[1]:19.3f}{figures[2]:11.3f}{figures[3]:10.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
