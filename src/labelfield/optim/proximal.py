"""Accelerated proximal gradient descent that never goes uphill."""

from typing import Protocol

import numpy as np

from labelfield._typing import FloatArray
from labelfield.optim.penalties import Penalty
from labelfield.optim.trace import Trace

__all__ = ["SmoothLoss", "fista"]

GROWTH = 1.1  # a step that was right is tried a little longer the next time


class SmoothLoss(Protocol):
    """The smooth part of an objective over an array of any shape."""

    def value(self, x: FloatArray) -> float:
        """Return the loss."""

    def value_and_gradient(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss and its gradient."""


def fista(
    loss: SmoothLoss,
    penalty: Penalty,
    start: FloatArray,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
    step: float = 1.0,
) -> tuple[FloatArray, Trace]:
    """Minimise `loss + penalty` by FISTA with backtracking and restart.

    The step is halved until the quadratic bound of the loss holds; when the objective would rise,
    the momentum is dropped. Stops when the objective falls by less than `tol` of itself without
    momentum to blame.

    Parameters
    ----------
    loss : SmoothLoss
    penalty : Penalty
    start : array
    tol, max_iter : float, int
    step : float
        First step length, best near 1 / Lipschitz constant of the gradient.

    Returns
    -------
    x, trace : array like `start`, Trace of the objective

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import L1, fista
    >>> class Distance:
    ...     def value(self, x):
    ...         return 0.5 * float(((x - [3.0, 0.5]) ** 2).sum())
    ...     def value_and_gradient(self, x):
    ...         return self.value(x), x - [3.0, 0.5]
    >>> x, trace = fista(Distance(), L1(1.0), np.zeros(2))
    >>> x.round(3).tolist(), trace.reason
    ([2.0, 0.0], 'converged')
    """
    x = ahead = start.copy()
    momentum = 1.0
    best = loss.value(x) + penalty.value(x)
    objective = [best]
    for _ in range(max_iter):
        value, gradient = loss.value_and_gradient(ahead)
        new, new_value, step = _proximal_step(loss, penalty, ahead, value, gradient, step)
        total = new_value + penalty.value(new)
        plain = momentum == 1.0
        if total > best and not plain:
            ahead, momentum = x, 1.0
            continue
        done = best - total <= tol * abs(best)
        if total <= best:
            following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
            ahead = new + ((momentum - 1.0) / following) * (new - x)
            x, momentum, best = new, following, total
            step *= GROWTH
        objective.append(best)
        if done and plain:
            return x, Trace(objective, "converged")
        if done:
            ahead, momentum = x, 1.0
    return x, Trace(objective, "max_iter")


def _proximal_step(
    loss: SmoothLoss,
    penalty: Penalty,
    at: FloatArray,
    value: float,
    gradient: FloatArray,
    step: float,
) -> tuple[FloatArray, float, float]:
    """Return the next point, its loss and the step length for which the bound holds."""
    slack = 1e-12 * abs(value)
    while True:
        new = penalty.prox(at - step * gradient, step)
        moved = new - at
        new_value = loss.value(new)
        bound = value + float((gradient * moved).sum() + (moved * moved).sum() / (2.0 * step))
        if new_value <= bound + slack or step < 1e-30:
            return new, new_value, step
        step /= 2.0
