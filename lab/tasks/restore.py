"""Restore a corrupted table and classify its rows."""

import time
from copy import copy
from functools import lru_cache
from typing import Any

import numpy as np

from lab.building import build, is_random
from lab.protocol import Part
from lab.restorers import DownstreamAccuracy, TwoStageRestorer
from lab.shared_fits import FITS
from lab.table import Model
from labelfield.evaluation.answers import OWN
from labelfield.restore import MixedTable, cell_scores

__all__ = ["restore"]

# set on a fitted restorer before it is used: fits that differ in nothing else are shared
SET_AFTER_FIT = ("noise_scale", "flip_rate")
TWO_STAGE = "two-stage"
STAGES = ("estimator", "corrector")


def restore(cell: Any, part: Part) -> dict[str, Any]:
    """Return accuracies of two classifiers on the restored table, and the errors of its cells.

    The restorer learns from the clean training table and is applied to the corrupted test table;
    the classifiers learn from the clean training table too.
    """
    restorer, fit_seconds = _fit(cell.model, cell.repetition, part.train)
    started = time.process_time()
    restored = _read_back(restorer.transform(part.extra.to_frame()), part.extra)
    figures = {
        **_classifiers(part.train)(restored),
        **cell_scores(part.test, part.extra, restored, scale=part.train.continuous.std(axis=0)),
    }
    return {
        "figures": {OWN: figures},
        "fit_seconds": fit_seconds,
        "predict_seconds": time.process_time() - started,
    }


def _fit(model: Model, repetition: int, train: MixedTable) -> tuple[Any, float]:
    """Return a fitted restorer and the CPU seconds of its fit, whenever that was."""
    if model.id == TWO_STAGE:
        stages = {name: _fit(model.parameters[name], repetition, train) for name in STAGES}
        fitted = {name: stage for name, (stage, _) in stages.items()}
        return TwoStageRestorer.of_fitted(**fitted), sum(taken for _, taken in stages.values())
    later = {name: value for name, value in model.parameters.items() if name in SET_AFTER_FIT}
    learned = {name: value for name, value in model.parameters.items() if name not in SET_AFTER_FIT}
    fixed = "random_state" in learned or not is_random(model)
    restorer = build(Model(model.id, learned), seed=None if fixed else repetition)
    key = model.id, tuple(sorted(learned.items())), None if fixed else repetition, train
    fitted, seconds = FITS.fetch(key, lambda: restorer.fit(train.to_frame()))
    return copy(fitted).set_params(**later), seconds


@lru_cache(maxsize=2)
def _classifiers(train: MixedTable) -> DownstreamAccuracy:
    """Classifiers of a clean table, fitted once for all the tables restored beside it."""
    return DownstreamAccuracy(train)


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
