"""Penalties: a value and a proximal step each, so that every solver can use every one.

Parameters are a vector (p,), or a matrix (p, C) whose columns are separate problems: `value` then
gives one number per column, and `prox` takes one step length or one per column.
"""

from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol, cast

import numpy as np

from labelfield._namespaces import is_tensor, namespace
from labelfield._typing import FloatArray, IntArray

__all__ = [
    "L1",
    "Blocks",
    "ElasticNet",
    "GroupLasso",
    "Penalty",
    "Ridge",
    "SmoothPenalty",
    "SplitPenalty",
]


class Penalty(Protocol):
    """A convex function with an easy proximal step."""

    def value(self, w: FloatArray) -> FloatArray:
        """Return the penalty: (p,) -> (), (p, C) -> (C,)."""

    def prox(self, w: FloatArray, step: float | FloatArray) -> FloatArray:
        """Return the minimiser of ||v - w||^2 / 2 + step * value(v) over v, column by column."""


class SmoothPenalty(Penalty, Protocol):
    """A penalty that is differentiable everywhere."""

    def gradient(self, w: FloatArray) -> FloatArray:
        """Return the gradient, of the shape of w."""


class SplitPenalty(Penalty, Protocol):
    """A smooth penalty plus weighted absolute values."""

    def smooth_gradient(self, w: FloatArray) -> FloatArray:
        """Return the gradient of the smooth part: (p,) -> (p,)."""

    def l1_strengths(self, n_entries: int) -> FloatArray:
        """Return the weights of the absolute values: (p,)."""


def _soft_threshold(w: FloatArray, threshold: float | FloatArray) -> FloatArray:
    shrunk: FloatArray = np.sign(w) * np.maximum(np.abs(w) - threshold, 0.0)
    return shrunk


def _squared_norm(w: FloatArray) -> FloatArray:
    if is_tensor(w):
        return namespace(w).sum(w * w, axis=0)
    squares: FloatArray = np.einsum("i...,i...->...", w, w)
    return squares


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

    def value(self, w: FloatArray) -> FloatArray:
        total: FloatArray = self.alpha * np.abs(w).sum(axis=0)
        return total

    def prox(self, w: FloatArray, step: float | FloatArray) -> FloatArray:
        return _soft_threshold(w, step * self.alpha)


@dataclass(frozen=True)
class Ridge:
    """alpha / 2 ||w||^2, without the last `unpenalized` entries of w (constants).

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import Ridge
    >>> Ridge(1.0).prox(np.array([2.0]), step=1.0).tolist()
    [1.0]
    """

    alpha: float
    unpenalized: int = 0

    def value(self, w: FloatArray) -> FloatArray:
        return 0.5 * self.alpha * _squared_norm(w[: w.shape[0] - self.unpenalized, ...])

    def gradient(self, w: FloatArray) -> FloatArray:
        slope = self.alpha * w
        slope[w.shape[0] - self.unpenalized :, ...] = 0.0
        return slope

    def prox(self, w: FloatArray, step: float | FloatArray) -> FloatArray:
        new = w.copy()
        new[: len(w) - self.unpenalized] /= 1.0 + step * self.alpha
        return new


@dataclass(frozen=True)
class ElasticNet:
    """alpha [l1_ratio ||w||_1 + (1 - l1_ratio) / 2 ||w||^2], without the last entries of w.

    The last `unpenalized` entries of w (constants) are left alone.

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

    def value(self, w: FloatArray) -> FloatArray:
        w = w[: len(w) - self.unpenalized]
        mixed = self.l1_ratio * np.abs(w).sum(axis=0)
        mixed = mixed + 0.5 * (1.0 - self.l1_ratio) * _squared_norm(w)
        total: FloatArray = self.alpha * mixed
        return total

    def prox(self, w: FloatArray, step: float | FloatArray) -> FloatArray:
        new = w.copy()
        kept = slice(len(w) - self.unpenalized)
        shrunk = _soft_threshold(w[kept], step * (self.alpha * self.l1_ratio))
        new[kept] = shrunk / (1.0 + step * (self.alpha * (1.0 - self.l1_ratio)))
        return new

    def smooth_gradient(self, w: FloatArray) -> FloatArray:
        return Ridge(self.alpha * (1.0 - self.l1_ratio), self.unpenalized).gradient(w)

    def l1_strengths(self, n_entries: int) -> FloatArray:
        strengths = np.full(n_entries, self.alpha * self.l1_ratio)
        strengths[n_entries - self.unpenalized :] = 0.0
        return strengths


@dataclass(frozen=True, eq=False)
class GroupLasso:
    """alpha sum_g weight_g ||w_g||_2 over groups of entries of w.

    `groups` (p,) names the group of each entry, -1 for none; `weights` (number of groups) defaults
    to ones. Of a matrix the rows are grouped, separately in every column.

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

    def value(self, w: FloatArray) -> FloatArray:
        total: FloatArray = np.tensordot(self._strengths(), self._norms(w), axes=1)
        return total

    def prox(self, w: FloatArray, step: float | FloatArray) -> FloatArray:
        norms = self._norms(w)
        threshold = np.multiply.outer(self._strengths(), step)
        scale = np.maximum(1.0 - threshold / np.maximum(norms, 1e-300), 0.0)
        free = np.ones((1, *scale.shape[1:]))  # group -1 is the last row
        shrunk: FloatArray = w * np.concatenate([scale, free])[self.groups]
        return shrunk

    def _norms(self, w: FloatArray) -> FloatArray:
        inside = self.groups >= 0
        squares = np.zeros((len(self._strengths()), *w.shape[1:]))
        np.add.at(squares, self.groups[inside], w[inside] ** 2)
        return np.sqrt(squares)

    def _strengths(self) -> FloatArray:
        if self.weights is None:
            return np.full(int(self.groups.max(initial=-1)) + 1, self.alpha)
        return self.alpha * self.weights


@dataclass(frozen=True)
class Blocks:
    """Different penalties for consecutive parts of w.

    Attributes
    ----------
    sizes : tuple of int
        Entries of w in each part.
    penalties : tuple of Penalty

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.optim import L1, Blocks, Ridge
    >>> Blocks((1, 1), (L1(1.0), Ridge(1.0))).prox(np.array([2.0, 2.0]), step=1.0).tolist()
    [1.0, 1.0]
    """

    sizes: tuple[int, ...]
    penalties: tuple[Penalty, ...]

    def value(self, w: FloatArray) -> FloatArray:
        values = (penalty.value(part) for penalty, part in zip(self.penalties, self._parts(w)))
        total: FloatArray = sum(values, next(values))
        return total

    def gradient(self, w: FloatArray) -> FloatArray:
        """Return the gradient, of the shape of w, where all penalties are smooth."""
        smooth = cast(tuple[SmoothPenalty, ...], self.penalties)
        parts = zip(smooth, self._parts(w))
        slopes: FloatArray = namespace(w).concat([part[0].gradient(part[1]) for part in parts])
        return slopes

    def prox(self, w: FloatArray, step: float | FloatArray) -> FloatArray:
        parts = zip(self.penalties, self._parts(w))
        return np.concatenate([penalty.prox(part, step) for penalty, part in parts])

    def smooth_gradient(self, w: FloatArray) -> FloatArray:
        parts = zip(self._split(), self._parts(w))
        return np.concatenate([penalty.smooth_gradient(part) for penalty, part in parts])

    def l1_strengths(self, n_entries: int) -> FloatArray:
        del n_entries
        parts = zip(self._split(), self.sizes)
        return np.concatenate([penalty.l1_strengths(size) for penalty, size in parts])

    def _split(self) -> tuple[SplitPenalty, ...]:
        """Return the penalties, all of which must be such sums."""
        return cast(tuple[SplitPenalty, ...], self.penalties)

    def _parts(self, w: FloatArray) -> list[FloatArray]:
        return [
            w[last - size : last, ...] for last, size in zip(accumulate(self.sizes), self.sizes)
        ]
