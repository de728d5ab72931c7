"""Measures of confidence in stored cells."""

import numpy as np
import pytest
from lab.tasks import confidence as task


def test_uncertainty_is_that_of_the_hits_not_of_the_confidence():
    confidence = np.array([0.9, 0.8, 0.7, 0.6])
    right = np.array([True, False, False, False])
    measured = task._compare(confidence, right)
    assert measured["uncertainty"] == pytest.approx(0.25 * 0.75)
    assert measured["mean_confidence"] == pytest.approx(0.75)
    assert measured["brier_score"] == pytest.approx(np.mean((confidence - right) ** 2))
    assert measured["sharpness"] == pytest.approx(0.25 * 0.75)  # every bin holds one kind
