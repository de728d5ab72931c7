"""Fits of pairwise fields against the binary relevance that they start from, on one thread.

Repeats take turns, medians count; the defaults of both, alpha = 3 for standardised features.
"""

from pathlib import Path

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.bench_logistic import take_turns
from benchmarks.pictures import draw_growth
from benchmarks.timing import show
from labelfield import BinaryRelevance, ConditionalGraphicalLasso, CorrelatedLogistic
from labelfield.datasets import load_dataset, make_multilabel


def against_relevance():
    data = load_dataset("scene", split="train", fetch=False)
    X, Y = StandardScaler().fit_transform(np.asarray(data.X)), data.Y
    models = {
        "binary relevance": BinaryRelevance(alpha=3.0),
        "pseudo": CorrelatedLogistic(objective="pseudo", alpha=3.0),
        "exact": CorrelatedLogistic(objective="exact", alpha=3.0),
        "support": CorrelatedLogistic(objective="support", alpha=3.0),
    }
    calls = {name: (lambda model=model: model.fit(X, Y)) for name, model in models.items()}
    spent, fitted = take_turns(calls)
    for name, target in (("pseudo", 2.0), ("exact", 5.0), ("support", None)):
        ratio = spent[name] / spent["binary relevance"]
        steps = f"{fitted[name].n_iter_} steps"
        show(f"scene: CorrLog {name} / binary relevance, {steps}", ratio, target, unit="x")


def growth():
    """Print and draw CPU milliseconds per step against the number of labels and of rows."""
    by_labels = [(n_labels, 1000) for n_labels in (4, 8, 12)]
    by_rows = [(8, n_samples) for n_samples in (1000, 2000, 4000)]
    for name, sizes, place in (("labels", by_labels, 0), ("rows", by_rows, 1)):
        curves = {}
        for n_labels, n_samples in sizes:
            data = make_multilabel(n_samples, n_labels=n_labels, random_state=0)
            for title, cost in step_costs(data).items():
                show(f"{title}, {n_labels} labels, {n_samples} rows: a step", cost, unit="ms")
                curves.setdefault(title, []).append(((n_labels, n_samples)[place], cost))
        path = draw_growth(curves, f"field-growth-{name}", name, "CPU milliseconds of a step")
        print(f"drawn in {path.relative_to(Path.cwd())}")


def step_costs(data):
    """Return CPU milliseconds per step of three fits."""
    costs = {}
    for model in (
        CorrelatedLogistic(alpha=1.0, objective="pseudo"),
        CorrelatedLogistic(alpha=1.0, objective="exact"),
        ConditionalGraphicalLasso(alpha=1.0, objective="pseudo"),
    ):
        spent, fitted = take_turns({"fit": lambda m=model: m.fit(data.X, data.Y)})
        title = f"{type(model).__name__} {model.objective}"
        costs[title] = 1e3 * spent["fit"] / fitted["fit"].n_iter_
    return costs


def main():
    try:
        against_relevance()
    except (LookupError, FileNotFoundError, ValueError) as error:
        print(f"skipped, set LABELFIELD_DATA to the folder of the data sets: {error}")
    growth()
