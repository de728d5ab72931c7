"""Learn confidence from noisy annotations and measure it on clean ones."""

import time
from typing import Any

import numpy as np

from lab.building import build
from lab.protocol import Part
from lab.shared_fits import FITS, shared
from lab.table import Model
from lab.tasks.confidence import compare_confidence
from labelfield.calibrate import NoiseRates
from labelfield.evaluation.answers import answer

__all__ = ["KNOWN", "measure_noisy_confidence"]

KNOWN = "known"  # in the place of a row's noise: the rates that the protocol drew


def measure_noisy_confidence(cell: Any, part: Part) -> dict[str, Any]:
    """Return the measures of a confidence that was learned from noisy annotations, per decoder.

    The classifier inside the cell's wrapper learns from the clean training part; the wrapper
    calibrates it, as it is, on the noisy part, and is told the rates there if the row says
    `noise="known"`. A flipped label always spoils a right set, so the rates are those of misses;
    the rare flip that makes a wrong set look right is neglected.
    """
    noisy, rates = part.extra
    saved, started = FITS.saved, time.process_time()
    fitted = _wrapper(cell.model, part, rates, cell.repetition).fit(noisy.X, noisy.Y)
    trained = time.process_time()
    answers = answer(fitted, part.test.X, cell.decoders, confidence=True)
    return {
        "figures": compare_confidence(cell, part.test.Y, answers),
        "fit_seconds": trained - started + FITS.saved - saved,
        "predict_seconds": time.process_time() - trained,
    }


def _wrapper(model: Model, part: Part, rates: np.ndarray, seed: int) -> Any:
    """Return the unfitted wrapper around a classifier that the clean part has taught."""
    parameters = dict(model.parameters)
    inner = shared(build(parameters["estimator"], seed)).fit(part.train.X, part.train.Y)
    parameters.update(estimator=inner, cv="prefit")
    if parameters.get("noise") == KNOWN:
        parameters["noise"] = NoiseRates(miss=rates)
    return build(Model(model.id, parameters), seed)
