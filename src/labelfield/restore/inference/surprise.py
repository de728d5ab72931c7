"""How surprising an observed cell is, given the rest of its row."""

import numpy as np
from scipy.special import log_ndtr

from labelfield.restore.inference.noise import Noise
from labelfield.restore.inference.posterior import Posterior, from_the_rest
from labelfield.restore.net import MixedNet
from labelfield.restore.tables.codec import EncodedTable

__all__ = ["cell_surprises"]


def cell_surprises(
    net: MixedNet, noise: Noise, dirty: EncodedTable, posterior: Posterior
) -> np.ndarray:
    """-log10 of the tail probability of every observed cell, were it clean, given its row."""
    numbers = np.full(dirty.numbers.shape, np.nan)
    for s in range(dirty.numbers.shape[1]):
        rows = np.flatnonzero(~np.isnan(dirty.numbers[:, s]))
        mean, variance = _expected_number(net, noise, dirty, posterior, s, rows)
        z = np.abs(dirty.numbers[rows, s] - mean) / np.sqrt(variance)
        numbers[rows, s] = -(log_ndtr(-z) + np.log(2)) / np.log(10)
    states = np.full(dirty.codes.shape, np.nan)
    for j, (start, size) in enumerate(zip(net.shape.state_starts, net.sizes)):
        rows = np.flatnonzero(dirty.codes[:, j] >= 0)
        proba = np.exp(posterior.log_elsewhere[rows, start : start + size])
        seen = proba[np.arange(len(rows)), dirty.codes[rows, j]]
        # states that tie but for rounding are equally unlikely
        tail = np.where(proba <= seen[:, None] * (1 + 1e-9), proba, 0.0).sum(axis=1)
        states[rows, j] = -np.log10(np.clip(tail, 1e-300, 1.0))
    return np.concatenate([numbers, states], axis=1)


def _expected_number(net, noise, dirty, posterior, s, rows):
    """Mean and variance of a clean number from the rest of its row."""
    if noise.scale[s] > 0:
        return from_the_rest(posterior, noise, dirty.numbers, s, rows)
    weight = -net.precision[s] / net.precision[s, s]
    weight[s] = 0.0
    loading = net.mixed[s] / net.precision[s, s]
    proba = posterior.proba[rows]
    mean = net.linear[s] / net.precision[s, s] + proba @ loading + posterior.mean[rows] @ weight
    starts = net.shape.state_starts
    variance = 1 / net.precision[s, s] + posterior.variance[rows] @ weight**2
    if len(starts):
        square = np.add.reduceat(proba * loading**2, starts, axis=1)
        variance = variance + (square - np.add.reduceat(proba * loading, starts, axis=1) ** 2).sum(
            axis=1
        )
    return mean, variance
