"""Column-wise limited-memory BFGS: many smooth problems on the same data, solved together."""

from typing import Any, Self

import numpy as np

from labelfield._namespaces import (
    chosen_rows,
    contiguous,
    namespace,
    place_of,
    put_rows,
    row_dots,
    to_host,
)
from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.optim.losses import ColumnLoss, Metric, Terms, Watch
from labelfield.optim.pairs import Pairs
from labelfield.optim.penalties import SmoothPenalty
from labelfield.optim.trace import Trace

__all__ = ["Identity", "column_lbfgs"]

SUFFICIENT_DECREASE = 1e-4
MAX_BACKTRACKS = 30
ROUNDING = 1e-14  # the least share of a value that is noise
NOISE = 1e-7  # the largest: of features in single precision, or far from zero
PATIENCE = 30  # steps in a row after which neither objective nor gradient was ever smaller


class Identity:
    """The metric of problems about which nothing is known."""

    def take(self, columns: IntArray | slice) -> Self:
        return self

    def solve(self, rows: FloatArray, curvature: FloatArray) -> FloatArray:
        return namespace(rows).asarray(rows, copy=True)

    def norms(self, rows: FloatArray, curvature: FloatArray) -> FloatArray:
        return row_dots(rows, rows)


def column_lbfgs(
    loss: ColumnLoss,
    penalty: SmoothPenalty,
    start: FloatArray,
    *,
    metric: Metric | None = None,
    tol: float = 1e-6,
    max_iter: int = 1000,
    watch: Watch | None = None,
) -> tuple[FloatArray, Trace]:
    """Minimise `loss + penalty` in every column; finished columns leave, the rest goes on.

    A column is finished when no entry of its gradient exceeds `tol` times the scale of its loss, or
    when no step lowers its objective any more (the limit of the arithmetic).

    Parameters
    ----------
    loss : ColumnLoss
    penalty : SmoothPenalty
    start : array (p, C)
    metric : Metric, optional
        Approximate inverse Hessians, the identity by default.
    tol, max_iter : float, int
    watch : Watch, optional
        Gets the state of the solver after every step, and may give it back to go on from there.

    Returns
    -------
    W, trace : array (p, C), Trace of the objective summed over columns

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners.logistic_loss import LogisticLoss
    >>> from labelfield.learners.rows import as_rows
    >>> from labelfield.optim import Ridge, column_lbfgs
    >>> loss = LogisticLoss(as_rows(np.array([[-1.0], [1.0]]), np.array([[0], [1]])))
    >>> W, trace = column_lbfgs(loss, Ridge(1.0, unpenalized=1), np.zeros((2, 1)))
    >>> W[0].round(4).tolist(), trace.reason
    ([0.6748], 'converged')
    """
    xp = namespace(start)
    W = contiguous(xp.astype(start.T, xp.float64))
    metric = metric or Identity()
    kept = None if watch is None else watch.resume()
    if kept is None:
        goal = tol * np.broadcast_to(loss.scale(), W.shape[0])
        state, answer = _State(loss, penalty, W), xp.asarray(W, copy=True)
        pairs = Pairs(metric, W)
        progress = _Progress(goal, state.value)
    else:
        state, answer = _State.restored(loss, penalty, kept), kept["answer"]
        pairs = Pairs.restored(metric, kept)
        progress = _Progress.restored(kept)
    while True:
        unfinished = progress.unfinished(state.problems, state.G)
        if not unfinished.any() or progress.n_iter >= max_iter:
            break
        if not unfinished.all():
            put_rows(answer, state.problems, state.W)
            state.keep(np.flatnonzero(unfinished))
            pairs.keep(np.flatnonzero(unfinished))
        problems = state.problems
        step, change, moved = state.advance(pairs.directions(state.G, state.curvature))
        # A direction spoilt by rounding gets a second chance without the pairs behind it.
        stuck = ~moved & (pairs.counts == 0)
        pairs.forget(~moved)
        pairs.push(step, change, state.curvature)
        progress.record(problems, state.value, stuck)
        if watch is not None:
            watch.step(state.kept() | pairs.kept() | progress.kept() | {"answer": answer})
    put_rows(answer, state.problems, state.W)
    return answer.T, Trace(progress.objective, "max_iter" if unfinished.any() else "converged")


class _Progress:
    """What has been reached: values, flattest gradients, and steps since either got better."""

    def __init__(self, goal: FloatArray, value: FloatArray) -> None:
        self.goal = goal
        self.value, self.lowest = value.copy(), value.copy()
        self.flattest = np.full(len(value), np.inf)
        self.idle = np.zeros(len(value), dtype=np.int64)
        self.objective = [float(value.sum())]

    def kept(self) -> dict[str, Any]:
        names = ("goal", "lowest", "flattest", "idle", "objective")
        return {name: np.asarray(getattr(self, name)) for name in names} | {"values": self.value}

    @classmethod
    def restored(cls, kept: dict[str, Any]) -> Self:
        progress = cls(kept["goal"], kept["values"])
        progress.lowest, progress.flattest = kept["lowest"], kept["flattest"]
        progress.idle, progress.objective = kept["idle"], kept["objective"].tolist()
        return progress

    @property
    def n_iter(self) -> int:
        return len(self.objective) - 1

    def unfinished(self, problems: IntArray, G: FloatArray) -> BoolArray:
        """Return which problems neither reached their goal nor the limit of the arithmetic."""
        xp = namespace(G)
        steepness = to_host(xp.max(xp.abs(G), axis=1))
        self.idle[problems[steepness < self.flattest[problems]]] = 0
        self.flattest[problems] = np.minimum(self.flattest[problems], steepness)
        unfinished: BoolArray = steepness > self.goal[problems]
        return unfinished & (self.idle[problems] < PATIENCE)

    def record(self, problems: IntArray, value: FloatArray, stuck: BoolArray) -> None:
        fell = self.lowest[problems] - value > ROUNDING * np.abs(value)
        self.lowest[problems] = np.minimum(self.lowest[problems], value)
        self.idle[problems] = np.where(fell, 0, self.idle[problems] + 1)
        self.idle[problems[stuck]] = PATIENCE
        self.value[problems] = value
        self.objective.append(float(self.value.sum()))


class _State:
    """Where the active problems stand: parameters and gradients (A, p), values (A,)."""

    def __init__(self, loss: ColumnLoss, penalty: SmoothPenalty, W: FloatArray) -> None:
        self.loss, self.penalty = loss, penalty
        self.problems: IntArray = np.arange(W.shape[0])
        self.W = W
        self.value, self.G, self.curvature = self._terms(loss, W)

    def kept(self) -> dict[str, Any]:
        names = ("problems", "W", "value", "G", "curvature")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def restored(cls, loss: ColumnLoss, penalty: SmoothPenalty, kept: dict[str, Any]) -> Self:
        state = cls.__new__(cls)
        state.loss, state.penalty = loss.take(kept["problems"]), penalty
        for name in ("problems", "W", "value", "G", "curvature"):
            setattr(state, name, kept[name])
        return state

    def _terms(self, loss: ColumnLoss, W: FloatArray) -> Terms:
        """Return values (A,), gradients (A, p) and curvatures of loss and penalty together."""
        value, gradient, curvature = loss.terms(W.T)
        G = contiguous(gradient.T)
        G += self.penalty.gradient(W.T).T
        return Terms(to_host(value + self.penalty.value(W.T)), G, curvature)

    def keep(self, chosen: IntArray) -> None:
        """Drop the problems that are not chosen."""
        self.problems, self.value = self.problems[chosen], self.value[chosen]
        self.W, self.G = chosen_rows(self.W, chosen), chosen_rows(self.G, chosen)
        self.curvature = chosen_rows(self.curvature, chosen)
        self.loss = self.loss.take(chosen)

    def advance(self, D: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Go along D (A, p) as far as pays.

        Returns the steps (A, p), the changes of the gradients (A, p) and which problems moved.
        """
        slope = to_host(row_dots(self.G, D))
        length = np.ones(D.shape[0])
        W = self.W + D
        new = self._terms(self.loss, W)
        for attempt in range(MAX_BACKTRACKS + 1):
            rise, end_slope = new.value - self.value, to_host(row_dots(new.gradient, D))
            refused = np.flatnonzero(~_pays(rise, length * slope, length * end_slope, self.value))
            if not len(refused):
                break
            if attempt == MAX_BACKTRACKS:
                length[refused] = 0.0
                put_rows(W, refused, chosen_rows(self.W, refused))
                found = (
                    self.value[refused],
                    chosen_rows(self.G, refused),
                    chosen_rows(self.curvature, refused),
                )
            else:
                _shorten(length, refused, rise, slope)
                step = _column(length[refused], D) * chosen_rows(D, refused)
                trial = chosen_rows(self.W, refused) + step
                put_rows(W, refused, trial)
                found = self._terms(self._only(refused), trial)
            for part, values in zip(new, found):
                put_rows(part, refused, values)
        change = new.gradient - self.G
        self.W, (self.value, self.G, self.curvature) = W, new
        step = D if (length == 1.0).all() else _column(length, D) * D
        return step, change, length > 0.0

    def _only(self, chosen: IntArray) -> ColumnLoss:
        return self.loss if len(chosen) == self.W.shape[0] else self.loss.take(chosen)


def _pays(
    rise: FloatArray, slope: FloatArray, end_slope: FloatArray, value: FloatArray
) -> BoolArray:
    """Tell which steps lower the objective enough, slopes being those times the step.

    Where the fall is lost in the noise of the values, the slopes at both ends tell: those of a
    parabola with the same fall.
    """
    fell = rise <= SUFFICIENT_DECREASE * slope + ROUNDING * np.abs(value)
    level = rise <= NOISE * np.abs(value)
    flatter = end_slope <= (2.0 * SUFFICIENT_DECREASE - 1.0) * slope
    pays: BoolArray = fell | (level & flatter)
    return pays


def _column(values: FloatArray, like: FloatArray) -> FloatArray:
    """Return values (A,) as a column where another array lives: (A, 1)."""
    column: FloatArray = place_of(like).asarray(values)[:, None]
    return column


def _shorten(length: FloatArray, refused: IntArray, rise: FloatArray, slope: FloatArray) -> None:
    """Shorten the refused steps to the minimum of the parabola through what is known of them."""
    fall = slope[refused] * length[refused]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.nan_to_num(0.5 * fall / (fall - rise[refused]), nan=0.1)
    length[refused] *= np.clip(share, 0.1, 0.5)
