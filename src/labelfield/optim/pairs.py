"""Steps and gradient changes of many problems, which limited-memory BFGS learns from."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from labelfield._namespaces import (
    HOST,
    chosen_rows,
    namespace,
    place_of,
    put_rows,
    row_dots,
    to_host,
)
from labelfield._typing import BoolArray, IntArray
from labelfield.kernels.losses.lbfgs import first_loop, second_loop, times
from labelfield.optim.history import HISTORY_BYTES, history_length
from labelfield.optim.losses import Metric

__all__ = ["Pairs"]

STORED = ("steps", "changes", "products", "on")  # with one row per problem of the beginning
OWN = ("stretch", "counts")  # one entry per active problem
CHUNK_BYTES = 2**23  # pairs gone through together: every one is read four times
LEAST_CURVATURE = 1e-14  # of a pair worth keeping


class Pairs:
    """Pairs of the active problems; see `labelfield.kernels.losses.lbfgs`.

    `counts` (A,) says how many pairs each problem has kept since it last forgot them; `rows` (A,)
    where its pairs are stored: those of problems that left stay where they are, unread.
    """

    def __init__(self, metric: Metric, W: Any) -> None:
        self.metric = metric
        self.place = place_of(W)
        n_problems, size = W.shape
        length = history_length(n_problems, size, self.place.budget(HISTORY_BYTES))
        self.steps = self.place.zeros((n_problems, length, size), "float64")
        self.changes = self.place.zeros((n_problems, length, size), "float64")
        self.products = self.place.zeros((n_problems, length, length), "float64")  # s_i . y_j
        self.on = self.place.zeros((n_problems, length), "float64")
        self.stretch = self.place.zeros((n_problems,), "float64") + 1.0
        self.counts = np.zeros(n_problems, dtype=np.int64)
        self.rows = np.arange(n_problems)
        self.n_pushed = 0

    def kept(self) -> dict[str, Any]:
        """Return everything that `restored` needs: arrays by name."""
        self._close_up()
        names = STORED + OWN
        return {name: getattr(self, name) for name in names} | {"n_pushed": np.array(self.n_pushed)}

    @classmethod
    def restored(cls, metric: Metric, kept: dict[str, Any]) -> Self:
        """Return pairs as `kept` described them."""
        pairs = cls(metric.take(kept["problems"]), kept["W"][:0])
        for name in STORED + OWN:
            setattr(pairs, name, kept[name])
        pairs.rows = np.arange(len(kept["counts"]))
        pairs.n_pushed = int(kept["n_pushed"])
        return pairs

    def keep(self, chosen: IntArray) -> None:
        """Drop the active problems that are not chosen."""
        self.metric = self.metric.take(chosen)
        self.rows, self.counts = self.rows[chosen], self.counts[chosen]
        self.stretch = chosen_rows(self.stretch, chosen)
        if self.place is not HOST:  # all pairs are gone through together there
            self._close_up()

    def _close_up(self) -> None:
        """Free the places of the problems that left."""
        if len(self.rows) < self.on.shape[0]:
            for name in STORED:
                setattr(self, name, chosen_rows(getattr(self, name), self.rows))
            self.rows = np.arange(len(self.rows))

    def push(self, step: Any, change: Any, curvature: Any) -> None:
        """Add a pair to each problem and fit the length of its metric to it."""
        xp, slot = namespace(step), self.n_pushed % self.steps.shape[1]
        rows = _as_slice(self.rows)
        wanted, given = row_dots(step, change), self.metric.norms(change, curvature)
        good = wanted > LEAST_CURVATURE * row_dots(change, change)
        self.steps[rows, slot, :], self.changes[rows, slot, :] = step, change
        self.on[rows, slot] = xp.astype(good, xp.float64)
        self.n_pushed += 1
        self.counts += to_host(good)
        fits = (wanted > 0) & (given > 0)
        self.stretch = xp.where(fits, wanted / xp.where(fits, given, 1.0), self.stretch)

    def directions(self, G: Any, curvature: Any) -> Any:
        """Return minus the approximate inverse Hessians times the gradients (A, p)."""
        if not self.n_pushed:
            return -self.metric.solve(G, curvature)
        parts = [
            self._directions(part, G[part, ...], curvature[part, ...]) for part in self._parts()
        ]
        return -parts[0] if len(parts) == 1 else -namespace(G).concat(parts)

    def _parts(self) -> Iterator[slice]:
        """Yield slices of the active problems whose pairs fit into fast memory."""
        n, (length, size) = len(self.rows), self.steps.shape[1:]
        at_once = max(1, CHUNK_BYTES // (16 * length * size)) if self.place is HOST else n
        for first in range(0, n, at_once):
            yield slice(first, min(first + at_once, n))

    def _directions(self, part: slice, G: Any, curvature: Any) -> Any:
        length = self.steps.shape[1]
        newest, rows = (self.n_pushed - 1) % length, _as_slice(self.rows[part])
        used = slice(0, min(self.n_pushed, length))
        steps, changes = self.steps[rows, used, :], self.changes[rows, used, :]
        self.products[rows, used, newest] = times(steps, changes[:, newest, :])
        on = self.on[rows, used]
        pairs = steps, changes, self._triangles(self.products[rows, used, used], on), on
        left, weights = first_loop(*pairs, G)
        left = self.stretch[part, None] * self.metric.take(part).solve(left, curvature)
        return second_loop(*pairs, left, weights)

    def _triangles(self, products: Any, on: Any) -> Any:
        """Return s_i . y_j where pair j is i or newer, and the identity for pairs that are off."""
        length = on.shape[1]
        age = (self.n_pushed - 1 - np.arange(length)) % self.steps.shape[1]
        newer = self.place.asarray((age[:, None] >= age).astype(np.float64))
        unit = self.place.asarray(np.eye(length))
        both = on[:, :, None] * on[:, None, :] * newer
        return both * products + unit * (1.0 - on[:, :, None])

    def forget(self, chosen: BoolArray) -> None:
        """Forget the pairs of the chosen problems."""
        if not chosen.any():
            return
        put_rows(self.on, self.rows[chosen], 0.0)
        put_rows(self.stretch, np.flatnonzero(chosen), 1.0)
        self.counts[chosen] = 0


def _as_slice(rows: IntArray) -> Any:
    """Return numbers of rows as a slice where they follow each other."""
    if not len(rows) or rows[-1] - rows[0] + 1 != len(rows):
        return rows
    return slice(int(rows[0]), int(rows[-1]) + 1)
