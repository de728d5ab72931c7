"""Max-margin fields: seconds of a fit, sets found a second."""

import warnings
from itertools import combinations

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.svm import LinearSVC

from benchmarks.timing import cpu_seconds, show
from labelfield import CliqueGeneratingMachine, StructuredSVM
from labelfield.datasets import load_dataset
from labelfield.models.margin.problem import terms_of
from labelfield.models.margin.sign_field import best_signs, sign_field


def scene():
    data = load_dataset("scene")
    rows = np.arange(len(data.Y)) % 5 > 0
    X, Y = normalize(np.asarray(data.X, dtype=np.float64))[rows], np.asarray(data.Y)[rows]
    machine = CliqueGeneratingMachine(random_state=0)
    show("scene: CGM", cpu_seconds(lambda: machine.fit(X, Y), repeats=1), 6.0)
    show("scene: duality gap", machine.gap_, 0.03, unit="")
    few = np.flatnonzero(rows)[:600]
    for scale in (normalize, StandardScaler().fit_transform):
        Z = scale(np.asarray(data.X, dtype=np.float64)[few])
        spent = cpu_seconds(lambda Z=Z: machine.fit(Z, data.Y[few]), repeats=1, warm_up=0)
        show(f"scene: CGM, 600 rows, {'unit' if scale is normalize else 'standardised'}", spent)
    apart = StructuredSVM(graph="none", random_state=0)
    ours = cpu_seconds(lambda: apart.fit(X, Y), repeats=1)
    show("scene: no edge, temperature included", ours)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = cpu_seconds(
            lambda: [LinearSVC(loss="hinge", C=1.0).fit(X, y) for y in Y.T], repeats=1
        )
    show("scene: six LinearSVC, without probabilities", theirs)


def best_sets():
    rng = np.random.default_rng(0)
    graphs = {
        "10 labels, all pairs": (10, list(combinations(range(10), 2))),
        "14 labels, all pairs": (14, list(combinations(range(14), 2))),
        "100 labels, a ring": (100, [(k, k + 1) for k in range(99)] + [(0, 99)]),
    }
    for title, (n_labels, pairs) in graphs.items():
        terms = terms_of(n_labels, pairs)
        field, weights = sign_field(n_labels, terms), rng.normal(size=(1000, len(terms)))
        spent = cpu_seconds(lambda field=field, weights=weights: best_signs(field, weights))
        show(f"best sets: {title}", 1000 / spent, unit="rows/s")


def main():
    scene()
    best_sets()
