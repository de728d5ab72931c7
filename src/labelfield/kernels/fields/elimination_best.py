"""The best sets of a field, read off the log-odds that eliminating labels for maxima leaves."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray, LabelArray
from labelfield.kernels.fields.elimination import cell_of, eliminate, odds_of_row, tile_width
from labelfield.kernels.fields.graphs import EliminationPlan
from labelfield.kernels.fields.tiles import load

__all__ = ["best_set", "best_sets", "modes", "pop", "push"]


@compiled
def _cheaper(cost: FloatArray, a: int, b: int) -> bool:
    return bool(cost[a] < cost[b] or (cost[a] == cost[b] and a < b))


@compiled
def push(queue: IntArray, size: int, cost: FloatArray, item: int) -> None:
    """Add an item to a heap of items by cost (lower numbers first on ties) of `size` entries."""
    slot = size
    while slot > 0:
        above = (slot - 1) // 2
        if not _cheaper(cost, item, queue[above]):
            break
        queue[slot] = queue[above]
        slot = above
    queue[slot] = item


@compiled
def pop(queue: IntArray, size: int, cost: FloatArray) -> int:
    """Take the cheapest item out of a heap of `size` entries."""
    first, last = queue[0], queue[size - 1]
    slot = 0
    while 2 * slot + 1 < size - 1:
        below = 2 * slot + 1
        if below + 1 < size - 1 and _cheaper(cost, queue[below + 1], queue[below]):
            below += 1
        if not _cheaper(cost, queue[below], last):
            break
        queue[slot] = queue[below]
        slot = below
    queue[slot] = last
    return int(first)


@compiled
def _follow(
    plan: EliminationPlan, odds: FloatArray, y: LabelArray, below: int, costs: FloatArray
) -> None:
    """Set the labels of the steps before `below` to their best given the later ones.

    Fills in `costs` (L,) what the other choice would cost at each of these steps.
    """
    for t in range(below - 1, -1, -1):
        preference = odds[cell_of(plan, t, y), 0]
        y[plan.label[t]] = preference > 0.0
        costs[t] = abs(preference)


@compiled
def _best_of_row(
    plan: EliminationPlan, odds: FloatArray, n_counted: int, allow_empty: bool, best: LabelArray
) -> int:
    """Fill `best` (k, L) with the k best sets, best first; return how many there are.

    Leaving the best choice at a step costs the difference of the two maxima, so the cost of a set
    is the sum over its deviations: each set found proposes one more deviation at every earlier
    step, and a heap yields them by cost, every set once. Impossible ones are not proposed. A set
    is empty without the first `n_counted` labels.
    """
    k, n_labels = best.shape
    found = np.zeros((k + 1, n_labels), dtype=np.uint8)  # the empty set may be one too many
    costs = np.zeros(n_labels)
    capacity = (k + 1) * n_labels + 1
    cost, queue = np.zeros(capacity), np.zeros(capacity, dtype=np.int64)
    parent, deviation = np.zeros(capacity, dtype=np.int64), np.zeros(capacity, dtype=np.int64)
    deviation[0] = n_labels
    n_proposed, n_waiting, n_found, n_kept = 1, 1, 0, 0
    while n_kept < k and n_waiting > 0:
        chosen = pop(queue, n_waiting, cost)
        n_waiting -= 1
        y, turn = found[n_found], deviation[chosen]
        for label in range(n_labels):
            y[label] = found[parent[chosen], label]
        if turn < n_labels:
            y[plan.label[turn]] ^= 1
        _follow(plan, odds, y, turn, costs)
        for t in range(turn if n_kept + allow_empty < k else 0):
            if costs[t] == np.inf:
                continue
            cost[n_proposed] = cost[chosen] + costs[t]
            parent[n_proposed], deviation[n_proposed] = n_found, t
            push(queue, n_waiting, cost, n_proposed)
            n_proposed += 1
            n_waiting += 1
        n_found += 1
        size = 0
        for label in range(n_labels):
            best[n_kept, label] = y[label]
            size += y[label] * (label < n_counted)
        n_kept += allow_empty or size > 0
    return n_kept


@compiled
def best_sets(
    plan: EliminationPlan,
    unary: FloatArray,
    coupling: FloatArray,
    n_counted: int,
    k: int,
    allow_empty: bool,
) -> tuple[LabelArray, int]:
    """Return the k best sets, best first, (n, k, L), and how many of them there are."""
    n, n_labels = unary.shape
    odds, message = np.empty((plan.start[-1], 1)), np.empty((plan.start[-1], 1))
    best = np.empty((n, k, n_labels), dtype=np.uint8)
    n_found = k
    for i in range(n):
        odds_of_row(plan, unary, coupling, i, True, odds, message)
        n_found = min(n_found, _best_of_row(plan, odds, n_counted, allow_empty, best[i]))
    return best, n_found


@compiled
def modes(plan: EliminationPlan, unary: FloatArray, coupling: FloatArray) -> LabelArray:
    """Return the best set of each row: (n, L)."""
    n, n_labels = unary.shape
    width = tile_width(plan, n)
    odds = np.empty((plan.start[-1], width))
    message = np.empty((plan.start[-1], width))
    fields, weights = np.empty((n_labels, width)), np.empty((coupling.shape[1], width))
    chosen = np.empty((n_labels, width), dtype=np.uint8)
    best = np.empty((n, n_labels), dtype=np.uint8)
    for first in range(0, n, width):
        load(unary, first, fields)
        load(coupling, first, weights)
        eliminate(plan, fields, weights, True, odds, message)
        for t in range(n_labels - 1, -1, -1):
            for lane in range(width):
                s = 0
                for q in range(plan.separator_start[t], plan.separator_start[t + 1]):
                    s = 2 * s + chosen[plan.separator[q], lane]
                chosen[plan.label[t], lane] = odds[plan.start[t] + s, lane] > 0.0
        for row in range(first, min(first + width, n)):
            for label in range(n_labels):
                best[row, label] = chosen[label, row - first]
    return best


@compiled
def best_set(
    plan: EliminationPlan,
    unary: FloatArray,
    coupling: FloatArray,
    odds: FloatArray,
    message: FloatArray,
    best: LabelArray,
) -> None:
    """Write the best set of a single row into `best` (L,), for loops that visit row after row.

    unary (L, 1); coupling (C, 1); odds, message (cells, 1) are overwritten.
    """
    eliminate(plan, unary, coupling, True, odds, message)
    for t in range(len(best) - 1, -1, -1):
        best[plan.label[t]] = odds[cell_of(plan, t, best), 0] > 0.0
