"""Find the training labels that were hidden."""

from typing import Any

import numpy as np
from scipy.stats import rankdata

from lab.protocol import Part
from lab.tasks.fitting import fit_and_answer

__all__ = ["measure_recovery", "recover"]


def recover(cell: Any, part: Part) -> dict[str, Any]:
    """Return how well the hidden labels of the training rows come back, per decoder."""
    answers, costs = fit_and_answer(cell, part, part.train.X, scores=True)
    figures = {
        decoder: measure_recovery(part.extra, part.train.Y, sets, answers.scores)
        for decoder, sets in answers.sets.items()
    }
    return {"figures": figures, **costs}


def measure_recovery(
    truth: np.ndarray, observed: np.ndarray, sets: np.ndarray, scores: np.ndarray
) -> dict[str, float]:
    """Measure recovered labels in three readings.

    Parameters
    ----------
    truth, observed : 0/1 arrays of shape (n, L)
        Complete labels, and those left after hiding some.
    sets, scores : arrays of shape (n, L)
        What the model predicts for the same rows.

    Returns
    -------
    dict
        "recovery_recall": share of the hidden labels that are predicted; "recovery_top_k": share
        that are among the k best scored labels not observed, k the number hidden in the row;
        "recovery_ranking": mean over hidden labels of the share of the row's absent labels with a
        lower score, ties counting half.

    Examples
    --------
    >>> import numpy as np
    >>> from lab.tasks.recover import measure_recovery
    >>> truth, observed = np.array([[1, 1, 0, 0]]), np.array([[1, 0, 0, 0]])
    >>> measure_recovery(truth, observed, truth, np.array([[0.1, 0.5, 0.7, 0.2]]))
    {'recovery_recall': 1.0, 'recovery_top_k': 0.0, 'recovery_ranking': 0.5}
    """
    hidden = (truth == 1) & (observed == 0)
    total = int(hidden.sum())
    if total == 0:
        raise ValueError("No label was hidden, so there is nothing to recover.")
    n_hidden = hidden.sum(axis=1, keepdims=True)
    n_observed = (observed == 1).sum(axis=1, keepdims=True)
    n_absent = truth.shape[1] - n_observed - n_hidden
    floor = scores.min() - 1.0
    unobserved = np.where(observed == 0, scores, floor)
    place = np.argsort(np.argsort(-unobserved, axis=1, kind="stable"), axis=1, kind="stable")
    # ranks among all unobserved less ranks among the hidden: absent labels below, ties half
    below = rankdata(unobserved, axis=1) - n_observed
    below -= rankdata(np.where(hidden, scores, floor), axis=1) - (truth.shape[1] - n_hidden)
    above = (below / np.maximum(n_absent, 1))[hidden & (n_absent > 0)]
    return {
        "recovery_recall": float(sets[hidden].mean()),
        "recovery_top_k": float((hidden & (place < n_hidden)).sum()) / total,
        "recovery_ranking": float(above.mean()) if len(above) else float("nan"),
    }
