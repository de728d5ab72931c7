"""Predict label sets with their confidence and measure how far it can be trusted."""

from typing import Any

import numpy as np

from labelfield import metrics
from labelfield.experiments.protocol import Part
from labelfield.experiments.tasks.classify import measure_sets
from labelfield.experiments.tasks.fitting import fit_and_answer

__all__ = ["measure_confidence"]

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
    figures = {}
    for decoder, sets in answers.sets.items():
        if decoder not in answers.confidence:
            raise ValueError(f"{cell.model.id} gives no confidence in its sets.")
        confidence = answers.confidence[decoder]
        right = (sets == part.test.Y).all(axis=1)
        figures[decoder] = {
            **measure_sets(part.test.Y, sets),
            **_compare(confidence, right),
        }
    return {"figures": figures, **costs}


def _compare(confidence: np.ndarray, right: np.ndarray) -> dict[str, float]:
    return {
        **{name: float(getattr(metrics, name)(confidence, right)) for name in MEASURES},
        "mean_confidence": float(confidence.mean()),
    }
