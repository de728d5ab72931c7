"""The answer of `RandomMixedField.restore`: the table, how sure, what changed."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import log_ndtr

from labelfield.restore.inference.noise import Noise
from labelfield.restore.inference.posterior import Posterior, from_the_rest
from labelfield.restore.net import MixedNet
from labelfield.restore.tables.codec import EncodedTable, TableCodec

__all__ = ["CellChange", "Restoration"]


@dataclass(frozen=True)
class CellChange:
    """One corrected cell: position, value before and after, and how unlikely the old one was.

    Examples
    --------
    >>> from labelfield.restore import CellChange
    >>> CellChange(row=3, column="colour", before="red", after="blue", amount=0.9, surprise=4.0)
    CellChange(row=3, column='colour', before='red', after='blue', amount=0.9, surprise=4.0)
    """

    row: int
    column: Any
    before: Any
    after: Any
    amount: float
    surprise: float


@dataclass(frozen=True)
class Restoration:
    """A restored table with what is known about every cell. All arrays are (n, n_columns).

    Attributes
    ----------
    table : the restored table, of the kind that was given
    filled, changed : bool ndarray
        Holes that were filled; observed cells that were given another value.
    amount : float ndarray
        How much an observed cell moved: a number in training standard deviations, a category by
        the probability that it was wrong. NaN for holes.
    surprise : float ndarray
        -log10 of the probability that a clean cell would be at least as unlikely as the observed
        one, given the rest of its row; infinite for a category training never showed. NaN for
        holes and constant columns.
    std : float ndarray or None
        Standard deviation of every number after restoring, in its own units (dates in days); NaN
        elsewhere.
    proba : dict of column name to ndarray of shape (n, L), or None
        Probabilities of the states of every categorical column; the order is in `states`.
    states : dict of column name to tuple
    noise_scale, flip_rate : dict of column name to float
        Noise that was assumed or estimated; scales in the column's own units, dates in days.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import RandomMixedField
    >>> clean = np.repeat([[0.0, 5.0], [1.0, 9.0]], 20, axis=0)
    >>> model = RandomMixedField(alpha=0.02, flip_rate=0.1, categorical=[1]).fit(clean)
    >>> result = model.restore(np.array([[1.0, 5.0], [0.0, np.nan]]))
    >>> result.table.tolist(), result.filled.sum(), result.changed.sum()
    ([[1.0, 9.0], [0.0, 5.0]], np.int64(1), np.int64(1))
    >>> result.changes()[0].before, result.changes()[0].after
    (5.0, 9.0)
    """

    table: Any
    filled: np.ndarray
    changed: np.ndarray
    amount: np.ndarray
    surprise: np.ndarray
    std: np.ndarray | None
    proba: dict | None
    states: dict
    noise_scale: dict
    flip_rate: dict
    _before: list = field(repr=False)
    _after: list = field(repr=False)

    def changes(self, limit=None) -> list[CellChange]:
        """Corrected cells, the most surprising first.

        Parameters
        ----------
        limit : int or None
            Return at most so many.
        """
        rows, columns = np.nonzero(self.changed)
        order = np.argsort(-self.surprise[rows, columns], kind="stable")[:limit]
        return [self._change(rows[i], columns[i]) for i in order]

    def _change(self, row, column) -> CellChange:
        before, after = self._before[column], self._after[column]
        return CellChange(
            int(row),
            before.name,
            before.cell(row),
            after.cell(row),
            float(self.amount[row, column]),
            float(self.surprise[row, column]),
        )


def cell_amounts(dirty: EncodedTable, posterior: Posterior, starts: np.ndarray) -> np.ndarray:
    """How much every observed cell moved, (n, mc + md), NaN for holes."""
    seen = np.take_along_axis(posterior.proba, np.maximum(dirty.codes, 0) + starts, axis=1)
    wrong = np.where(dirty.codes < 0, np.nan, 1.0 - seen)
    return np.concatenate([np.abs(posterior.mean - dirty.numbers), wrong], axis=1)


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
        law = np.exp(posterior.log_elsewhere[rows, start : start + size])
        seen = law[np.arange(len(rows)), dirty.codes[rows, j]]
        # states that tie but for rounding are equally unlikely
        tail = np.where(law <= seen[:, None] * (1 + 1e-9), law, 0.0).sum(axis=1)
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


def spread_columns(codec: TableCodec, nodes: np.ndarray, fill) -> np.ndarray:
    """Put node columns in the order of the table: constants filled, spikes left out."""
    nodes = nodes[:, : len(codec.positions)]
    result = np.full((len(nodes), len(codec.names)), fill, dtype=nodes.dtype)
    result[:, list(codec.positions)] = nodes
    return result
