"""Costs of predicting one label set where another is true, for methods that learn from them."""

import numpy as np

__all__ = ["COSTS"]


def f1_cost(truth, sets):
    """Return 1 - F1 of pairs of sets (..., L): 0 for two empty ones."""
    total = truth.sum(axis=-1, dtype=float) + sets.sum(axis=-1, dtype=float)
    both = (truth * sets).sum(axis=-1, dtype=float)
    return np.where(total > 0, 1.0 - 2.0 * both / np.maximum(total, 1.0), 0.0)


def hamming_cost(truth, sets):
    """Return the share of labels that differ: (..., L) -> (...)."""
    return np.mean(np.not_equal(truth, sets), axis=-1)


COSTS = {"f1": f1_cost, "hamming": hamming_cost}
