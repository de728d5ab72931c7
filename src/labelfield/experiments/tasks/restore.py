"""Restore a corrupted table and classify its rows."""

import time
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from labelfield.datasets import MixedTable
from labelfield.experiments.building import build
from labelfield.experiments.decisions import OWN
from labelfield.experiments.protocol import Part

__all__ = ["measure_cells", "restore"]


def restore(cell: Any, part: Part) -> dict[str, Any]:
    """Return accuracies of two classifiers on the restored table, and the errors of its cells.

    The restorer learns from the clean training table and is applied to the corrupted test table;
    the classifiers learn from the clean training table too.
    """
    restorer = build(cell.model, seed=cell.repetition)
    started = time.process_time()
    restorer.fit(part.train.to_frame())
    fitted = time.process_time()
    restored = _read_back(restorer.transform(part.extra.to_frame()), part.extra)
    costs = {"fit_seconds": fitted - started, "predict_seconds": time.process_time() - fitted}
    figures = {
        **_accuracies(part.train, restored),
        **measure_cells(part.train, part.test, part.extra, restored),
    }
    return {"figures": {OWN: figures}, **costs}


def _read_back(frame: Any, like: MixedTable) -> MixedTable:
    """Return a restored frame as a table with the states of another."""
    import pandas as pd

    numbers = [frame[name].to_numpy(dtype=float) for name in like.continuous_names]
    states = [
        pd.Categorical(frame[name].astype(str), categories=list(states)).codes
        for name, states in zip(like.categorical_names, like.categories)
    ]
    n = len(frame)
    return like.with_cells(
        np.column_stack(numbers) if numbers else np.empty((n, 0)),
        np.column_stack(states).astype(int) if states else np.empty((n, 0), dtype=int),
    )


def _accuracies(train: MixedTable, test: MixedTable) -> dict[str, float]:
    neighbors, svm = _fit_classifiers(train)
    asked = _encode(test, train)
    # a linear machine is its hyperplane; asking the support vectors would take far longer
    side = asked @ svm.coef_[0] + svm.intercept_[0] > 0
    return {
        "knn_accuracy": float(neighbors.score(asked, test.target)),
        "svm_accuracy": float((svm.classes_[side.astype(int)] == test.target).mean()),
    }


@lru_cache(maxsize=2)
def _fit_classifiers(train: MixedTable) -> tuple[KNeighborsClassifier, SVC]:
    """Fit both classifiers to a clean table, once for all the tables restored beside it."""
    encoded = _encode(train, train)
    return (
        KNeighborsClassifier(n_neighbors=3).fit(encoded, train.target),
        SVC(kernel="linear", C=1.0).fit(encoded, train.target),
    )


def _encode(table: MixedTable, reference: MixedTable) -> np.ndarray:
    """Scale numbers to [0, 1] by the reference's range, and write states as indicators."""
    low = reference.continuous.min(axis=0)
    span = np.ptp(reference.continuous, axis=0)
    numbers = (table.continuous - low) / np.where(span > 0, span, 1.0)
    indicators = [
        codes[:, None] == np.arange(len(states))
        for codes, states in zip(table.categorical.T, table.categories)
    ]
    return np.hstack([numbers, *indicators])


def measure_cells(
    train: MixedTable, clean: MixedTable, dirty: MixedTable, restored: MixedTable
) -> dict[str, float]:
    """Measure restored cells, those that were observed and those that were missing apart.

    Returns
    -------
    dict
        "rmse_observed", "rmse_missing": root mean squared error of numbers in training standard
        deviations; "state_error_observed", "state_error_missing": share of wrong states. NaN
        where there is no such cell.
    """
    deviation = train.continuous.std(axis=0)
    off = (restored.continuous - clean.continuous) / np.where(deviation > 0, deviation, 1.0)
    wrong = restored.categorical != clean.categorical
    figures = {}
    for kind, absent in (("observed", False), ("missing", True)):
        numbers = off[np.isnan(dirty.continuous) == absent]
        states = wrong[(dirty.categorical < 0) == absent]
        figures[f"rmse_{kind}"] = _mean(np.square(numbers)) ** 0.5
        figures[f"state_error_{kind}"] = _mean(states)
    return figures


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else float("nan")
