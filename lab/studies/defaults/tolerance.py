"""How loosely linear models may be solved before they predict something else.

    python -m lab.studies.defaults.tolerance [scene] [emotions] [yeast] [bibtex]

Every model is fitted to the training part with several tolerances; a line has the rows of the test
part whose label set differs from that of the minimum (tol=1e-9), the 0-1 loss and the CPU seconds,
the median of three fits. Dense features are standardised. Set OMP_NUM_THREADS=1 for one thread.
"""

import sys
import time

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from labelfield import (
    BinaryRelevance,
    ClassifierChain,
    CorrelatedLogistic,
    DependentRelevance,
    InstanceBasedLogistic,
    LabelEnhancement,
    LabelPowerset,
    PairwiseCRF,
    ProbabilisticClassifierChain,
    RandomLabelsets,
    StackedRelevance,
)
from labelfield.datasets import load_dataset
from labelfield.metrics import subset_accuracy

MINIMUM, TOLERANCES = 1e-9, (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6)
MODELS = (
    BinaryRelevance(alpha=1.0),
    StackedRelevance(alpha=1.0),
    DependentRelevance(alpha=1.0),
    ClassifierChain(alpha=1.0),
    ProbabilisticClassifierChain(alpha=1.0),
    InstanceBasedLogistic(alpha=1e-4),
)
FEW_SETS = (  # their time grows with the label sets
    LabelPowerset(alpha=1.0),
    RandomLabelsets(alpha=1.0, random_state=0),
    LabelEnhancement(alpha=1.0),
    CorrelatedLogistic(alpha=1.0),
    PairwiseCRF(alpha=1.0),
)


def fit(model, tol, X, Y, repeats=1):
    """Return the fitted model and the median of its CPU seconds."""
    seconds = []
    for _ in range(repeats):
        started = time.process_time()
        model.set_params(tol=tol, max_iter=20_000).fit(X, Y)
        seconds.append(time.process_time() - started)
    return model, float(np.median(seconds))


def compare(name):
    train, test = (load_dataset(name, split=split) for split in ("train", "test"))
    X, X_test = train.X, test.X
    if not sp.issparse(X):
        scaler = StandardScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    print(f"\n{name}: rows that differ from the minimum, 0-1 loss, CPU s")
    for model in MODELS if sp.issparse(X) else MODELS + FEW_SETS:
        best = fit(model, MINIMUM, X, train.Y)[0].predict(X_test)
        print(f"{type(model).__name__}, 0-1 loss {1 - subset_accuracy(test.Y, best):.4f}")
        for tol in TOLERANCES:
            fitted, seconds = fit(model, tol, X, train.Y, repeats=3)
            sets = fitted.predict(X_test)
            differ = int((sets != best).any(axis=1).sum())
            loss = 1.0 - subset_accuracy(test.Y, sets)
            print(f"    tol={tol:.0e} {differ:6d} {loss:8.4f} {seconds:8.3f}", flush=True)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or ["scene", "emotions", "yeast", "bibtex"]:
        compare(chosen)
