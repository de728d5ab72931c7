"""Penalties: a value and a proximal step each, so that every solver can use every one."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from labelfield._typing import FloatArray, IntArray

__all__ = ["L1", "ElasticNet", "GroupLasso", "Penalty", "Ridge"]


class Penalty(Protocol):
    """A convex function with an easy proximal step."""

    def value(self, w: FloatArray) -> float:
        """Return the penalty."""

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """Return the minimiser of ||v - w||^2 / 2 + step * value(v) over v."""


def _soft_threshold(w: FloatArray, threshold: float) -> FloatArray:
    return np.sign(w) * np.maximum(np.abs(w) - threshold, 0.0)


@dataclass(frozen=True)
class L1:
    """alpha ||w||_1.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import L1
    >>> L1(0.5).prox(np.array([2.0, -0.3]), step=1.0).tolist()
    [1.5, -0.0]
    """

    alpha: float

    def value(self, w: FloatArray) -> float:
        return self.alpha * float(np.abs(w).sum())

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        return _soft_threshold(w, step * self.alpha)


@dataclass(frozen=True)
class Ridge:
    """alpha / 2 ||w||^2.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import Ridge
    >>> Ridge(1.0).prox(np.array([2.0]), step=1.0).tolist()
    [1.0]
    """

    alpha: float

    def value(self, w: FloatArray) -> float:
        return 0.5 * self.alpha * float((w * w).sum())

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        return w / (1.0 + step * self.alpha)


@dataclass(frozen=True)
class ElasticNet:
    """alpha [l1_ratio ||w||_1 + (1 - l1_ratio) / 2 ||w||^2] without the last rows of w.

    The last `unpenalized` entries of the first axis (constants) are left alone.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import ElasticNet
    >>> ElasticNet(1.0, 1.0, unpenalized=1).prox(np.array([2.0, 0.5, 0.5]), step=1.0).tolist()
    [1.0, 0.0, 0.5]
    """

    alpha: float
    l1_ratio: float
    unpenalized: int = 0

    def value(self, w: FloatArray) -> float:
        w = w[: len(w) - self.unpenalized]
        lasso, ridge = float(np.abs(w).sum()), 0.5 * float((w * w).sum())
        return self.alpha * (self.l1_ratio * lasso + (1.0 - self.l1_ratio) * ridge)

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        new = w.copy()
        kept = slice(len(w) - self.unpenalized)
        shrunk = _soft_threshold(w[kept], step * self.alpha * self.l1_ratio)
        new[kept] = shrunk / (1.0 + step * self.alpha * (1.0 - self.l1_ratio))
        return new


@dataclass(frozen=True)
class GroupLasso:
    """alpha sum_g weight_g ||w_g||_2 over groups of the flattened entries.

    `groups` (size of w) names the group of each entry, -1 for none; `weights` (number of groups)
    defaults to ones.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import GroupLasso
    >>> penalty = GroupLasso(1.0, np.array([0, 0, 1, -1]))
    >>> penalty.prox(np.array([3.0, 4.0, 0.5, 0.5]), step=1.0).tolist()
    [2.4000000000000004, 3.2, 0.0, 0.5]
    """

    alpha: float
    groups: IntArray
    weights: FloatArray | None = None

    def _norms(self, w: FloatArray) -> FloatArray:
        inside = self.groups >= 0
        squares = (w.ravel() ** 2)[inside]
        norms: FloatArray = np.sqrt(np.bincount(self.groups[inside], weights=squares))
        return norms

    def _weights(self, n_groups: int) -> FloatArray:
        return np.ones(n_groups) if self.weights is None else self.weights

    def value(self, w: FloatArray) -> float:
        norms = self._norms(w)
        return self.alpha * float(norms @ self._weights(len(norms)))

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        norms = self._norms(w)
        threshold = step * self.alpha * self._weights(len(norms))
        scale = np.maximum(1.0 - threshold / np.maximum(norms, 1e-300), 0.0)
        factors = np.append(scale, 1.0)[self.groups]
        shrunk: FloatArray = w * factors.reshape(w.shape)
        return shrunk
