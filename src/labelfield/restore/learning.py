"""Learning the mixed field from training rows, with or without holes."""

from dataclasses import dataclass

import numpy as np

from labelfield._typing import FloatArray
from labelfield.datasets import MixedNet
from labelfield.optim import BlockLasso, FieldShape, MixedPseudoLikelihood, Trace, fista
from labelfield.restore.codec import EncodedTable, best_states
from labelfield.restore.inference import collapsed
from labelfield.restore.noise import Noise

__all__ = ["ALPHAS", "LearnedField", "learn_field"]

ALPHAS = (0.08, 0.04, 0.02, 0.01)
PATH_TOLERANCE = 1e-3
PATH_ROWS = 4000
FEWEST_PATH_ROWS = 10
SINGLE_PRECISION_ROWS = 5000
SMALLEST_EIGENVALUE = 0.01
UNSEEN = 1e-3
FILL_ROUNDS = 3


@dataclass(frozen=True)
class LearnedField:
    """A mixed net, the strength it was learned with, held-out losses by strength, the history.

    numbers (n, mc) and states (n, K) are the training rows, expectations in place of holes.
    """

    net: MixedNet
    alpha: float
    path: dict[float, float]
    trace: Trace
    numbers: FloatArray
    states: FloatArray

    def sample(self, rows) -> EncodedTable:
        """Some training rows, every hole filled with its best value."""
        shape = FieldShape(len(self.net.linear), self.net.sizes)
        return EncodedTable(self.numbers[rows], best_states(self.states[rows], shape))


@dataclass
class _Filled:
    """Training rows with expectations in place of the holes."""

    table: EncodedTable
    shape: FieldShape

    def __post_init__(self) -> None:
        self.observed = self.table.observed()
        self.complete = bool(self.observed.all())
        numbers, states = self.table.numbers, self.table.states(self.shape.n_states)
        self.frequency = states.sum(axis=0) / np.maximum(
            np.repeat(self.observed[:, self.shape.n_numeric :].sum(axis=0), self.shape.n_states), 1
        )
        self._hole = np.repeat(
            ~self.observed[:, self.shape.n_numeric :], self.shape.n_states, axis=1
        )
        self.numbers = np.where(np.isnan(numbers), 0.0, numbers)
        self.states = np.where(self._hole, self.frequency, states)

    def refill(self, net: MixedNet) -> None:
        """Put the posterior of every hole given the rest of its row in its place."""
        rows = np.flatnonzero(~self.observed.all(axis=1))
        dirty = self.table.take(rows)
        posterior = collapsed(net, Noise.uniform(self.shape, 0.0, 0.0), dirty.numbers, dirty.codes)
        self.numbers[rows], self.states[rows] = posterior.mean, posterior.proba

    def loss(self, rows=None) -> MixedPseudoLikelihood:
        """Pseudo-likelihood; holes serve as neighbours, never as targets.

        Samples of rows and large tables are summed in single precision.
        """
        exact = rows is None and len(self.table) <= SINGLE_PRECISION_ROWS
        rows = slice(None) if rows is None else rows
        return MixedPseudoLikelihood(
            self.numbers[rows],
            self.states[rows],
            self.shape,
            observed=None if self.complete else self.observed[rows],
            dtype=np.float64 if exact else np.float32,
        )


def learn_field(
    table: EncodedTable,
    shape: FieldShape,
    *,
    alpha: float | str,
    tol: float,
    max_iter: int,
    rng: np.random.Generator,
) -> LearnedField:
    """Fit the field; holes are filled by the field itself, `FILL_ROUNDS` times over."""
    filled = _Filled(table, shape)
    if shape.width == 0:
        nothing = as_net(np.zeros(0), shape)
        strength = ALPHAS[0] if alpha == "auto" else float(alpha)
        return LearnedField(
            nothing, strength, {}, Trace([0.0], "converged"), filled.numbers, filled.states
        )
    theta, alpha, path = _choose_alpha(filled, alpha, tol, max_iter, rng)
    for _ in range(1 if filled.complete else FILL_ROUNDS):
        theta, trace = fista(
            filled.loss(), BlockLasso(alpha, shape), theta, tol=tol, max_iter=max_iter
        )
        net = as_net(theta, shape)
        if not filled.complete:
            filled.refill(net)
    return LearnedField(net, alpha, path, trace, filled.numbers, filled.states)


def as_net(theta: FloatArray, shape: FieldShape) -> MixedNet:
    """Name the learned parameters; a precision that is not positive definite is lifted."""
    mc = shape.n_numeric
    weights = shape.split(theta)
    precision = np.diag(weights.precision) - weights.coupling[:mc, :mc]
    lowest = np.linalg.eigvalsh(precision)[0] if mc else 1.0
    if lowest < SMALLEST_EIGENVALUE:
        precision = precision + (SMALLEST_EIGENVALUE - lowest) * np.eye(mc)
    return MixedNet(
        precision=precision,
        linear=weights.bias[:mc].copy(),
        mixed=weights.coupling[:mc, mc:].copy(),
        unary=weights.bias[mc:].copy(),
        pair=weights.coupling[mc:, mc:].copy(),
        sizes=shape.n_states,
    )


def _choose_alpha(
    filled: _Filled, alpha: float | str, tol: float, max_iter: int, rng: np.random.Generator
) -> tuple[FloatArray, float, dict[float, float]]:
    """Return a start near the answer, the strength, and the held-out losses that chose it."""
    n = len(filled.table)
    theta = _start(filled)
    strengths = ALPHAS if alpha == "auto" else (float(alpha),)
    if n < FEWEST_PATH_ROWS or (alpha != "auto" and n <= PATH_ROWS):
        return theta, strengths[0], {}
    order = rng.permutation(n)[:PATH_ROWS]
    held, kept = order[: len(order) // 5], order[len(order) // 5 :]
    fit_loss, held_loss = filled.loss(kept), filled.loss(held)
    starts, path = {}, {}
    for strength in strengths:
        penalty = BlockLasso(strength, filled.shape)
        theta, _ = fista(fit_loss, penalty, theta, tol=PATH_TOLERANCE, max_iter=max_iter)
        starts[strength], path[strength] = theta, float(held_loss.value(theta))
    best = min(path, key=path.__getitem__)
    start = starts[best]
    if n > PATH_ROWS:
        # iterations on the sample are cheap, and leave few for all rows
        penalty = BlockLasso(best, filled.shape)
        start, _ = fista(filled.loss(order), penalty, start, tol=tol, max_iter=max_iter)
    return start, best, path


def _start(filled: _Filled) -> FloatArray:
    """No coupling; unaries from smoothed counts, so that an unseen state stays possible."""
    shape = filled.shape
    mc = shape.n_numeric
    theta = np.zeros(mc + shape.width * (1 + shape.width))
    weights = shape.split(theta)
    weights.precision[:] = 1.0
    weights.bias[mc:] = np.log(filled.frequency + UNSEEN)
    return theta
