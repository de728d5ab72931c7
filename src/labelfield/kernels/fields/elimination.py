"""Exact sums and maxima over all sets of a field by eliminating one label after the other.

Each step leaves the log-odds of its label given its separator, for sums or for maxima, and hands
on a message. The steps in reverse are a chain of conditionals: marginals, draws and best sets all
follow from these log-odds. Rows of a tile lie innermost. unary is (n, L), coupling (n or 1, C).
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray, LabelArray
from labelfield.kernels.fields.graphs import EliminationPlan
from labelfield.kernels.fields.tiles import fill, load, store

__all__ = ["beliefs", "best_set", "best_sets", "draw", "odds_of_row", "pop", "push"]

TILE_CELLS = 1 << 15
MAX_TILE = 32


@compiled
def _tile_width(plan: EliminationPlan, n: int) -> int:
    return int(max(1, min(n, MAX_TILE, TILE_CELLS // plan.start[-1])))


@compiled
def _sum_odds(low: FloatArray, high: FloatArray) -> None:
    """Replace log-weights of absent and present by the log of their sum and the log-odds."""
    absent, present = low.reshape(low.size), high.reshape(high.size)
    for s in range(low.size):
        odds = present[s] - absent[s]
        absent[s] = max(absent[s], present[s]) + np.log1p(np.exp(-abs(odds)))
        present[s] = odds


@compiled
def _max_odds(low: FloatArray, high: FloatArray) -> None:
    """Replace scores of absent and present by the larger one and their difference."""
    absent, present = low.reshape(low.size), high.reshape(high.size)
    for s in range(low.size):
        odds = present[s] - absent[s]
        absent[s] = max(absent[s], present[s])
        present[s] = odds


@compiled
def _load_scores(
    plan: EliminationPlan, t: int, unary: FloatArray, coupling: FloatArray, high: FloatArray
) -> None:
    """Fill what the label of step t scores when present, beside each configuration: (cells, tile).

    Pairs double the table digit by digit, one addition a cell.
    """
    for lane in range(high.shape[1]):
        high[0, lane] = unary[plan.label[t], lane]
    first, last = plan.separator_start[t], plan.separator_start[t + 1]
    for digit in range(last - first):
        half, pair = 1 << digit, plan.pair[last - 1 - digit]
        for s in range(half):
            for lane in range(high.shape[1]):
                gain = coupling[pair, lane] if pair >= 0 else 0.0
                high[half + s, lane] = high[s, lane] + gain
    for q in range(plan.clique_start[t], plan.clique_start[t + 1]):
        mask, clique = plan.mask[q], plan.clique[q]
        for s in range(mask, high.shape[0]):
            if s & mask == mask:
                for lane in range(high.shape[1]):
                    high[s, lane] += coupling[clique, lane]


@compiled
def _eliminate(
    plan: EliminationPlan,
    unary: FloatArray,
    coupling: FloatArray,
    maximize: bool,
    odds: FloatArray,
    message: FloatArray,
) -> None:
    """Fill log-odds and messages (cells, tile); the last message is log Z or the best score."""
    for t in range(len(plan.label)):
        at, end = plan.start[t], plan.start[t + 1]
        low, high = message[at:end], odds[at:end]
        fill(low, 0.0)
        _load_scores(plan, t, unary, coupling, high)
        for q in range(plan.child_start[t], plan.child_start[t + 1]):
            cells = plan.child_cell[plan.child_cell_start[q] :]
            received = message[plan.start[plan.child[q]] :]
            for s in range(end - at):
                absent, present = cells[s], cells[end - at + s]
                for lane in range(odds.shape[1]):
                    low[s, lane] += received[absent, lane]
                    high[s, lane] += received[present, lane]
        if maximize:
            _max_odds(low, high)
        else:
            _sum_odds(low, high)


@compiled
def _split(odds: FloatArray, weight: FloatArray, low: FloatArray, high: FloatArray) -> None:
    """Share the probability of each configuration between absent and present: (cells, tile)."""
    for s in range(odds.shape[0]):
        for lane in range(odds.shape[1]):
            e = np.exp(-abs(odds[s, lane]))
            likely = weight[s, lane] / (1.0 + e)
            if odds[s, lane] > 0.0:
                high[s, lane], low[s, lane] = likely, likely * e
            else:
                high[s, lane], low[s, lane] = likely * e, likely


@compiled
def _read_off(
    plan: EliminationPlan,
    t: int,
    high: FloatArray,
    marginals: FloatArray,
    present: FloatArray,
) -> None:
    """Sum up the marginals of step t from P(present, configuration); uses up `high`."""
    for q in range(plan.clique_start[t], plan.clique_start[t + 1]):
        mask, clique = plan.mask[q], plan.clique[q]
        for s in range(mask, high.shape[0]):
            if s & mask == mask:
                for lane in range(high.shape[1]):
                    present[clique, lane] += high[s, lane]
    first, last = plan.separator_start[t], plan.separator_start[t + 1]
    for digit in range(last - first - 1, -1, -1):
        half, pair = 1 << digit, plan.pair[last - 1 - digit]
        for s in range(half):
            for lane in range(high.shape[1]):
                if pair >= 0:
                    present[pair, lane] += high[half + s, lane]
                high[s, lane] += high[half + s, lane]
    for lane in range(high.shape[1]):
        marginals[plan.label[t], lane] = high[0, lane]


@compiled
def _spread(
    plan: EliminationPlan,
    odds: FloatArray,
    weight: FloatArray,
    marginals: FloatArray,
    present: FloatArray,
) -> None:
    """From the last step to the first, fill P(separator) in `weight` and read off marginals.

    odds, weight (cells, tile); marginals (L, tile); present (C, tile).
    """
    width = odds.shape[1]
    fill(weight[len(weight) - 1 :], 1.0)
    fill(present, 0.0)
    for t in range(len(plan.label) - 1, -1, -1):
        at, end = plan.start[t], plan.start[t + 1]
        low, high = np.empty((end - at, width)), np.empty((end - at, width))
        _split(odds[at:end], weight[at:end], low, high)
        for q in range(plan.child_start[t], plan.child_start[t + 1]):
            child = plan.child[q]
            cells = plan.child_cell[plan.child_cell_start[q] :]
            handed = weight[plan.start[child] : plan.start[child + 1]]
            fill(handed, 0.0)
            for s in range(end - at):
                absent, there = cells[s], cells[end - at + s]
                for lane in range(odds.shape[1]):
                    handed[absent, lane] += low[s, lane]
                    handed[there, lane] += high[s, lane]
        _read_off(plan, t, high, marginals, present)


@compiled
def beliefs(
    plan: EliminationPlan, unary: FloatArray, coupling: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return log Z (n,), P(y_l = 1) (n, L) and P(clique c all present) (n, C)."""
    n, n_labels = unary.shape
    n_cliques = coupling.shape[1]
    width = _tile_width(plan, n)
    odds = np.empty((plan.start[-1], width))
    message = np.empty((plan.start[-1], width))
    fields, weights = np.empty((n_labels, width)), np.empty((n_cliques, width))
    labels, cliques = np.empty((n_labels, width)), np.empty((n_cliques, width))
    log_partition = np.empty((n, 1))
    marginals, present = np.empty((n, n_labels)), np.empty((n, n_cliques))
    for first in range(0, n, width):
        load(unary, first, fields)
        load(coupling, first, weights)
        _eliminate(plan, fields, weights, False, odds, message)
        store(message[len(message) - 1 :], first, log_partition)
        _spread(plan, odds, message, labels, cliques)
        store(labels, first, marginals)
        store(cliques, first, present)
    return log_partition[:, 0], marginals, present


@compiled
def odds_of_row(
    plan: EliminationPlan,
    unary: FloatArray,
    coupling: FloatArray,
    row: int,
    maximize: bool,
    odds: FloatArray,
    message: FloatArray,
) -> None:
    """Fill the log-odds and messages (cells, 1) of one row."""
    fields, weights = np.empty((unary.shape[1], 1)), np.empty((coupling.shape[1], 1))
    load(unary, row, fields)
    load(coupling, row, weights)
    _eliminate(plan, fields, weights, maximize, odds, message)


@compiled
def _cell(plan: EliminationPlan, t: int, y: LabelArray) -> int:
    """Return the cell of step t that the labels of `y` in its separator point to."""
    s = 0
    for q in range(plan.separator_start[t], plan.separator_start[t + 1]):
        s = 2 * s + y[plan.separator[q]]
    return int(plan.start[t] + s)


@compiled
def draw(
    plan: EliminationPlan, unary: FloatArray, coupling: FloatArray, uniform: FloatArray
) -> LabelArray:
    """Draw sets label by label from uniform numbers (n, m, L): (n, m, L)."""
    n, n_draws, n_labels = uniform.shape
    odds, message = np.empty((plan.start[-1], 1)), np.empty((plan.start[-1], 1))
    draws = np.empty((n, n_draws, n_labels), dtype=np.uint8)
    for i in range(n):
        odds_of_row(plan, unary, coupling, i, False, odds, message)
        for j in range(n_draws):
            y = draws[i, j]
            for t in range(n_labels - 1, -1, -1):
                label = plan.label[t]
                chance = 1.0 / (1.0 + np.exp(-odds[_cell(plan, t, y), 0]))
                y[label] = uniform[i, j, label] < chance
    return draws


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
        preference = odds[_cell(plan, t, y), 0]
        y[plan.label[t]] = preference > 0.0
        costs[t] = abs(preference)


@compiled
def _best_of_row(
    plan: EliminationPlan, odds: FloatArray, allow_empty: bool, best: LabelArray
) -> None:
    """Fill `best` (k, L) with the k best sets, best first.

    Leaving the best choice at a step costs the difference of the two maxima, so the cost of a set
    is the sum over its deviations: each set found proposes one more deviation at every earlier
    step, and a heap yields them by cost, every set once.
    """
    k, n_labels = best.shape
    found = np.zeros((k + 1, n_labels), dtype=np.uint8)  # the empty set may be one too many
    costs = np.zeros(n_labels)
    capacity = (k + 1) * n_labels + 1
    cost, queue = np.zeros(capacity), np.zeros(capacity, dtype=np.int64)
    parent, deviation = np.zeros(capacity, dtype=np.int64), np.zeros(capacity, dtype=np.int64)
    deviation[0] = n_labels
    n_proposed, n_waiting, n_found, n_kept = 1, 1, 0, 0
    while n_kept < k:
        chosen = pop(queue, n_waiting, cost)
        n_waiting -= 1
        y, turn = found[n_found], deviation[chosen]
        for label in range(n_labels):
            y[label] = found[parent[chosen], label]
        if turn < n_labels:
            y[plan.label[turn]] ^= 1
        _follow(plan, odds, y, turn, costs)
        for t in range(turn):
            cost[n_proposed] = cost[chosen] + costs[t]
            parent[n_proposed], deviation[n_proposed] = n_found, t
            push(queue, n_waiting, cost, n_proposed)
            n_proposed += 1
            n_waiting += 1
        n_found += 1
        size = 0
        for label in range(n_labels):
            best[n_kept, label] = y[label]
            size += y[label]
        n_kept += allow_empty or size > 0


@compiled
def best_sets(
    plan: EliminationPlan, unary: FloatArray, coupling: FloatArray, k: int, allow_empty: bool
) -> LabelArray:
    """Return the k best sets, best first: (n, k, L); k must not exceed their number."""
    n, n_labels = unary.shape
    odds, message = np.empty((plan.start[-1], 1)), np.empty((plan.start[-1], 1))
    best = np.empty((n, k, n_labels), dtype=np.uint8)
    for i in range(n):
        odds_of_row(plan, unary, coupling, i, True, odds, message)
        _best_of_row(plan, odds, allow_empty, best[i])
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
    _eliminate(plan, unary, coupling, True, odds, message)
    for t in range(len(best) - 1, -1, -1):
        best[plan.label[t]] = odds[_cell(plan, t, best), 0] > 0.0
