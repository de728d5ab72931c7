"""Predict label sets and measure them."""

from typing import Any

import numpy as np

from labelfield.experiments.measures import SET_METRICS
from labelfield.experiments.protocol import Part
from labelfield.experiments.tasks.fitting import fit_and_answer
from labelfield.metrics import METRICS

__all__ = ["classify", "measure_sets"]


def classify(cell: Any, part: Part) -> dict[str, Any]:
    """Return all measures of sets per decoder, and of label scores where wanted."""
    wanted = cell.score_metrics
    answers, costs = fit_and_answer(cell, part, part.test.X, scores=bool(wanted))
    ranking = {name: float(METRICS[name](part.test.Y, answers.scores)) for name in wanted}
    figures = {
        decoder: {**measure_sets(part.test.Y, sets), **ranking}
        for decoder, sets in answers.sets.items()
    }
    return {"figures": figures, **costs}


def measure_sets(truth: np.ndarray, sets: np.ndarray) -> dict[str, float]:
    """Return every measure of predicted sets (n, L)."""
    figures = {name: float(METRICS[name](truth, sets)) for name in SET_METRICS}
    return {**figures, "zero_one_loss": 1.0 - figures["subset_accuracy"]}
