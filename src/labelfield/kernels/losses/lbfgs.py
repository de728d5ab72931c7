"""Limited-memory BFGS for many problems of the same size, one row each.

The pairs of problem b lie in `steps[b]` and `changes[b]` (m, p), a ring in which pair number i has
slot i % m; `inverse_curvature[b]` (m,) holds 1 / (step . change) and `n_pairs[b]` counts the pairs
ever kept. `problems` (A,) names the problems that the rows of the other arrays belong to.
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray

__all__ = ["finish_directions", "push_pairs", "start_directions"]


@compiled
def push_pairs(
    steps: FloatArray,
    changes: FloatArray,
    inverse_curvature: FloatArray,
    n_pairs: IntArray,
    problems: IntArray,
    step: FloatArray,
    change: FloatArray,
) -> None:
    """Keep each row's (step, change), (A, p) both, unless its curvature is not safely positive."""
    m = steps.shape[1]
    for a in range(problems.size):
        b = problems[a]
        curvature = np.dot(step[a], change[a])
        if curvature > 1e-14 * np.dot(change[a], change[a]):
            slot = n_pairs[b] % m
            for j in range(step.shape[1]):
                steps[b, slot, j] = step[a, j]
                changes[b, slot, j] = change[a, j]
            inverse_curvature[b, slot] = 1.0 / curvature
            n_pairs[b] += 1


@compiled
def start_directions(
    steps: FloatArray,
    changes: FloatArray,
    inverse_curvature: FloatArray,
    n_pairs: IntArray,
    problems: IntArray,
    rows: FloatArray,
    weights: FloatArray,
) -> None:
    """Run the first loop of the recursion on `rows` (A, p) in place; fill its weights (A, m)."""
    m = steps.shape[1]
    for a in range(problems.size):
        b = problems[a]
        row = rows[a]
        for i in range(n_pairs[b] - 1, max(n_pairs[b] - m, 0) - 1, -1):
            slot = i % m
            weight = inverse_curvature[b, slot] * np.dot(steps[b, slot], row)
            weights[a, slot] = weight
            change = changes[b, slot]
            for j in range(row.size):
                row[j] -= weight * change[j]


@compiled
def finish_directions(
    steps: FloatArray,
    changes: FloatArray,
    inverse_curvature: FloatArray,
    n_pairs: IntArray,
    problems: IntArray,
    rows: FloatArray,
    weights: FloatArray,
) -> None:
    """Run the second loop of the recursion on `rows` (A, p) in place."""
    m = steps.shape[1]
    for a in range(problems.size):
        b = problems[a]
        row = rows[a]
        for i in range(max(n_pairs[b] - m, 0), n_pairs[b]):
            slot = i % m
            weight = weights[a, slot]
            weight -= inverse_curvature[b, slot] * np.dot(changes[b, slot], row)
            step = steps[b, slot]
            for j in range(row.size):
                row[j] += weight * step[j]
