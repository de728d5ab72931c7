"""LabelSetClassifier against its own strongest part, and against a tuned logistic regression."""

import os
import tempfile
import time
import tracemalloc
import warnings
from operator import itemgetter
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier

import labelfield
from benchmarks.timing import cpu_seconds, show
from labelfield import LabelSetClassifier
from labelfield.datasets import load_dataset, load_digit_scenes

SETS = ("digits", "scene", "yeast", "medical")
SKLEARN_STRENGTHS = {"estimator__C": [0.01, 0.1, 1.0, 10.0]}
N_FOLDS = 5  # as many as LabelSetClassifier judges its parts on


def data_of(name):
    if name == "digits":
        return load_digit_scenes(split="train")
    return load_dataset(name)


def seconds_of(call):
    """Return what the call returns, and its CPU seconds; it is too long to be repeated."""
    start = time.process_time()
    value = call()
    return value, time.process_time() - start


def strongest_part(leaderboard):
    """Return name and CPU seconds of the best single learner: its folds, its refit, its sets."""
    seconds = {row["member"]: row["seconds"] for row in leaderboard}
    bases = [row["member"] for row in leaderboard if row.get("weight") is None]
    single = [row for row in leaderboard if row["member"].removesuffix(" sets") in bases]
    best = max(single, key=itemgetter("exact_match"))["member"]
    return best, sum(seconds[name] for name in {best, best.removesuffix(" sets")})


def one_set(name):
    data = data_of(name)
    X, Y = data.X, data.Y
    LabelSetClassifier(random_state=0).fit(X[:100], Y[:100])  # compile
    model, spent = seconds_of(lambda: LabelSetClassifier(random_state=0).fit(X, Y))
    part, of_part = strongest_part(model.leaderboard_)
    show(f"{name}: balanced fit", spent)
    show(f"{name}: balanced / its strongest part ({part})", spent / of_part, 3.0, unit="x")
    quick, spent = seconds_of(lambda: LabelSetClassifier(budget="quick", random_state=0).fit(X, Y))
    (of_linear,) = [row["seconds"] for row in quick.leaderboard_ if row["member"] == "linear"]
    show(f"{name}: quick / its own logistic path", spent / of_linear, 5.0, unit="x")
    plain = OneVsRestClassifier(LogisticRegression(max_iter=1000))
    search = GridSearchCV(plain, SKLEARN_STRENGTHS, cv=N_FOLDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels that a fold does not have
        _, of_sklearn = seconds_of(lambda: search.fit(X, Y))
    show(f"{name}: quick / scikit-learn, 4 strengths", spent / of_sklearn, 5.0, unit="x")
    rows = np.resize(np.arange(X.shape[0]), 2000)
    spent = cpu_seconds(lambda: model.predict(X[rows]), repeats=3)
    show(f"{name}: predict", 2000 / spent, 2000, at_most=False, unit="rows/s")
    file_and_memory(name, model, X[rows])


def file_and_memory(name, model, X):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.lf"
        labelfield.save(model, path)
        show(f"{name}: file", os.path.getsize(path) / 2**20, unit="MiB")
        tracemalloc.start()
        loaded = labelfield.load(path)
        held, _ = tracemalloc.get_traced_memory()
        loaded.predict(X)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    show(f"{name}: memory of the loaded model", held / 2**20, unit="MiB")
    show(f"{name}: more at predict, 2000 rows", (peak - held) / 2**20, unit="MiB")


def main():
    for name in SETS:
        try:
            one_set(name)
        except OSError as error:
            print(f"{name}: {error}")


if __name__ == "__main__":
    main()
