"""Limited-memory BFGS for smooth losses with an l1 penalty: one orthant at a time."""

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from labelfield._typing import FloatArray
from labelfield.optim.fista import fista
from labelfield.optim.losses import Loss, Watch
from labelfield.optim.penalties import SplitPenalty
from labelfield.optim.trace import Trace

__all__ = ["orthant_lbfgs"]

HISTORY = 12
SUFFICIENT_DECREASE = 1e-4
MAX_BACKTRACKS = 25


def orthant_lbfgs(
    loss: Loss,
    penalty: SplitPenalty,
    start: FloatArray,
    *,
    metric: Callable[[FloatArray], FloatArray] | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
    watch: Watch | None = None,
) -> tuple[FloatArray, Trace]:
    """Minimise `loss + penalty` of one problem by OWL-QN; the objective never rises.

    Steps stay inside the orthant that the steepest descent points into, where the penalty is
    smooth (Andrew, Gao 2007). Where no such step helps before no entry of the steepest descent
    exceeds `tol` times the scale of the loss, `fista` goes on.

    Parameters
    ----------
    loss : Loss
    penalty : SplitPenalty
    start : array (p,)
    metric : callable, optional
        An approximate inverse Hessian, applied to a vector (p,); the identity by default. It must
        not mix entries that have an l1 penalty with others.
    tol, max_iter : float, int
    watch : Watch, optional
        Gets the state of the solver after every step, and may give it back to go on from there.

    Returns
    -------
    x, trace : array (p,), Trace of the objective

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import ElasticNet, orthant_lbfgs
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
    >>> x, trace = orthant_lbfgs(Distance(), ElasticNet(1.0, 1.0), np.zeros(2))
    >>> x.tolist(), trace.reason
    ([2.0, 0.0], 'converged')
    """
    pairs = _Pairs(metric or _identity)
    kept = None if watch is None else watch.resume()
    if kept is None:
        point = _Point(loss, penalty, start.astype(np.float64))
        goal, objective = tol * float(np.max(loss.scale())), [point.total]
    else:
        goal, objective = float(kept["goal"][0]), kept["objective"].tolist()
        point = _Point(loss, penalty, kept["x"], (objective[-1], kept["smooth"]))
        pairs.restore(kept)
    while np.abs(point.descent).max(initial=0.0) > goal:
        if len(objective) > max_iter:
            return point.x, Trace(objective, "max_iter")
        unscaled = metric is None and not pairs.steps
        new = _line_search(point, pairs.solve(point.descent), unscaled)
        if new is None and pairs.steps:
            pairs.forget()  # a second chance without what is remembered of the curvature
            continue
        if new is None:
            left = max_iter - len(objective) + 1
            x, trace = fista(loss, penalty, point.x, tol=tol, max_iter=left)
            return x, Trace(objective + trace.objective[1:], trace.reason)
        pairs.push(new.x - point.x, new.smooth - point.smooth)
        point = new
        objective.append(point.total)
        if watch is not None:
            reached = {"goal": np.array([goal]), "objective": np.array(objective)}
            watch.step(reached | point.kept() | pairs.kept())
    return point.x, Trace(objective, "converged")


def _identity(vector: FloatArray) -> FloatArray:
    return vector.copy()


class _Point:
    """A point, its objective, the gradient of the smooth part and the steepest descent."""

    def __init__(
        self,
        loss: Loss,
        penalty: SplitPenalty,
        x: FloatArray,
        known: tuple[float, FloatArray] | None = None,
    ) -> None:
        self.loss, self.penalty, self.x = loss, penalty, x
        self.total: float
        self.smooth: FloatArray
        if known is None:
            value, gradient = loss.value_and_gradient(x)
            known = float(value + penalty.value(x)), gradient + penalty.smooth_gradient(x)
        self.total, self.smooth = known
        self.l1 = penalty.l1_strengths(len(x))
        at_zero = -np.sign(self.smooth) * np.maximum(np.abs(self.smooth) - self.l1, 0.0)
        self.descent = np.where(x == 0.0, at_zero, -self.smooth - self.l1 * np.sign(x))

    def kept(self) -> dict[str, Any]:
        """Return what a point can be made from again, and how steep it is: arrays by name."""
        steepness = {"G": self.descent[None], "problems": np.zeros(1, dtype=np.intp)}
        return {"x": self.x, "smooth": self.smooth} | steepness

    def moved(self, direction: FloatArray, length: float) -> FloatArray:
        """Return x some way further, stopped where a penalised entry would change its sign."""
        new = self.x + length * direction
        orthant = np.where(self.x == 0.0, self.descent, self.x)
        new[(self.l1 > 0.0) & (new * orthant <= 0.0)] = 0.0
        return new


def _line_search(point: _Point, direction: FloatArray, unscaled: bool) -> _Point | None:
    """Return a point with enough less objective, or None."""
    against = (direction * point.descent <= 0.0) & (point.l1 > 0.0)
    direction[against] = 0.0
    slope = float(direction @ point.descent)
    if slope <= 0.0:
        return None
    length = 1.0
    if unscaled:  # without pairs the length of the direction means nothing
        squares = float(direction @ direction)
        length = min(1.0, slope / (float(np.max(point.loss.lipschitz())) * squares))
    for _ in range(MAX_BACKTRACKS):
        new = _Point(point.loss, point.penalty, point.moved(direction, length))
        gain = float(point.descent @ (new.x - point.x))
        if new.total <= point.total - SUFFICIENT_DECREASE * gain and gain > 0.0:
            return new
        length *= 0.5
    return None


class _Pairs:
    """The last steps and changes of the gradient: an inverse Hessian to multiply with."""

    def __init__(self, metric: Callable[[FloatArray], FloatArray]) -> None:
        self.metric = metric
        self.steps: deque[tuple[FloatArray, FloatArray, float]] = deque(maxlen=HISTORY)
        self.scale = 1.0

    def kept(self) -> dict[str, Any]:
        """Return the pairs, arrays by name."""
        steps, changes, products = map(np.array, zip(*self.steps)) if self.steps else [[]] * 3
        kept = {"steps": steps, "changes": changes, "products": products, "scale": self.scale}
        return {name: np.asarray(values) for name, values in kept.items()}

    def restore(self, kept: dict[str, Any]) -> None:
        """Take over pairs that `kept` gave."""
        pairs = zip(kept["steps"], kept["changes"], kept["products"].tolist())
        self.steps.extend(pairs)
        self.scale = float(kept["scale"])

    def forget(self) -> None:
        """Go back to the metric alone."""
        self.steps.clear()
        self.scale = 1.0

    def push(self, step: FloatArray, change: FloatArray) -> None:
        """Remember a pair along which the gradient grows."""
        product = float(step @ change)
        if product > 1e-10 * float(change @ change) ** 0.5 * float(step @ step) ** 0.5:
            self.steps.append((step, change, product))
            self.scale = product / float(change @ self.metric(change))

    def solve(self, vector: FloatArray) -> FloatArray:
        """Return the inverse Hessian times a vector."""
        vector, shares = vector.copy(), []
        for step, change, product in reversed(self.steps):
            share = float(step @ vector) / product
            vector -= share * change
            shares.append(share)
        vector = self.scale * self.metric(vector)
        for (step, change, product), share in zip(self.steps, reversed(shares)):
            vector += (share - float(change @ vector) / product) * step
        return vector
