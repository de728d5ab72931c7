"""Pseudo-likelihood of a Gaussian-Potts field over mixed columns, and its edge-sparse penalty.

A row is `z = [x, D]`: mc standardised numbers and K one-hot states, p = mc + K entries. One
symmetric coupling matrix B (p, p) holds every pairwise parameter,

    B = [[-Omega off the diagonal, R], [R', Phi]],

so all node-wise predictors are `bias + z B`: eta for the numbers, logits for the states.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.restore.shape import FieldShape, FieldWeights

__all__ = ["BlockLasso", "MixedPseudoLikelihood"]

MIN_PRECISION = 1e-3
CHUNK_ENTRIES = 1 << 17


@dataclass(frozen=True)
class BlockLasso:
    """Lasso over the edges of a mixed field: alpha times the sum of the block norms of B.

    Each pair of nodes counts once. The proximal step also keeps the precisions above 1e-3.
    """

    alpha: float
    shape: FieldShape

    def value(self, theta: FloatArray) -> float:
        """Return the penalty of a flat parameter vector."""
        norms = self.shape.block_norms(self.shape.split(theta).coupling)
        return float(0.5 * self.alpha * norms.sum())

    def prox(self, theta: FloatArray, step: float) -> FloatArray:
        """Shrink every block by its norm (both mirrored copies alike)."""
        result = theta.copy()
        precision, _, coupling = self.shape.split(result)
        np.maximum(precision, MIN_PRECISION, out=precision)
        norms = self.shape.block_norms(coupling)
        shrink = np.maximum(0.0, 1.0 - 0.5 * step * self.alpha / np.maximum(norms, 1e-300))
        node = self.shape.node_of_entry
        coupling *= shrink[np.ix_(node, node)]
        return result


class MixedPseudoLikelihood:
    """Mean negative log pseudo-likelihood of encoded rows, smooth and jointly convex.

    Parameters
    ----------
    numbers : ndarray of shape (n, mc)
        Standardised numbers, complete (holes filled).
    states : ndarray of shape (n, K)
        Indicators of the states; rows of a filled hole may hold probabilities.
    shape : FieldShape
    observed : ndarray of shape (n, mc + md) or None
        Cells whose conditional counts; a filled hole only serves as a neighbour.
    dtype : dtype
        Precision of the products over rows; sums are always kept in double precision.
    """

    def __init__(
        self,
        numbers: FloatArray,
        states: FloatArray,
        shape: FieldShape,
        *,
        observed: BoolArray | None = None,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> None:
        self.shape = shape
        n, mc = numbers.shape
        self._rows: FloatArray = np.concatenate([numbers, states], axis=1).astype(dtype, copy=False)
        if observed is None:
            observed = np.ones((n, mc + len(shape.n_states)), dtype=bool)
        counts = np.maximum(observed.sum(axis=0), 1)
        self._gram_of = _grouped_grams(self._rows, observed[:, :mc])
        self._node_weight = (observed[:, mc:] / counts[mc:]).astype(dtype)
        self._uncoupled = shape.uncoupled
        self._members: FloatArray = np.repeat(
            np.eye(len(shape.n_states), dtype=dtype), shape.n_states, axis=0
        )
        self._largest_logit = dtype(0.9 * np.log(np.finfo(dtype).max))

    @property
    def rounding(self) -> float:
        """Share of a value that may be noise of the arithmetic."""
        return float(np.finfo(self._rows.dtype).eps)

    def lipschitz(self) -> float:
        """Curvature along one entry of a standardised row; backtracking finds the rest."""
        return 1.0

    def scale(self) -> float:
        """Gradients are mean products of standardised entries, so of size one."""
        return 1.0

    def zeros(self) -> FloatArray:
        """Start: unit precisions, everything else zero."""
        theta = np.zeros(self.shape.n_numeric + self.shape.width * (1 + self.shape.width))
        theta[: self.shape.n_numeric] = 1.0
        return theta

    def value(self, theta: FloatArray) -> float:
        """Return the mean negative log pseudo-likelihood (all constants included)."""
        return self._evaluate(theta, None)

    def value_and_gradient(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and its gradient; the coupling's is symmetric, diagonal blocks zero."""
        gradient = np.zeros_like(theta)
        value = self._evaluate(theta, gradient)
        coupling = self.shape.split(gradient).coupling
        coupling += coupling.T.copy()
        coupling *= 0.5
        coupling[self._uncoupled] = 0.0
        return value, gradient

    def gradient(self, theta: FloatArray) -> FloatArray:
        """Return the gradient alone."""
        return self.value_and_gradient(theta)[1]

    def _evaluate(self, theta: FloatArray, gradient: FloatArray | None) -> float:
        weights = self.shape.split(theta)
        target = None if gradient is None else self.shape.split(gradient)
        value = self._numeric_part(weights, target)
        if self.shape.n_states:
            value += self._discrete_part(weights, target)
        return value

    def _numeric_part(self, weights: FieldWeights, target: FieldWeights | None) -> float:
        """Gaussian conditionals: quadratic in the predictors, so second moments suffice."""
        value = 0.0
        for columns, gram in self._gram_of:
            omega = weights.precision[columns]
            slopes = np.vstack([weights.bias[columns], weights.coupling[:, columns]])
            moved = gram @ slopes
            cross = gram[:, columns + 1]
            square = gram[columns + 1, columns + 1]
            mean_eta_x = np.einsum("pc,pc->c", cross, slopes)
            mean_eta_eta = np.einsum("pc,pc->c", slopes, moved)
            value += 0.5 * float(
                np.sum(np.log(2 * np.pi / omega) + omega * square)
                + np.sum(mean_eta_eta / omega - 2 * mean_eta_x)
            )
            if target is not None:
                residual = moved / omega - cross
                target.precision[columns] = 0.5 * (square - 1 / omega - mean_eta_eta / omega**2)
                target.bias[columns] = residual[0]
                target.coupling[:, columns] = residual[1:]
        return value

    def _discrete_part(self, weights: FieldWeights, target: FieldWeights | None) -> float:
        mc = self.shape.n_numeric
        dtype = self._rows.dtype
        bias = weights.bias[mc:].astype(dtype)
        coupling = np.ascontiguousarray(weights.coupling[:, mc:], dtype=dtype)
        value = 0.0
        for rows, node_weight in self._chunks():
            states = rows[:, mc:]
            logits = rows @ coupling
            logits += bias
            # measured from the state that was seen, its own term is exp(0): no maximum is needed
            logits -= ((logits * states) @ self._members) @ self._members.T
            np.minimum(logits, self._largest_logit, out=logits)
            odds = np.exp(logits, out=logits)
            total = odds @ self._members
            value += float(np.sum(node_weight * np.log(total), dtype=np.float64))
            if target is not None:
                excess = odds
                excess *= (node_weight / total) @ self._members.T
                excess -= states * (node_weight @ self._members.T)
                target.bias[mc:] += excess.sum(axis=0)
                target.coupling[:, mc:] += rows.T @ excess
        return value

    def _chunks(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        size = max(1, CHUNK_ENTRIES // self._rows.shape[1])
        for start in range(0, len(self._rows), size):
            yield self._rows[start : start + size], self._node_weight[start : start + size]


def _grouped_grams(rows: FloatArray, observed: BoolArray) -> list[tuple[IntArray, FloatArray]]:
    """Second moments of [1, z] over the rows where a number is observed, shared where equal."""
    groups: dict[bytes, list[int]] = {}
    for column in range(observed.shape[1]):
        groups.setdefault(np.packbits(observed[:, column]).tobytes(), []).append(column)
    result = []
    for columns in groups.values():
        kept = rows[observed[:, columns[0]]].astype(np.float64)
        design = np.concatenate([np.ones((len(kept), 1)), kept], axis=1)
        result.append((np.array(columns), design.T @ design / max(len(kept), 1)))
    return result
