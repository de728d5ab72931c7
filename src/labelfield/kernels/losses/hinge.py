"""Coordinate ascent on the duals of linear machines, all labels of a row at once."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray

__all__ = ["hinge_pass"]


@compiled
def hinge_pass(
    data: FloatArray,
    indices: IntArray,
    indptr: IntArray,
    signs: FloatArray,
    cost: FloatArray,
    order: IntArray,
    weights: FloatArray,
    duals: FloatArray,
) -> float:
    """Visit the rows once; return the summed change of the duals.

    Machine l minimises |w_l|^2 / 2 + sum_i cost_i max(0, 1 - s_il (x_i, 1) . w_l)^2. Its dual
    variable of row i is moved to the best value given all others, and
    w_l = sum_i duals_il s_il (x_i, 1) is kept.

    data, indices, indptr: CSR matrix (n, d); signs (n, L), 0 where a label is unknown; cost (n,);
    order: rows to visit; weights (d + 1, L), the constants last, and duals (n, L) are changed.
    """
    n_labels = signs.shape[1]
    constants = weights[-1]
    margin = np.empty(n_labels, dtype=weights.dtype)
    step = np.empty(n_labels, dtype=weights.dtype)
    moved = np.empty(n_labels, dtype=np.intp)
    total = 0.0
    for i in order:
        if cost[i] <= 0.0:
            continue
        begin, end = indptr[i], indptr[i + 1]
        for j in range(n_labels):
            margin[j] = constants[j]
        curvature = 1.0 + 0.5 / cost[i]
        for k in range(begin, end):
            a, row = data[k], weights[indices[k]]
            curvature += a * a
            for j in range(n_labels):
                margin[j] += a * row[j]
        n_moved = 0
        for j in range(n_labels):
            before = duals[i, j]
            slope = signs[i, j] * margin[j] - 1.0 + 0.5 * before / cost[i]
            if signs[i, j] == 0.0 or (before == 0.0 and slope >= 0.0):
                continue
            after = max(before - slope / curvature, 0.0)
            duals[i, j] = after
            step[n_moved] = (after - before) * signs[i, j]
            moved[n_moved] = j
            n_moved += 1
            total += abs(after - before)
        for m in range(n_moved):
            constants[moved[m]] += step[m]
        for k in range(begin, end if n_moved else begin):
            a, row = data[k], weights[indices[k]]
            for m in range(n_moved):
                row[moved[m]] += a * step[m]
    return total
