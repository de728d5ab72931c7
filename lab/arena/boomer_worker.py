"""BOOMER in its own Python, which has mlrl-boomer and numpy but not labelfield.

python boomer_worker.py fit FOLDER     data.npz -> model.pickle
python boomer_worker.py ask FOLDER     rows.npz and model.pickle -> answers.npz
"""

import pickle
import sys
from pathlib import Path

import numpy as np
from scipy import sparse

RULES = (100, 300, 1000)
PREDICTORS = {"subset": "example-wise", "f1": "gfm"}


def fit(folder):
    """Learn the largest number of rules; smaller models are its beginnings.

    Without the constant columns: a rule looks at a handful of columns drawn at random, and learning
    ends for good where all of them are constant.
    """
    from mlrl.boosting import BoomerClassifier

    X, stored = _read(folder / "data.npz")
    varies = _varying(X)
    model = BoomerClassifier(
        loss="logistic-non-decomposable",
        head_type="complete",
        label_binning=str(stored["label_binning"]),
        max_rules=RULES[-1],
        random_state=int(stored["seed"]) + 1,
        probability_predictor="marginalized",
        parallel_rule_refinement="false",
        parallel_statistic_update="false",
        parallel_prediction="false",
    )
    model.fit(X[:, varies], stored["Y"])
    (folder / "model.pickle").write_bytes(pickle.dumps((varies, model)))


def ask(folder):
    """Answer new rows with each number of rules: sets for exact match, sets for F1, marginals."""
    X, _ = _read(folder / "rows.npz")
    varies, model = pickle.loads((folder / "model.pickle").read_bytes())
    X, found = X[:, varies], {}
    for name, predictor in PREDICTORS.items():
        model.set_params(binary_predictor=predictor)
        found |= _by_rules(name, model.predict_incrementally(X))
    found |= _by_rules("marginals", model.predict_proba_incrementally(X))
    np.savez(folder / "answers.npz", **found)


def _varying(X):
    """Return the columns with more than one value, or the first one where there is none."""
    low, high = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        low, high = low.toarray()[0], high.toarray()[0]
    varies = np.flatnonzero(low < high)
    return varies if len(varies) else np.zeros(1, dtype=int)


def _by_rules(name, predictor):
    """Return the answers (n, L) after each number of rules, however few were learned."""
    found, done = {}, 0
    for rules in RULES:
        if predictor.has_next():
            answer = np.array(predictor.apply_next(rules - done))
        found[f"{name}-{rules}"], done = answer, rules
    return found


def _read(path):
    stored = np.load(path)
    if "X" in stored:
        return stored["X"].astype(np.float32), stored
    parts = (stored["data"].astype(np.float32), stored["indices"], stored["indptr"])
    return sparse.csr_matrix(parts, shape=tuple(stored["shape"])), stored


if __name__ == "__main__":
    {"fit": fit, "ask": ask}[sys.argv[1]](Path(sys.argv[2]))
