"""Sizes of the sets of a field: its generating function at the roots of unity.

With G_l(w) = E[y_l w^|y|], the probabilities P(y_l = 1, |y| = s) are the inverse discrete Fourier
transform of G_l at w = exp(2 pi i f / (L + 1)). For each w one pass through the chain of
conditionals that elimination leaves gives G, and its derivatives, one pass back, all G_l. All
numbers stay below one in size, so nothing is lost to rounding.
"""

import numpy as np
from numpy.typing import NDArray

from labelfield._typing import FloatArray
from labelfield.kernels._compile import compiled
from labelfield.kernels.elimination import odds_of_row
from labelfield.kernels.elimination_plan import EliminationPlan

__all__ = ["size_marginals"]


@compiled
def _received(
    plan: EliminationPlan, t: int, configuration: int, message: NDArray[np.complex128]
) -> complex:
    """Return the product of the messages step t gets in a configuration of label and separator."""
    product = 1.0 + 0.0j
    for q in range(plan.child_start[t], plan.child_start[t + 1]):
        place = plan.place[plan.place_start[q] + configuration]
        product *= message[plan.start[plan.child[q]] + place]
    return product


@compiled
def _hand_back(
    plan: EliminationPlan,
    t: int,
    configuration: int,
    slope: complex,
    message: NDArray[np.complex128],
    slopes: NDArray[np.complex128],
) -> None:
    """Add to the slope of each message its factor: `slope` times all messages but itself."""
    first, last = plan.child_start[t], plan.child_start[t + 1]
    after = np.empty(last - first, dtype=np.complex128)
    product = 1.0 + 0.0j
    for q in range(last - 1, first - 1, -1):
        after[q - first] = product
        product *= message[
            plan.start[plan.child[q]] + plan.place[plan.place_start[q] + configuration]
        ]
    product = slope
    for q in range(first, last):
        cell = plan.start[plan.child[q]] + plan.place[plan.place_start[q] + configuration]
        slopes[cell] += product * after[q - first]
        product *= message[cell]


@compiled
def _generating(
    plan: EliminationPlan,
    p: FloatArray,
    w: complex,
    message: NDArray[np.complex128],
    slopes: NDArray[np.complex128],
    answer: NDArray[np.complex128],
) -> None:
    """Fill E[y_l w^|y|] (L,) from the chances p (cells,) of each label given its separator."""
    n_labels = len(plan.label)
    for t in range(n_labels):
        at, size = plan.start[t], plan.start[t + 1] - plan.start[t]
        for s in range(size):
            absent = (1.0 - p[at + s]) * _received(plan, t, s, message)
            message[at + s] = absent + p[at + s] * w * _received(plan, t, size + s, message)
    slopes[:] = 0.0
    slopes[-1] = 1.0
    for t in range(n_labels - 1, -1, -1):
        at, size = plan.start[t], plan.start[t + 1] - plan.start[t]
        total = 0.0 + 0.0j
        for s in range(size):
            slope = slopes[at + s]
            total += slope * p[at + s] * w * _received(plan, t, size + s, message)
            _hand_back(plan, t, s, slope * (1.0 - p[at + s]), message, slopes)
            _hand_back(plan, t, size + s, slope * p[at + s] * w, message, slopes)
        answer[plan.label[t]] = total


@compiled
def size_marginals(plan: EliminationPlan, unary: FloatArray, coupling: FloatArray) -> FloatArray:
    """Return P(y_l = 1, |y| = s) at [i, l, s - 1] for s = 1..L: (n, L, L)."""
    n, n_labels = unary.shape
    odds, message = np.empty((plan.start[-1], 1)), np.empty((plan.start[-1], 1))
    factors = np.empty(plan.start[-1], dtype=np.complex128)
    slopes = np.empty(plan.start[-1], dtype=np.complex128)
    transform = np.empty(n_labels, dtype=np.complex128)
    answer = np.zeros((n, n_labels, n_labels))
    period = n_labels + 1
    for i in range(n):
        odds_of_row(plan, unary, coupling, i, False, odds, message)
        p = 1.0 / (1.0 + np.exp(-odds[:, 0]))
        for f in range(period // 2 + 1):
            w = np.exp(2j * np.pi * f / period)
            _generating(plan, p, w, factors, slopes, transform)
            both = 1.0 if f == 0 or 2 * f == period else 2.0  # f and its conjugate
            for s in range(1, period):
                back = both * np.exp(-2j * np.pi * (f * s % period) / period) / period
                for label in range(n_labels):
                    answer[i, label, s - 1] += (transform[label] * back).real
    return np.maximum(answer, 0.0)
