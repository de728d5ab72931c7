"""Batched logistic regression against one scikit-learn model per label, on one thread.

Same features, C = 1; repeats take turns, medians count. The objective is the sum over labels of
loss and penalty. scikit-learn's default stops early, so the time that counts is that of our loosest
tolerance whose objective is no worse than scikit-learn's; and our default, which predicts what the
minimum predicts, must not take longer either. The floor is the number of steps times X W and X'R
for all labels.
"""

import subprocess
import sys
import time
import warnings
from functools import partial
from statistics import median

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.preprocessing import StandardScaler

from benchmarks.timing import cpu_seconds, show
from labelfield import BinaryRelevance
from labelfield.datasets import load_dataset
from labelfield.learners import LogisticLearner
from labelfield.learners.rows.design import as_fit_design

REPEATS = 3
TOLERANCES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
PEAK = """
import resource
from labelfield import BinaryRelevance
from labelfield.datasets import load_dataset
data = load_dataset("rcv1subset1", fetch=False)
BinaryRelevance(alpha=1.0).fit(data.X, data.Y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def take_turns(calls):
    """Return the median CPU seconds and the last answer of each of the named calls."""
    spent, answers = {name: [] for name in calls}, {}
    for repeat in range(REPEATS + 1):
        for name, call in calls.items():
            start = time.process_time()
            answers[name] = call()
            if repeat:  # the first turn warms up
                spent[name].append(time.process_time() - start)
    return {name: median(seconds) for name, seconds in spent.items()}, answers


def one_per_label(X, Y, **options):
    """Return the weights (d, L) and constants (L,) of scikit-learn's models."""
    models = MultiOutputClassifier(LogisticRegression(**options)).fit(X, Y).estimators_
    return (
        np.concatenate([model.coef_ for model in models]).T,
        np.concatenate([model.intercept_ for model in models]),
    )


def against_floor(title, X, Y):
    """Show a fit beside its steps times the two products, which take turns with it."""
    design, rng = as_fit_design(X), np.random.default_rng(0)
    W, R = rng.normal(size=(X.shape[1], Y.shape[1])), rng.normal(size=Y.shape)
    learner = LogisticLearner(tol=1e-4)
    calls = {
        "fit": lambda: learner.fit(X, Y),
        "products": lambda: (design.matmul(W), design.rmatmul(R)),
    }
    spent, _ = take_turns(calls)
    floor = learner.n_iter_ * spent["products"]
    print(f"{title}: {learner.n_iter_} steps, products alone {floor:.3f} CPU s")
    show(f"{title}: logistic fit, tol=1e-4, over its products", spent["fit"] / floor, 1.5, unit="x")


def predict_rows(X, Y):
    model, rows = BinaryRelevance(alpha=1.0).fit(X, Y), np.resize(X, (10_000, X.shape[1]))
    show(
        "scene: 10 000 rows, predict", 1e3 * cpu_seconds(lambda: model.predict(rows)), 5, unit="ms"
    )
    floor = 1e3 * cpu_seconds(lambda: rows @ model.coef_.T)
    show("scene: 10 000 rows, X W alone", floor, unit="ms")


def batched(X, Y, **options):
    learner = LogisticLearner(**options).fit(X, Y)
    return learner.coef_, learner.intercept_


def objective(X, Y, coef, intercept):
    Z = X @ coef + intercept
    return float((np.logaddexp(0.0, Z) - Y * Z).sum() + 0.5 * (coef**2).sum())


def compare(title, X, Y, target):
    calls = {"ours": lambda: batched(X, Y)}
    calls |= {f"ours, tol={tol:g}": partial(batched, X, Y, tol=tol) for tol in TOLERANCES}
    calls["scikit-learn"] = lambda: one_per_label(X, Y)
    calls["liblinear"] = lambda: one_per_label(X, Y, solver="liblinear")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        spent, answers = take_turns(calls)
    values = {name: objective(X, Y, *answer) for name, answer in answers.items()}
    for name, seconds in spent.items():
        ratio = spent["scikit-learn"] / seconds
        print(
            f"{title}: {name:16s} {seconds:8.3f} CPU s, objective {values[name]:.4f}, "
            f"scikit-learn / it {ratio:.2f}"
        )
    loosest = next(
        (name for name in spent if "tol=" in name and values[name] <= values["scikit-learn"]),
        "ours",
    )
    for name, least in ((loosest, target), ("ours", 1.0)):
        ratio = spent["scikit-learn"] / spent[name]
        show(f"{title}: logistic fit, scikit-learn / {name}", ratio, least, at_most=False, unit="x")
        excess = values[name] - values["scikit-learn"]
        show(f"{title}: objective, {name} - scikit-learn", excess, 0.0, unit="")


def peak_memory():
    answer = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True)
    if answer.returncode:
        sys.exit(f"the fit on rcv1subset1 failed:\n{answer.stderr}")
    show("rcv1subset1: BR, peak memory of the process", int(answer.stdout) / 1024, 1024, unit="MiB")


def main():
    try:
        bibtex = load_dataset("bibtex", split="train", fetch=False)
        scene = load_dataset("scene", split="train", fetch=False)
    except (LookupError, FileNotFoundError, ValueError) as error:
        print(f"skipped, set LABELFIELD_DATA to the folder of the data sets: {error}")
        return
    scaled = StandardScaler().fit_transform(np.asarray(scene.X))
    compare("scene", scaled, scene.Y, 3.0)
    compare("bibtex", bibtex.X, bibtex.Y, 5.0)
    delicious = load_dataset("delicious", split="train", fetch=False)
    for name, X, Y in (
        ("scene", scaled, scene.Y),
        ("bibtex", bibtex.X, bibtex.Y),
        ("delicious", delicious.X, delicious.Y),
    ):
        against_floor(name, X, Y)
    predict_rows(scaled, scene.Y)
    peak_memory()
