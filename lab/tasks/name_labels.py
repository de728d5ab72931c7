"""Name a few labels of every row, the likeliest first."""

from typing import Any

import numpy as np

from lab.protocol import Part
from lab.tasks.fitting import fit_and_answer
from labelfield.metrics import label_propensities, named_precision

__all__ = ["measure_named", "name_labels"]

COUNTS = (1, 3, 5)


def name_labels(cell: Any, part: Part) -> dict[str, Any]:
    """Return precisions of the best scored labels, plain and scored by propensities."""
    answers, costs = fit_and_answer(cell, part, part.test.X, scores=True)
    figures = measure_named(part.train.Y, part.test.Y, answers.scores)
    return {"figures": dict.fromkeys(answers.sets, figures), **costs}


def measure_named(known: np.ndarray, truth: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """Measure the 1, 3 and 5 best scored labels of each row.

    Parameters
    ----------
    known : array of shape (m, L)
        Training labels, whose counts tell the propensities.
    truth, scores : arrays of shape (n, L)

    Examples
    --------
    >>> import numpy as np
    >>> from lab.tasks.name_labels import measure_named
    >>> truth = np.eye(6, dtype=int)[:2]
    >>> round(measure_named(truth, truth, truth + 0.0)["precision_at_3"], 3)
    0.333
    """
    best = np.argsort(-scores, axis=1, kind="stable")
    propensity = label_propensities(known)
    plain = {f"precision_at_{k}": named_precision(truth, best[:, :k]) for k in COUNTS}
    scored = {
        f"propensity_precision_at_{k}": named_precision(truth, best[:, :k], propensity=propensity)
        for k in COUNTS
    }
    return plain | scored
