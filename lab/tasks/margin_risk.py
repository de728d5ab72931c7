"""Risk by the margin of whole label sets, and the bound that stability gives for it."""

import time
from typing import Any

import numpy as np

from lab.building import build
from lab.protocol import Part
from labelfield.evaluation.answers import OWN
from labelfield.joints import Joint
from labelfield.metrics import hamming_loss, subset_accuracy

__all__ = ["margin_losses", "measure_margin_risk", "stability_bound"]

MARGIN = 1.0  # gamma of the thesis, which names no figure
CONFIDENCE = 0.9


def measure_margin_risk(cell: Any, part: Part) -> dict[str, Any]:
    """Return 0-1 and Hamming loss, the risk of equation (3.37), and the bounds (3.46) of it.

    The cell's model names its `strength` against the mean loss.
    """
    started = time.process_time()
    fitted = build(cell.model, cell.repetition).fit(part.train.X, part.train.Y)
    trained = time.process_time()
    joint = fitted.predict_joint(part.test.X)
    sets = joint.mode()
    on_train = margin_losses(fitted.predict_joint(part.train.X), part.train.Y).mean()
    n, n_labels = part.train.Y.shape
    given = {"n": n, "strength": cell.model.parameters["strength"]}
    figures = {
        "zero_one_loss": 1.0 - subset_accuracy(part.test.Y, sets),
        "hamming_loss": hamming_loss(part.test.Y, sets),
        "margin_risk": margin_losses(joint, part.test.Y).mean(),
        "margin_risk_train": on_train,
        "printed_bound": on_train + stability_bound(**given),
        "corrected_bound": on_train + stability_bound(**given, n_labels=n_labels),
    }
    return {
        "figures": {OWN: {name: float(figure) for name, figure in figures.items()}},
        "fit_seconds": trained - started,
        "predict_seconds": time.process_time() - trained,
    }


def margin_losses(joint: Joint, truth: np.ndarray, margin: float = MARGIN) -> np.ndarray:
    """Return the loss (3.35) of each row: 1 where the true set is not the best, else 1 - lead.

    The lead is the log-odds of the true set against the best other one, in units of `margin`, at
    most 1.
    """
    best, scores = joint.top_k(2)
    right_first = (best[:, 0] == truth).all(axis=1)
    lead = joint.log_prob(truth) - np.where(right_first, scores[:, 1], scores[:, 0])
    return np.clip(1.0 - lead / margin, 0.0, 1.0)


def stability_bound(
    n: int,
    strength: float,
    n_labels: int | None = None,
    margin: float = MARGIN,
    confidence: float = CONFIDENCE,
) -> float:
    """Return what theorem 3 adds to the training risk.

    As printed, it does not depend on the number of labels. The step (3.32) behind it holds with
    1 / (L + L (L - 1) / 2) in place of 1/2; given `n_labels`, the constant is corrected for that.

    Examples
    --------
    >>> from lab.tasks.margin_risk import stability_bound
    >>> round(stability_bound(5000, strength=1.0), 2)
    0.99
    >>> round(stability_bound(5000, strength=1.0, n_labels=4), 2)
    4.9
    """
    terms = 2 if n_labels is None else n_labels * (n_labels + 1) // 2
    stability = 16.0 * terms / (margin * strength * n)
    deviation = (2 * n * stability + 1.0) * np.sqrt(-np.log(1.0 - confidence) / (2 * n))
    return float(stability + deviation)
