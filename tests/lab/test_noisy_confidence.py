"""Confidence learned from noisy annotations."""

from dataclasses import replace

import numpy as np
import pytest
from lab.runner import compute

from lab import Generated, Method, Model, NoisyCalibration, cells_of
from labelfield import BinaryRelevance, CalibratedSetClassifier, IsotonicSetCalibrator, NoiseRates
from labelfield.metrics import alignment_error

CALIBRATOR = Model("labelfield.calibrate.IsotonicSetCalibrator")
PARAMETERS = {"estimator": Model("br"), "calibrator": CALIBRATOR, "label_calibration": None}


@pytest.fixture
def noisy_table(table):
    source = Generated("make_multilabel", {"n_samples": 3000, "n_labels": 6, "coupling": 3.0})
    return replace(
        table,
        task="noisy_confidence",
        protocol=NoisyCalibration((0.2, 0.6), n_repetitions=1),
        columns=(replace(table.columns[0], source=source),),
        methods=(
            Method("plain", Model("calibrated", PARAMETERS)),
            Method("robust", Model("calibrated", {**PARAMETERS, "noise": "known"})),
        ),
        metrics=("alignment_error", "mean_confidence"),
        published={},
        reference="",
    )


@pytest.mark.parametrize("robust", [False, True])
def test_figures_equal_those_by_hand(noisy_table, robust):
    cell = cells_of(noisy_table)[int(robust)]
    part = cell.protocol.part(cell.source, 0)
    noisy, rates = part.extra
    by_hand = CalibratedSetClassifier(
        BinaryRelevance(alpha=1.0, decoder="hamming").fit(part.train.X, part.train.Y),
        cv="prefit",
        calibrator=IsotonicSetCalibrator(),
        label_calibration=None,
        noise=NoiseRates(rates) if robust else None,
    ).fit(noisy.X, noisy.Y)
    confidence = by_hand.predict_confidence(part.test.X)
    right = (by_hand.predict(part.test.X) == part.test.Y).all(axis=1)
    figures = compute(cell)["figures"]["own"]
    assert figures["mean_confidence"] == pytest.approx(confidence.mean())
    assert figures["alignment_error"] == pytest.approx(alignment_error(confidence, right))
    assert figures["subset_accuracy"] == pytest.approx(right.mean())


def test_known_rates_take_the_bias_away(noisy_table):
    plain, robust = (compute(cell)["figures"]["own"] for cell in cells_of(noisy_table))
    assert plain["mean_confidence"] < 0.75 * plain["subset_accuracy"]
    assert robust["mean_confidence"] == pytest.approx(robust["subset_accuracy"], rel=0.15)
    assert robust["alignment_error"] < plain["alignment_error"]


def test_cells_can_be_described(noisy_table):
    keys = {cell.key for cell in cells_of(noisy_table)}
    assert len(keys) == 2
    assert np.all([key.startswith("multilabel/calibrated-") for key in keys])
