"""Sizes of the sets of a field: its generating function at the roots of unity.

With G_l(w) = E[y_l w^|y|], the probabilities P(y_l = 1, |y| = s) are the inverse discrete Fourier
transform of G_l at w = exp(2 pi i f / (L + 1)). For each w one pass through the chain of
conditionals that elimination leaves gives G, and its derivatives, one pass back, all G_l. All
numbers stay below one in size, so nothing is lost to rounding.
"""

import numpy as np
from numpy.typing import NDArray

from labelfield._compile import compiled
from labelfield._typing import FloatArray
from labelfield.kernels.fields.elimination import odds_of_row
from labelfield.kernels.fields.graphs import EliminationPlan

__all__ = ["size_marginals"]

MAX_TILE = 64
TILE_CELLS = 1 << 16
Complex = NDArray[np.complex128]


@compiled
def _cell(plan: EliminationPlan, q: int, configuration: int) -> int:
    """Return the cell of the q-th child's message for a configuration of label and separator."""
    cell = plan.child_cell[plan.child_cell_start[q] + configuration]
    return int(plan.start[plan.child[q]] + cell)


@compiled
def _multiply(
    plan: EliminationPlan, t: int, configuration: int, message: Complex, product: Complex
) -> None:
    """Multiply `product` (tile,) by all messages step t gets in a configuration."""
    for q in range(plan.child_start[t], plan.child_start[t + 1]):
        cell = _cell(plan, q, configuration)
        for lane in range(len(product)):
            product[lane] *= message[cell, lane]


@compiled
def _hand_back(
    plan: EliminationPlan,
    t: int,
    configuration: int,
    slope: Complex,
    message: Complex,
    slopes: Complex,
    after: Complex,
) -> None:
    """Add to the slope of each message its factor: `slope` times all messages but itself.

    Products of the later messages come first, in `after`; `slope` then takes in the earlier ones.
    """
    first, last = plan.child_start[t], plan.child_start[t + 1]
    for lane in range(len(slope)):
        after[last - first, lane] = 1.0
    for q in range(last - 1, first, -1):
        cell = _cell(plan, q, configuration)
        for lane in range(len(slope)):
            after[q - first, lane] = after[q - first + 1, lane] * message[cell, lane]
    for q in range(first, last):
        cell = _cell(plan, q, configuration)
        for lane in range(len(slope)):
            slopes[cell, lane] += slope[lane] * after[q - first + 1, lane]
            slope[lane] *= message[cell, lane]


@compiled
def _generating(
    plan: EliminationPlan,
    p: FloatArray,
    w: Complex,
    n_counted: int,
    message: Complex,
    slopes: Complex,
    after: Complex,
    answer: Complex,
) -> None:
    """Fill E[y_l w^|y|] (L, tile) from the chances p (cells, 1) of labels given their separators.

    w (tile,) are points of the unit circle; message, slopes (cells, tile) and after are scratch.
    |y| is the number of the first `n_counted` labels.
    """
    n_labels = len(plan.label)
    product = np.empty(len(w), dtype=np.complex128)
    for t in range(n_labels):
        counted = plan.label[t] < n_counted
        at, size = plan.start[t], plan.start[t + 1] - plan.start[t]
        for s in range(size):
            for lane in range(len(w)):
                message[at + s, lane] = 1.0 - p[at + s, 0]
                slopes[at + s, lane] = 0.0
                product[lane] = p[at + s, 0] * (w[lane] if counted else 1.0)
            _multiply(plan, t, s, message, message[at + s])
            _multiply(plan, t, size + s, message, product)
            for lane in range(len(w)):
                message[at + s, lane] += product[lane]
    for lane in range(len(w)):
        slopes[len(slopes) - 1, lane] = 1.0
    for t in range(n_labels - 1, -1, -1):
        counted = plan.label[t] < n_counted
        at, size = plan.start[t], plan.start[t + 1] - plan.start[t]
        for lane in range(len(w)):
            answer[plan.label[t], lane] = 0.0
        for s in range(size):
            for lane in range(len(w)):
                product[lane] = slopes[at + s, lane] * (1.0 - p[at + s, 0])
            _hand_back(plan, t, s, product, message, slopes, after)
            for lane in range(len(w)):
                product[lane] = slopes[at + s, lane] * p[at + s, 0]
                if counted:
                    product[lane] *= w[lane]
            _hand_back(plan, t, size + s, product, message, slopes, after)
            for lane in range(len(w)):
                answer[plan.label[t], lane] += product[lane]  # by now with all messages


@compiled
def _add_back(
    transform: Complex, n_points: int, period: int, first: int, answer: FloatArray
) -> None:
    """Add the inverse transform of frequencies from `first` on, and of their conjugates: (L, L)."""
    for lane in range(n_points):
        frequency = first + lane
        both = 1.0 if frequency == 0 or 2 * frequency == period else 2.0
        for s in range(1, period):
            back = both * np.exp(-2j * np.pi * (frequency * s % period) / period) / period
            for label in range(len(answer)):
                value = transform[label, lane]
                answer[label, s - 1] += value.real * back.real - value.imag * back.imag


@compiled
def size_marginals(
    plan: EliminationPlan, unary: FloatArray, coupling: FloatArray, n_counted: int
) -> FloatArray:
    """Return P(y_l = 1, |y| = s) at [i, l, s - 1] for s = 1..L of the first L = n_counted labels.

    The answer is (n, L, L).
    """
    n, n_labels = unary.shape
    n_cells, period = plan.start[-1], n_counted + 1
    n_points = period // 2 + 1
    tile = max(1, min(n_points, MAX_TILE, TILE_CELLS // n_cells))
    odds, score = np.empty((n_cells, 1)), np.empty((n_cells, 1))
    most = 0
    for t in range(n_labels):
        most = max(most, plan.child_start[t + 1] - plan.child_start[t])
    after = np.empty((most + 1, tile), dtype=np.complex128)
    message = np.empty((n_cells, tile), dtype=np.complex128)
    slopes = np.empty((n_cells, tile), dtype=np.complex128)
    transform = np.empty((n_labels, tile), dtype=np.complex128)
    w = np.empty(tile, dtype=np.complex128)
    answer = np.zeros((n, n_counted, n_counted))
    for i in range(n):
        odds_of_row(plan, unary, coupling, i, False, odds, score)
        for cell in range(n_cells):
            odds[cell, 0] = 1.0 / (1.0 + np.exp(-odds[cell, 0]))
        for first in range(0, n_points, tile):
            for lane in range(tile):
                w[lane] = np.exp(2j * np.pi * (first + lane) / period)
            _generating(plan, odds, w, n_counted, message, slopes, after, transform)
            _add_back(transform, min(tile, n_points - first), period, first, answer[i])
    return answer
