"""Predict label sets and measure them."""

from typing import Any

import numpy as np

from lab.measures import SET_METRICS
from lab.protocol import HiddenPositives, Part
from lab.tasks.fitting import fit_and_answer
from labelfield.metrics import METRICS

__all__ = ["classify", "match_cardinality", "measure_sets"]


def classify(cell: Any, part: Part) -> dict[str, Any]:
    """Return all measures of sets per decoder, and of label scores where wanted."""
    wanted = cell.score_metrics
    answers, costs = fit_and_answer(cell, part, part.test.X, scores=bool(wanted))
    ranking = {name: float(METRICS[name](part.test.Y, answers.scores)) for name in wanted}
    if wanted and isinstance(cell.protocol, HiddenPositives):
        matched = match_cardinality(answers.scores, part.extra.sum(axis=1).mean())
        for name in ("f1_macro", "f1_micro"):
            ranking[f"matched_{name}"] = float(METRICS[name](part.test.Y, matched))
    figures = {
        decoder: {**measure_sets(part.test.Y, sets), **ranking}
        for decoder, sets in answers.sets.items()
    }
    return {"figures": figures, **costs}


def match_cardinality(scores: np.ndarray, cardinality: float) -> np.ndarray:
    """Return the sets (n, L) of the best scored labels under one threshold for all rows.

    There are `cardinality` labels a row in the mean, up to ties. F1 of such sets compares the
    scores of models whose own decisions miss more or fewer of the hidden labels.
    """
    n_labels = min(max(round(cardinality * len(scores)), 1), scores.size)
    threshold = np.partition(scores, scores.size - n_labels, axis=None)[scores.size - n_labels]
    return (scores >= threshold).astype(np.uint8)


def measure_sets(truth: np.ndarray, sets: np.ndarray) -> dict[str, float]:
    """Return every measure of predicted sets (n, L)."""
    figures = {name: float(METRICS[name](truth, sets)) for name in SET_METRICS}
    return {**figures, "zero_one_loss": 1.0 - figures["subset_accuracy"]}
