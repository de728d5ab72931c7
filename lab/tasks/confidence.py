"""Predict label sets with their confidence and measure how far it can be trusted."""

from typing import Any

import numpy as np

from lab.protocol import Part
from lab.tasks.classify import measure_sets
from lab.tasks.fitting import fit_and_answer
from labelfield import metrics
from labelfield.evaluation.answers import Answers

__all__ = ["compare_confidence", "measure_confidence"]

MEASURES = (
    "brier_score",
    "sharpness",
    "uncertainty",
    "alignment_error",
    "expected_calibration_error",
)


def measure_confidence(cell: Any, part: Part) -> dict[str, Any]:
    """Return the measures of confidence in the predicted sets, per decoder."""
    answers, costs = fit_and_answer(cell, part, part.test.X, confidence=True)
    return {"figures": compare_confidence(cell, part.test.Y, answers), **costs}


def compare_confidence(
    cell: Any, truth: np.ndarray, answers: Answers
) -> dict[str, dict[str, float]]:
    """Return the measures of answered sets and of the confidence in them, per decoder."""
    figures = {}
    for decoder, sets in answers.sets.items():
        if decoder not in answers.confidence:
            raise ValueError(f"{cell.model.id} gives no confidence in its sets.")
        right = (sets == truth).all(axis=1)
        figures[decoder] = {
            **measure_sets(truth, sets),
            **_compare(answers.confidence[decoder], right),
        }
    return figures


def _compare(confidence: np.ndarray, right: np.ndarray) -> dict[str, float]:
    return {
        **{name: float(getattr(metrics, name)(confidence, right)) for name in MEASURES},
        "mean_confidence": float(confidence.mean()),
    }
