"""L-BFGS on many smooth convex problems at once, one per column of the parameters."""

from typing import Protocol

import numpy as np

from labelfield import kernels
from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.optim.trace import Trace

__all__ = ["ColumnProblem", "column_lbfgs"]

HISTORY = 20
HISTORY_BYTES = 256 * 2**20
SUFFICIENT_DECREASE = 1e-4
MAX_HALVINGS = 30


class ColumnProblem(Protocol):
    """C problems over parameters W (p, C) that see the data through a linear image of W.

    The last axis of every array is the problem; `columns` says which ones are asked for.
    """

    def image(self, W: FloatArray, columns: IntArray) -> FloatArray:
        """Return the linear image Z of W, (..., C): the only costly step beside the gradient."""

    def evaluate(
        self, Z: FloatArray, W: FloatArray, columns: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the objectives (C,) and their derivatives in Z (..., C)."""

    def gradient(self, R: FloatArray, W: FloatArray, columns: IntArray) -> FloatArray:
        """Return the gradients (p, C) from the derivatives R in Z."""

    def precondition(self, G: FloatArray, columns: IntArray) -> FloatArray:
        """Return an approximate inverse Hessian times G (p, C)."""


class _History:
    """The last steps and gradient changes of all columns, in a ring."""

    def __init__(self, W: FloatArray) -> None:
        fits = HISTORY_BYTES // max(2 * W.nbytes, 1)
        length = int(np.clip(fits, 3, HISTORY))
        self.steps = np.empty((length, *W.shape), dtype=W.dtype)
        self.changes = np.empty_like(self.steps)
        self.inverse = np.zeros((length, W.shape[1]), dtype=W.dtype)
        self.n_pushed = 0

    def push(self, step: FloatArray, change: FloatArray) -> None:
        slot = self.n_pushed % len(self.steps)
        curvature = np.einsum("ij,ij->j", step, change)
        usable = curvature > 1e-10 * np.einsum("ij,ij->j", step, step)
        self.steps[slot], self.changes[slot] = step, change
        self.inverse[slot] = np.where(usable, 1.0 / np.where(usable, curvature, 1.0), 0.0)
        self.n_pushed += 1

    def keep(self, columns: BoolArray) -> None:
        self.steps, self.changes = self.steps[..., columns], self.changes[..., columns]
        self.inverse = np.ascontiguousarray(self.inverse[:, columns])

    def direction(self, G: FloatArray, problem: ColumnProblem, columns: IntArray) -> FloatArray:
        """Return minus the approximate inverse Hessian times G."""
        if not self.n_pushed:
            return -problem.precondition(G, columns)
        length = len(self.steps)
        oldest_first = np.arange(max(0, self.n_pushed - length), self.n_pushed) % length
        pairs = self.steps, self.changes, self.inverse
        Q = G.copy()
        weights = kernels.lbfgs.apply_changes(Q, *pairs, oldest_first[::-1].copy())
        Q = problem.precondition(Q, columns)
        newest = oldest_first[-1]
        change = self.changes[newest]
        stretch = (change * problem.precondition(change, columns)).sum(axis=0)
        stretch *= self.inverse[newest]
        Q /= np.where(stretch > 0, stretch, 1.0)
        kernels.lbfgs.apply_steps(Q, *pairs, weights, oldest_first)
        return -Q


def column_lbfgs(
    problem: ColumnProblem,
    start: FloatArray,
    *,
    tol: float = 1e-3,
    max_iter: int = 1000,
    scale: FloatArray | None = None,
) -> tuple[FloatArray, Trace]:
    """Minimise every column's problem; finished columns leave, the rest goes on together.

    A column is finished when the largest entry of its gradient is at most `tol` times its `scale`
    (C,), by default what it was at `start`, or when no step lowers its objective any more (the
    limit of the arithmetic). The image of W is linear, so that a line search costs no product with
    the data.

    Returns the parameters (p, C) and a Trace of the summed objective.
    """
    W = start.copy()
    columns = np.arange(W.shape[1])
    Z = problem.image(W, columns)
    value, R = problem.evaluate(Z, W, columns)
    G = problem.gradient(R, W, columns)
    goal = tol * (np.abs(G).max(axis=0) if scale is None else scale)
    history = _History(W)
    answer, final = W.copy(), value.copy()
    objective = [float(value.sum())]
    n_left = len(columns)
    for _ in range(max_iter):
        is_open = np.abs(G).max(axis=0) > goal[columns]
        n_left = int(is_open.sum())
        if n_left <= 0.75 * len(columns):  # leaving costs a copy of the history
            answer[:, columns] = W
            W, G, value, Z = (np.ascontiguousarray(a[..., is_open]) for a in (W, G, value, Z))
            columns = columns[is_open]
            history.keep(is_open)
        if not n_left:
            break
        P = _descent(history, problem, G, columns)
        W_new, Z, value, R, moved = _line_search(problem, W, Z, value, P, G, columns)
        G_new = problem.gradient(R, W_new, columns)
        history.push(W_new - W, G_new - G)
        W, G = W_new, G_new
        goal[columns[~moved]] = np.inf
        final[columns] = value
        objective.append(float(final.sum()))
    answer[:, columns] = W
    if len(columns):
        n_left = int((np.abs(G).max(axis=0) > goal[columns]).sum())
    return answer, Trace(objective, "max_iter" if n_left else "converged")


def _descent(
    history: _History, problem: ColumnProblem, G: FloatArray, columns: IntArray
) -> FloatArray:
    """Return the quasi-Newton direction; columns where it leads uphill go down the gradient."""
    P = history.direction(G, problem, columns)
    uphill = (P * G).sum(axis=0) >= 0
    if uphill.any():
        P[:, uphill] = -problem.precondition(G, columns)[:, uphill]
    return P


def _line_search(
    problem: ColumnProblem,
    W: FloatArray,
    Z: FloatArray,
    value: FloatArray,
    P: FloatArray,
    G: FloatArray,
    columns: IntArray,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, BoolArray]:
    """Halve the step of each column until its objective falls enough; say which columns moved."""
    image = problem.image(P, columns)
    slope = (P * G).sum(axis=0)
    step = np.ones(len(columns), dtype=W.dtype)
    W_new, Z_new = W + P, Z + image
    new_value, R = problem.evaluate(Z_new, W_new, columns)
    refused = np.flatnonzero(~(new_value <= value + SUFFICIENT_DECREASE * slope))
    for _ in range(MAX_HALVINGS):
        if not len(refused):
            break
        step[refused] /= 2
        W_try = W[:, refused] + step[refused] * P[:, refused]
        Z_try = Z[..., refused] + step[refused] * image[..., refused]
        tried, R_try = problem.evaluate(Z_try, W_try, columns[refused])
        W_new[:, refused], Z_new[..., refused] = W_try, Z_try
        new_value[refused], R[..., refused] = tried, R_try
        bound = value[refused] + SUFFICIENT_DECREASE * step[refused] * slope[refused]
        refused = refused[~(tried <= bound)]
    moved = np.ones(len(columns), dtype=bool)
    if len(refused):
        moved[refused] = False
        W_new[:, refused], Z_new[..., refused] = W[:, refused], Z[..., refused]
        new_value[refused], R[..., refused] = problem.evaluate(
            Z[..., refused], W[:, refused], columns[refused]
        )
    return W_new, Z_new, new_value, R, moved
