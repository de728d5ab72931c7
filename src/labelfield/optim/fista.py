"""Accelerated proximal gradient descent that never goes uphill."""

import numpy as np

from labelfield._typing import BoolArray, FloatArray
from labelfield.optim.losses import Loss
from labelfield.optim.penalties import Penalty
from labelfield.optim.trace import Trace

__all__ = ["fista"]

GROWTH = 1.1  # a step that was right is tried a little longer the next time
SHRINK = 0.5


def fista(
    loss: Loss,
    penalty: Penalty,
    start: FloatArray,
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
) -> tuple[FloatArray, Trace]:
    """Minimise `loss + penalty` by FISTA with backtracking and restart.

    The step is halved until the quadratic bound of the loss holds; where the objective would rise,
    the momentum is dropped. A problem is finished when no entry of its proximal gradient exceeds
    `tol` times the scale of the loss.

    Parameters
    ----------
    loss : Loss
        One problem for a start (p,); C problems for a start (p, C), each with its own steps and
        momentum. The loss of several problems needs `take`: finished ones leave.
    penalty : Penalty
    start : array (p,) or (p, C)
    tol, max_iter : float, int

    Returns
    -------
    x, trace : array like `start`, Trace of the objective (summed over problems)

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import L1, fista
    >>> class Distance:
    ...     rounding = 1e-14
    ...     def value(self, x):
    ...         return 0.5 * ((x - [3.0, 0.5]) ** 2).sum()
    ...     def value_and_gradient(self, x):
    ...         return self.value(x), x - [3.0, 0.5]
    ...     def lipschitz(self):
    ...         return 1.0
    ...     def scale(self):
    ...         return 1.0
    >>> x, trace = fista(Distance(), L1(1.0), np.zeros(2))
    >>> x.tolist(), trace.reason
    ([2.0, 0.0], 'converged')
    """
    descent = _Descent(loss, penalty, start.astype(np.float64))
    goal = tol * np.broadcast_to(loss.scale(), start.shape[1:])
    answer, final = descent.x.copy(), descent.total.copy()
    objective = [float(final.sum())]
    active = np.arange(final.size)
    finished = np.zeros(start.shape[1:], dtype=bool)
    while not finished.all() and len(objective) <= max_iter:
        if finished.any():
            active, goal = active[~finished], goal[~finished]
            descent.keep(~finished)
        finished = descent.advance(goal)
        if start.ndim == 1:
            answer, final = descent.x, descent.total
        else:
            answer[:, active], final[active] = descent.x, descent.total
        objective.append(float(final.sum()))
    return answer, Trace(objective, "converged" if finished.all() else "max_iter")


class _Descent:
    """Where the unfinished problems stand; numbers are () for one problem, else (A,)."""

    def __init__(self, loss: Loss, penalty: Penalty, x: FloatArray) -> None:
        self.loss, self.penalty = loss, penalty
        self.x = self.ahead = x
        self.total = np.asarray(loss.value(x) + penalty.value(x), dtype=np.float64)
        self.step = np.broadcast_to(1.0 / np.asarray(loss.lipschitz()), self.total.shape)
        self.momentum = np.ones(self.total.shape)

    def keep(self, chosen: BoolArray) -> None:
        """Drop the problems that are not chosen."""
        self.loss = self.loss.take(np.flatnonzero(chosen))  # type: ignore[attr-defined]
        self.x, self.ahead = self.x[:, chosen], self.ahead[:, chosen]
        self.total, self.step = self.total[chosen], self.step[chosen]
        self.momentum = self.momentum[chosen]

    def advance(self, goal: FloatArray) -> BoolArray:
        """Take one step with every problem; return which are finished."""
        new, new_value = self._proximal_step()
        total = new_value + self.penalty.value(new)
        change = np.abs(new - self.ahead).max(axis=0) / self.step
        plain = self.momentum == 1.0
        noise = self.loss.rounding * np.abs(self.total)
        rose = total > self.total + noise
        # Where the last step went against the gradient the momentum leads away from the minimum;
        # near it this shows when the objective has no digits left to show it.
        turned = _products(self.ahead - new, new - self.x) > 0.0
        momentum = (1.0 + np.sqrt(1.0 + 4.0 * self.momentum**2)) / 2.0
        leap = new + np.where(turned, 0.0, (self.momentum - 1.0) / momentum) * (new - self.x)
        # A step that does not show in the objective says nothing of longer ones.
        moved = new - self.ahead
        visible = _products(moved, moved) / (2.0 * self.step) > noise
        self.ahead = np.where(rose, self.x, leap)
        self.momentum = np.where(rose | turned, 1.0, momentum)
        self.x = np.where(rose, self.x, new)
        self.total = np.minimum(self.total, total)
        self.step = self.step * np.where(~rose & visible, GROWTH, 1.0)
        # A plain step that does not help is at the limit of the arithmetic.
        finished: BoolArray = ((change <= goal) & ~rose) | (rose & plain)
        return finished

    def _proximal_step(self) -> tuple[FloatArray, FloatArray]:
        """Return the next points and their losses, at step lengths for which the bound holds."""
        value, gradient = self.loss.value_and_gradient(self.ahead)
        while True:
            new = self.penalty.prox(self.ahead - self.step * gradient, self.step)
            moved = new - self.ahead
            new_value = self.loss.value(new)
            bound = _products(gradient, moved) + _products(moved, moved) / (2.0 * self.step)
            refused = new_value > value + bound + self.loss.rounding * np.abs(value)
            if not refused.any():
                return new, new_value
            self.step = np.where(refused, SHRINK * self.step, self.step)


def _products(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the inner products of each problem: () or (A,)."""
    products: FloatArray = np.einsum("i...,i...->...", a, b)
    return products
