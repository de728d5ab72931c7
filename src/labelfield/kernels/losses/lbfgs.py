"""Limited-memory BFGS for many problems of the same size, one row each.

The pairs of problem b lie in `steps[b]` and `changes[b]` (m, p), a ring in which pair number i has
slot i % m; `inverse_curvature[b]` (m,) holds 1 / (step . change) and `n_pairs[b]` counts the pairs
ever kept. `problems` (A,) names the problems that the rows of the other arrays belong to.
"""

from labelfield._compile import compiled, compiled_sums
from labelfield._typing import FloatArray, IntArray

__all__ = ["finish_directions", "start_directions"]


@compiled_sums
def _dot(a: FloatArray, i: int, j: int, b: FloatArray, k: int) -> float:
    """Return a[i, j] . b[k]."""
    total = 0.0
    for m in range(b.shape[1]):
        total += a[i, j, m] * b[k, m]
    return total


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
        for i in range(n_pairs[b] - 1, max(n_pairs[b] - m, 0) - 1, -1):
            slot = i % m
            weight = inverse_curvature[b, slot] * _dot(steps, b, slot, rows, a)
            weights[a, slot] = weight
            for j in range(rows.shape[1]):
                rows[a, j] -= weight * changes[b, slot, j]


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
        for i in range(max(n_pairs[b] - m, 0), n_pairs[b]):
            slot = i % m
            weight = weights[a, slot]
            weight -= inverse_curvature[b, slot] * _dot(changes, b, slot, rows, a)
            for j in range(rows.shape[1]):
                rows[a, j] += weight * steps[b, slot, j]
