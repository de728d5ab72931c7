"""The group lasso whose groups share entries."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labelfield._typing import FloatArray, IntArray

__all__ = ["OverlappingGroupLasso"]

MAX_ROUNDS = 20_000  # needed where a group is on the edge of vanishing
SETTLED = 1e-10


@dataclass(frozen=True, eq=False)
class OverlappingGroupLasso:
    """alpha sum_g ||w_g||_2 over groups of entries of w that may overlap.

    `groups` lists the entries of every group; entries in no group are free. An entry is non-zero
    only if all its groups are, so that nested groups make a hierarchy. The proximal step has a
    closed form for disjoint groups; otherwise the groups are projected in turn on the dual side
    until nothing moves.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import OverlappingGroupLasso
    >>> penalty = OverlappingGroupLasso(1.0, [np.array([0, 1]), np.array([1])])
    >>> penalty.prox(np.array([4.0, 4.0, 9.0]), step=1.0).tolist()
    [3.2, 2.4, 9.0]
    """

    alpha: float
    groups: Sequence[IntArray]

    def value(self, w: FloatArray) -> FloatArray:
        lengths = [np.sqrt(np.vdot(w[group], w[group])) for group in self.groups]
        return np.asarray(self.alpha * sum(lengths))

    def prox(self, w: FloatArray, step: float | FloatArray) -> FloatArray:
        radius = float(step) * self.alpha
        new = w.copy()
        taken = [np.zeros(len(group)) for group in self.groups]
        goal = SETTLED * max(radius, 1e-300)
        for _ in range(MAX_ROUNDS):
            moved = 0.0
            for group, removed in zip(self.groups, taken, strict=True):
                whole = new[group] + removed
                length = np.sqrt(np.vdot(whole, whole))
                part = whole * min(1.0, radius / max(length, 1e-300))
                moved = max(moved, float(np.abs(part - removed).max(initial=0.0)))
                new[group] = whole - part
                removed[:] = part
            if moved <= goal:
                break
        return new
