"""Steps and gradient changes of many problems in tensors."""

from typing import Any

import numpy as np

from labelfield._namespaces import chosen_rows, namespace, place_of, row_dots, to_host
from labelfield._typing import BoolArray, IntArray
from labelfield.kernels.tensors.lbfgs import first_loop, second_loop, times, usable
from labelfield.optim.history import HISTORY_BYTES, history_length
from labelfield.optim.losses import Metric

__all__ = ["TensorPairs"]


class TensorPairs:
    """Pairs of the active problems; see `labelfield.kernels.tensors.lbfgs`."""

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
        self.unit = self.place.asarray(np.eye(length))
        self.n_pairs = np.zeros(n_problems, dtype=np.int64)
        self.n_pushed = 0

    def keep(self, chosen: IntArray) -> None:
        """Drop the active problems that are not chosen."""
        self.metric = self.metric.take(chosen)
        for name in ("steps", "changes", "products", "on", "stretch"):
            setattr(self, name, chosen_rows(getattr(self, name), chosen))
        self.n_pairs = self.n_pairs[chosen]

    def known(self, problems: IntArray) -> BoolArray:
        """Tell which problems have pairs."""
        del problems
        known: BoolArray = self.n_pairs > 0
        return known

    def push(self, problems: IntArray, step: Any, change: Any, curvature: Any) -> None:
        """Add a pair to each problem and fit the length of its metric to it."""
        del problems
        xp, slot = namespace(step), self.n_pushed % self.steps.shape[1]
        good = usable(step, change)
        self.steps[:, slot, :], self.changes[:, slot, :] = step, change
        self.products[:, slot, :] = times(self.changes, step)
        self.products[:, :, slot] = times(self.steps, change)
        self.on[:, slot] = xp.astype(good, xp.float64)
        self.n_pushed += 1
        self.n_pairs += to_host(good)
        wanted, given = row_dots(step, change), self.metric.norms(change, curvature)
        fits = (wanted > 0) & (given > 0)
        self.stretch = xp.where(fits, wanted / xp.where(fits, given, 1.0), self.stretch)

    def directions(self, problems: IntArray, G: Any, curvature: Any) -> Any:
        """Return minus the approximate inverse Hessians times the gradients (A, p)."""
        del problems
        pairs = self.steps, self.changes, self._triangles(), self.on
        rows, weights = first_loop(*pairs, G)
        rows = self.stretch[:, None] * self.metric.solve(rows, curvature)
        return -second_loop(*pairs, rows, weights)

    def _triangles(self) -> Any:
        """Return s_i . y_j where pair j is i or newer, and the identity for pairs that are off."""
        length = self.steps.shape[1]
        age = (self.n_pushed - 1 - np.arange(length)) % length
        newer = self.place.asarray((age[:, None] >= age).astype(np.float64))
        both = self.on[:, :, None] * self.on[:, None, :]
        return both * newer * self.products + self.unit * (1.0 - self.on[:, :, None])

    def forget(self, problems: IntArray, chosen: BoolArray) -> None:
        """Forget the pairs of the chosen problems."""
        del problems
        if not chosen.any():
            return
        xp, mask = self.place.xp, self.place.asarray(chosen)
        self.on = xp.where(mask[:, None], 0.0, self.on)
        self.stretch = xp.where(mask, 1.0, self.stretch)
        self.n_pairs[chosen] = 0
