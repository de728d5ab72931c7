"""Learning the mixed field from training rows, with or without holes."""

from dataclasses import dataclass

import numpy as np

from labelfield._typing import FloatArray
from labelfield.optim.fista import fista
from labelfield.optim.trace import Trace
from labelfield.restore.learning.pseudo_likelihood import BlockLasso
from labelfield.restore.learning.training_rows import TrainingRows
from labelfield.restore.net import MixedNet
from labelfield.restore.shape import FieldShape
from labelfield.restore.tables.codec import EncodedTable, best_states

__all__ = ["ALPHAS", "LearnedField", "learn_field"]

ALPHAS = (0.08, 0.04, 0.02, 0.01)
PATH_TOLERANCE = 1e-3
PATH_ROWS = 4000
FEWEST_PATH_ROWS = 10
SMALLEST_EIGENVALUE = 0.01
UNSEEN = 1e-3
DRAW_ROUNDS = 3


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
        return EncodedTable(self.numbers[rows], best_states(self.states[rows], self.net.shape))


def learn_field(
    table: EncodedTable,
    shape: FieldShape,
    *,
    alpha: float | str,
    tol: float,
    max_iter: int,
    rng: np.random.Generator,
) -> LearnedField:
    """Fit the field; holes are drawn from the field itself, `DRAW_ROUNDS` times over."""
    rows = TrainingRows(table, shape)
    if shape.width == 0:
        nothing = as_net(np.zeros(0), shape)
        strength = ALPHAS[0] if alpha == "auto" else float(alpha)
        return LearnedField(
            nothing, strength, {}, Trace([0.0], "converged"), rows.numbers, rows.states
        )
    theta, alpha, path = _choose_alpha(rows, alpha, tol, max_iter, rng)
    penalty = BlockLasso(alpha, shape)
    theta, trace = fista(rows.loss(), penalty, theta, tol=tol, max_iter=max_iter)
    net = as_net(theta, shape)
    if rows.complete:
        return LearnedField(net, alpha, path, trace, rows.numbers, rows.states)
    for _ in range(DRAW_ROUNDS):
        rows.draw(net, rng)
        theta, trace = fista(rows.loss(), penalty, theta, tol=tol, max_iter=max_iter)
        net = as_net(theta, shape)
    return LearnedField(net, alpha, path, trace, *rows.expect(net))


def as_net(theta: FloatArray, shape: FieldShape) -> MixedNet:
    """Name the learned parameters; the diagonal is raised if they are not positive definite."""
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
    rows: TrainingRows, alpha: float | str, tol: float, max_iter: int, rng: np.random.Generator
) -> tuple[FloatArray, float, dict[float, float]]:
    """Return a start near the answer, the strength, and the held-out losses that chose it."""
    n = len(rows.table)
    theta = _start(rows)
    strengths = ALPHAS if alpha == "auto" else (float(alpha),)
    if n < FEWEST_PATH_ROWS or (alpha != "auto" and n <= PATH_ROWS):
        return theta, strengths[0], {}
    order = rng.permutation(n)[:PATH_ROWS]
    test, train = order[: len(order) // 5], order[len(order) // 5 :]
    fit_loss, test_loss = rows.loss(train), rows.loss(test)
    starts, path = {}, {}
    for strength in strengths:
        penalty = BlockLasso(strength, rows.shape)
        theta, _ = fista(fit_loss, penalty, theta, tol=PATH_TOLERANCE, max_iter=max_iter)
        starts[strength], path[strength] = theta, float(test_loss.value(theta))
    best = min(path, key=path.__getitem__)
    start = starts[best]
    if n > PATH_ROWS:
        # iterations on the sample are cheap, and leave few for all rows
        penalty = BlockLasso(best, rows.shape)
        start, _ = fista(rows.loss(order), penalty, start, tol=tol, max_iter=max_iter)
    return start, best, path


def _start(rows: TrainingRows) -> FloatArray:
    """No coupling; unaries from smoothed counts, so that an unseen state stays possible."""
    shape = rows.shape
    mc = shape.n_numeric
    theta = np.zeros(mc + shape.width * (1 + shape.width))
    weights = shape.split(theta)
    weights.precision[:] = 1.0
    weights.bias[mc:] = np.log(rows.frequency + UNSEEN)
    return theta
