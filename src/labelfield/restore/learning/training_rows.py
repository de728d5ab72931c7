"""Training rows whose holes are drawn from the field that is being learned."""

import numpy as np

from labelfield._typing import BoolArray, FloatArray
from labelfield.restore.inference.noise import Noise
from labelfield.restore.inference.posterior import collapsed
from labelfield.restore.learning.pseudo_likelihood import MixedPseudoLikelihood
from labelfield.restore.net import MixedNet
from labelfield.restore.shape import FieldShape
from labelfield.restore.tables.codec import EncodedTable

__all__ = ["TrainingRows", "redraw"]

SINGLE_PRECISION_ROWS = 5000
SWEEPS = 5
MOST_COPIES = 5
DRAWN_ROWS = 10_000


class TrainingRows:
    """Training rows, at first with averages in the holes, later with draws.

    Expectations given the rest of the row would not do: they count the rest of the row
    twice, and couplings come out too strong. Draws have the spread of the
    missing values; a small table is copied, each copy with its own draws.
    """

    def __init__(self, table: EncodedTable, shape: FieldShape) -> None:
        self.table, self.shape = table, shape
        self.observed = table.observed()
        self.complete = bool(self.observed.all())
        numbers, states = table.numbers, table.states(shape.n_states)
        there = self.observed[:, shape.n_numeric :]
        self.frequency = states.sum(axis=0) / np.maximum(
            np.repeat(there.sum(axis=0), shape.n_states), 1
        )
        self.numbers = np.where(np.isnan(numbers), 0.0, numbers)
        self.states = np.where(np.repeat(there, shape.n_states, axis=1), states, self.frequency)
        self._copies = 1

    def expect(self, net: MixedNet) -> tuple[FloatArray, FloatArray]:
        """Return numbers (n, mc) and states (n, K), expectations in place of the holes."""
        n = len(self.table)
        numbers, states = self.numbers[:n].copy(), self.states[:n].copy()
        rows = np.flatnonzero(~self.observed.all(axis=1))
        dirty = self.table.take(rows)
        posterior = collapsed(net, Noise.uniform(self.shape, 0.0, 0.0), dirty.numbers, dirty.codes)
        numbers[rows], states[rows] = posterior.mean, posterior.proba
        return numbers, states

    def draw(self, net: MixedNet, rng: np.random.Generator) -> None:
        """Fill every hole at random."""
        numbers, states = self.expect(net)
        self._copies = int(np.clip(DRAWN_ROWS // len(self.table), 1, MOST_COPIES))
        self.numbers, self.states, observed = (
            np.tile(part, (self._copies, 1)) for part in (numbers, states, self.observed)
        )
        redraw(net, self.numbers, self.states, ~observed, rng)

    def loss(self, rows=None) -> MixedPseudoLikelihood:
        """Pseudo-likelihood; holes serve as neighbours, never as targets.

        Samples of rows and large tables are summed in single precision.
        """
        exact = rows is None and len(self.table) <= SINGLE_PRECISION_ROWS
        rows = slice(None) if rows is None else rows
        observed = None if self.complete else np.tile(self.observed, (self._copies, 1))[rows]
        return MixedPseudoLikelihood(
            self.numbers[rows],
            self.states[rows],
            self.shape,
            observed=observed,
            dtype=np.float64 if exact else np.float32,
        )


def redraw(
    net: MixedNet,
    numbers: FloatArray,
    states: FloatArray,
    holes: BoolArray,
    rng: np.random.Generator,
    *,
    sweeps: int = SWEEPS,
) -> None:
    """Draw the holes of numbers (n, mc) and states (n, K) in place, by Gibbs sweeps.

    holes (n, mc + md) are the cells to draw; the values in them are where the chains start.
    """
    shape = net.shape
    rows_of = [np.flatnonzero(column) for column in holes.T]
    for _ in range(sweeps):
        for j, (start, size) in enumerate(zip(shape.state_starts, shape.n_states)):
            rows, block = rows_of[shape.n_numeric + j], slice(start, start + size)
            score = numbers[rows] @ net.mixed[:, block] + states[rows] @ net.pair[:, block]
            # the largest of log weights with Gumbel noise is a draw from the softmax
            score += net.unary[block] + rng.gumbel(size=score.shape)
            states[rows, block] = np.eye(size)[score.argmax(axis=1)]
        for s, rows in enumerate(rows_of[: shape.n_numeric]):
            own = net.precision[s, s]
            pull = net.linear[s] + states[rows] @ net.mixed[s] - numbers[rows] @ net.precision[s]
            numbers[rows, s] += pull / own + rng.standard_normal(len(rows)) / np.sqrt(own)
