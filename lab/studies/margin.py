"""Max-margin fields on drawn labels and on scene beside their targets.

    python -m lab.studies.margin [synthetic] [scene]

Synthetic: five draws of 2000 training and 1000 test rows, labels coupled by a star of four edges,
alpha 1e-4, one clique a round, a gap of 5 %. Scene: five folds, rows of length one, alpha 1e-3,
nothing chosen.
"""

import sys
import time
import warnings

import numpy as np
from benchmarks.timing import show
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.preprocessing import normalize

from labelfield import CliqueGeneratingMachine, StructuredSVM
from labelfield.datasets import load_dataset, make_star_cliques
from labelfield.metrics import f1_score, hamming_loss, subset_accuracy


def fit(model, X, Y):
    """Return the fitted model and the CPU seconds it took."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the gap is printed
        model.fit(X, Y)
    return model, time.process_time() - start


def synthetic():
    print("\nfour true edges: test Hamming loss (duality gap, CPU s)")
    settings = {"alpha": 1e-4, "tol": 0.05, "max_iter": 50, "cv": 2, "random_state": 0}
    machine = CliqueGeneratingMachine(cliques_per_round=1, **settings)
    others = {graph: StructuredSVM(graph=graph, **settings) for graph in ("none", "tree", "full")}
    rows = []
    for seed in range(5):
        data = make_star_cliques(3000, random_state=seed)
        train, test = slice(0, 2000), slice(2000, None)
        losses = []
        for name, model in {"machine": machine, **others}.items():
            fitted, seconds = fit(model, data.X[train], data.Y[train])
            losses.append(hamming_loss(data.Y[test], fitted.predict(data.X[test])))
            figures = f"{losses[-1]:.4f} ({fitted.gap_:.3f}, {seconds:.1f})"
            print(f"  seed {seed} {name:8s} {figures}", flush=True)
        found = {tuple(edge) for edge in data.truth["edges"].tolist()}
        first = set(machine.generated_[:4]) == found
        print(f"  seed {seed} first four {machine.generated_[:4]}, kept {machine.cliques_}")
        rows.append([first, *losses])
    rows = np.array(rows, dtype=float)
    show("seeds with the true edges first", rows[:, 0].sum(), 5, at_most=False, unit="of 5")
    show("largest Hamming loss of the machine", rows[:, 1].max(), 0.015, unit="")
    behind = (rows[:, 2:].min(axis=1) - rows[:, 1]).min()
    show("least lead over no edge, tree and full graph", behind, 0.0, at_most=False, unit="")


def scene():
    data = load_dataset("scene")
    X, Y = normalize(np.asarray(data.X, dtype=np.float64)), np.asarray(data.Y)
    CliqueGeneratingMachine(tol=0.9).fit(X[:20], Y[:20])  # compiles
    models = {
        "machine": CliqueGeneratingMachine(random_state=0),
        "machine, one clique a round": CliqueGeneratingMachine(
            cliques_per_round=1, min_gain=0.0, random_state=0
        ),
        "no edge": StructuredSVM(graph="none", random_state=0),
        "tree": StructuredSVM(graph="tree", random_state=0),
        "full": StructuredSVM(random_state=0),
    }
    print("\nscene: Hamming, 0-1, F1, macro-F1, micro-F1, largest gap, mean edges, CPU s")
    figures = {title: five_folds(title, model, X, Y) for title, model in models.items()}
    hamming, _, _, macro, micro, gap, _, seconds = figures["machine"]
    show("machine: Hamming loss", hamming, 0.094, unit="")
    show("machine: macro-F1", macro, 0.708, at_most=False, unit="")
    show("machine: micro-F1", micro, 0.703, at_most=False, unit="")
    show("machine: largest duality gap", gap, 0.03, unit="")
    show("machine: CPU seconds of a fit", seconds, 6.0)


def five_folds(title, model, X, Y):
    rows = []
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        fitted, seconds = fit(model, X[train], Y[train])
        answer = fitted.predict(X[test])
        rows.append(
            [
                hamming_loss(Y[test], answer),
                1.0 - subset_accuracy(Y[test], answer),
                *(f1_score(Y[test], answer, average=a) for a in ("samples", "macro", "micro")),
                fitted.gap_,
                len(fitted.cliques_),
                seconds,
            ]
        )
    mean = np.mean(rows, axis=0)
    mean[5] = np.max(rows, axis=0)[5]
    print(f"  {title:28s}" + "".join(f"{figure:9.4f}" for figure in mean), flush=True)
    return mean


def main(names):
    for name in names or ["synthetic", "scene"]:
        {"synthetic": synthetic, "scene": scene}[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
