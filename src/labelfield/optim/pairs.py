"""Steps and gradient changes of many problems, which limited-memory BFGS learns from."""

from typing import Any, Self

import numpy as np

from labelfield._namespaces import chosen_rows, namespace, place_of, row_dots, to_host
from labelfield._typing import BoolArray, IntArray
from labelfield.kernels.losses.lbfgs import first_loop, second_loop, times, usable
from labelfield.optim.history import HISTORY_BYTES, history_length
from labelfield.optim.losses import Metric

__all__ = ["Pairs"]

ROWS = ("steps", "changes", "products", "on", "stretch", "counts")  # one entry per problem


class Pairs:
    """Pairs of the active problems; see `labelfield.kernels.losses.lbfgs`.

    `counts` (A,) says how many pairs each problem has kept since it last forgot them.
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
        self.n_pushed = 0

    def kept(self) -> dict[str, Any]:
        """Return everything that `restored` needs: arrays by name."""
        return {name: getattr(self, name) for name in ROWS} | {"n_pushed": np.array(self.n_pushed)}

    @classmethod
    def restored(cls, metric: Metric, kept: dict[str, Any]) -> Self:
        """Return pairs as `kept` described them."""
        pairs = cls(metric.take(kept["problems"]), kept["W"][:0])
        for name in ROWS:
            setattr(pairs, name, kept[name])
        pairs.n_pushed = int(kept["n_pushed"])
        return pairs

    def keep(self, chosen: IntArray) -> None:
        """Drop the active problems that are not chosen."""
        self.metric = self.metric.take(chosen)
        for name in ROWS:
            values = getattr(self, name)
            setattr(self, name, values[chosen] if name == "counts" else chosen_rows(values, chosen))

    def push(self, step: Any, change: Any, curvature: Any) -> None:
        """Add a pair to each problem and fit the length of its metric to it."""
        xp, slot = namespace(step), self.n_pushed % self.steps.shape[1]
        good = usable(step, change)
        self.steps[:, slot, :], self.changes[:, slot, :] = step, change
        self.products[:, :, slot] = times(self.steps, change)  # all that are asked for: i older
        self.on[:, slot] = xp.astype(good, xp.float64)
        self.n_pushed += 1
        self.counts += to_host(good)
        wanted, given = row_dots(step, change), self.metric.norms(change, curvature)
        fits = (wanted > 0) & (given > 0)
        self.stretch = xp.where(fits, wanted / xp.where(fits, given, 1.0), self.stretch)

    def directions(self, G: Any, curvature: Any) -> Any:
        """Return minus the approximate inverse Hessians times the gradients (A, p)."""
        used = slice(0, min(self.n_pushed, self.steps.shape[1]))
        on = self.on[:, used]
        pairs = self.steps[:, used, :], self.changes[:, used, :], self._triangles(on), on
        rows, weights = first_loop(*pairs, G)
        rows = self.stretch[:, None] * self.metric.solve(rows, curvature)
        return -second_loop(*pairs, rows, weights)

    def _triangles(self, on: Any) -> Any:
        """Return s_i . y_j where pair j is i or newer, and the identity for pairs that are off."""
        length = on.shape[1]
        age = (self.n_pushed - 1 - np.arange(length)) % self.steps.shape[1]
        newer = self.place.asarray((age[:, None] >= age).astype(np.float64))
        unit = self.place.asarray(np.eye(length))
        both = on[:, :, None] * on[:, None, :] * newer
        return both * self.products[:, :length, :length] + unit * (1.0 - on[:, :, None])

    def forget(self, chosen: BoolArray) -> None:
        """Forget the pairs of the chosen problems."""
        if not chosen.any():
            return
        xp, mask = self.place.xp, self.place.asarray(chosen)
        self.on = xp.where(mask[:, None], 0.0, self.on)
        self.stretch = xp.where(mask, 1.0, self.stretch)
        self.counts[chosen] = 0
