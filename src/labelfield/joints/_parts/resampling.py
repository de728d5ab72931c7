"""Weighted draws, and drawing again where few of them hold the weight."""

import numpy as np

from labelfield._typing import FloatArray, LabelArray

__all__ = ["LOWEST", "resample"]

LOWEST = -1e300
LEAST_EFFECTIVE = 0.5  # share of the draws; below it they are drawn again by their weights


def resample(chain: LabelArray, log_weights: FloatArray, log_mean: FloatArray) -> None:
    """Draw again, in place and evenly, in rows where few of the draws (n, m) hold the weight.

    The mean weight of the draws they replace goes into `log_mean` (n,).
    """
    n_draws = log_weights.shape[1]
    peak = np.maximum(log_weights.max(axis=1, keepdims=True), LOWEST)
    weights = np.exp(log_weights - peak)
    total = weights.sum(axis=1)
    effective = total**2 / np.maximum((weights**2).sum(axis=1), 1e-300)
    evenly = (np.arange(n_draws) + 0.5) / n_draws
    for row in np.flatnonzero((effective < LEAST_EFFECTIVE * n_draws) & (total > 0.0)):
        levels = weights[row].cumsum() / total[row]
        chosen = np.minimum(np.searchsorted(levels, evenly), n_draws - 1)
        chain[row] = chain[row, chosen]
        log_mean[row] += peak[row, 0] + np.log(total[row] / n_draws)
        log_weights[row] = 0.0
