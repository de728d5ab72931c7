"""Fits of pairwise fields against the binary relevance that they start from, on one thread.

Repeats take turns, medians count; the defaults of both, alpha = 3 for standardised features.
"""

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.bench_logistic import take_turns
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
    """Print CPU seconds per step against the number of labels and of rows."""
    for n_labels, n_samples in ((4, 1000), (8, 1000), (12, 1000), (8, 2000), (8, 4000)):
        data = make_multilabel(n_samples, n_labels=n_labels, random_state=0)
        for model in (
            CorrelatedLogistic(objective="pseudo"),
            CorrelatedLogistic(objective="exact"),
            ConditionalGraphicalLasso(objective="pseudo"),
        ):
            spent, fitted = take_turns({"fit": lambda m=model, d=data: m.fit(d.X, d.Y)})
            title = f"{type(model).__name__} {model.objective}, {n_labels} labels, {n_samples} rows"
            show(f"{title}: a step", 1e3 * spent["fit"] / fitted["fit"].n_iter_, unit="ms")


def main():
    try:
        against_relevance()
    except (LookupError, FileNotFoundError, ValueError) as error:
        print(f"skipped, set LABELFIELD_DATA to the folder of the data sets: {error}")
    growth()
