"""Fitting and asking a cell's model, with the CPU seconds of both."""

import time
from typing import Any

import numpy as np

from lab.building import build_row
from lab.protocol import Part
from lab.shared_fits import FITS, shared
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
        "fit_seconds", "predict_seconds", and "chosen" parameters where some were searched. Fits
        that an earlier cell has made count as if they had been made here.
    """
    estimator = build_row(cell.model, scale=cell.scale, search=cell.search, seed=cell.repetition)
    _share_inner(estimator)
    saved, started = FITS.saved, time.process_time()
    estimator.fit(part.train.X, part.train.Y)
    fitted = time.process_time()
    costs = {"fit_seconds": fitted - started + FITS.saved - saved}
    answers = answer(estimator, X, cell.decoders, confidence=confidence, scores=scores)
    costs["predict_seconds"] = time.process_time() - fitted
    if cell.search is not None:
        costs["chosen"] = {
            name.partition("__")[2]: value.item() if isinstance(value, np.generic) else value
            for name, value in estimator.best_params_.items()
        }
    return answers, costs


def _share_inner(estimator: Any) -> None:
    """Let the classifier inside a row's wrapper, if there is one, share its fits.

    Calibrators and rerankers of one classifier fit it to the same folds again and again.
    """
    model = getattr(estimator, "estimator", estimator)["model"]  # inside a search, or plain
    if hasattr(getattr(model, "estimator", None), "predict_joint"):
        model.estimator = shared(model.estimator)
