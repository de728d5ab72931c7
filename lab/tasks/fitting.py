"""Fitting and asking a cell's model, with the CPU seconds of both."""

import time
from typing import Any

import numpy as np

from lab.building import build_row
from lab.protocol import Part
from labelfield.evaluation.answers import Answers, answer

__all__ = ["fit_and_answer"]


def fit_and_answer(
    cell: Any, part: Part, X: Any, *, confidence: bool = False, scores: bool = False
) -> tuple[Answers, dict[str, Any]]:
    """Fit a cell's model to the training part and ask it about X.

    Returns
    -------
    answers : Answers
    costs : dict
        "fit_seconds", "predict_seconds", and "chosen" parameters where some were searched.
    """
    estimator = build_row(cell.model, scale=cell.scale, search=cell.search, seed=cell.repetition)
    started = time.process_time()
    estimator.fit(part.train.X, part.train.Y)
    fitted = time.process_time()
    answers = answer(estimator, X, cell.decoders, confidence=confidence, scores=scores)
    costs = {"fit_seconds": fitted - started, "predict_seconds": time.process_time() - fitted}
    if cell.search is not None:
        costs["chosen"] = {
            name.partition("__")[2]: value.item() if isinstance(value, np.generic) else value
            for name, value in estimator.best_params_.items()
        }
    return answers, costs
