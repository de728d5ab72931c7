"""Models against what a user would pick instead, in one run on one thread."""

import subprocess
import sys
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain as SklearnChain
from sklearn.preprocessing import StandardScaler

from benchmarks.timing import cpu_seconds, show
from labelfield import ClassifierChain, MLkNN
from labelfield.datasets import load_dataset


def chains():
    data = load_dataset("scene", split="train")
    X = StandardScaler().fit_transform(np.asarray(data.X))
    ours, theirs = (
        ClassifierChain(alpha=1.0),
        SklearnChain(LogisticRegression(C=1.0, max_iter=1000)),
    )
    fit = cpu_seconds(lambda: ours.fit(X, data.Y))
    fit_theirs = cpu_seconds(lambda: theirs.fit(X, data.Y))
    show("scene: chain fit, scikit-learn / ours", fit_theirs / fit, 1.0, at_most=False, unit="x")
    predict, predict_theirs = (
        cpu_seconds(lambda model=model: model.predict(X)) for model in (ours, theirs)
    )
    show(
        "scene: chain predict, scikit-learn / ours",
        predict_theirs / predict,
        1.0,
        at_most=False,
        unit="x",
    )


def neighbors():
    data = load_dataset("yeast")
    X, Y = np.asarray(data.X), data.Y.astype(int)
    train, test = slice(0, 1500), slice(1500, None)

    def ours():
        return MLkNN(n_neighbors=10).fit(X[train], Y[train]).predict(X[test])

    spent = cpu_seconds(ours)
    show("yeast: ML-kNN fit and predict", spent)
    try:
        from skmultilearn.adapt import MLkNN as Peer
    except ImportError:
        print("scikit-multilearn-ng is not installed: no ratio (pip install scikit-multilearn-ng)")
        return

    def theirs():
        return Peer(k=10).fit(X[train], Y[train]).predict(X[test])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spent_theirs = cpu_seconds(theirs, repeats=3)
        same = MLkNN(count_self=True).fit(X[train], Y[train]).predict(X[test])
        print(f"labels that differ from scikit-multilearn-ng: {(theirs() != same).sum()}")
    show(
        "yeast: ML-kNN, scikit-multilearn-ng / ours",
        spent_theirs / spent,
        5.0,
        at_most=False,
        unit="x",
    )


def import_time():
    code = "import time; s = time.process_time(); import labelfield; print(time.process_time() - s)"
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
        for _ in range(5)
    ]
    show("import labelfield", float(np.median(runs)), 1.0)


def main():
    chains()
    neighbors()
    import_time()
