"""Exact sums and maxima over all sets of a field by eliminating one label after the other.

Each step leaves the log-odds of its label given its separator, for sums or for maxima, and hands
on a message. The steps in reverse are a chain of conditionals: marginals, draws and best sets all
follow from these log-odds. Rows of a tile lie innermost. unary is (n, L), coupling (n or 1, C).
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, LabelArray
from labelfield.kernels.fields.graphs import EliminationPlan
from labelfield.kernels.fields.tiles import fill, load, store

__all__ = ["beliefs", "cell_of", "draw", "eliminate", "odds_of_row", "tile_width"]

TILE_CELLS = 1 << 18
MAX_TILE = 32


@compiled
def tile_width(plan: EliminationPlan, n: int) -> int:
    return int(max(1, min(n, MAX_TILE, TILE_CELLS // plan.start[-1])))


@compiled
def _sum_odds(low: FloatArray, high: FloatArray) -> None:
    """Replace log-weights of absent and present by the log of their sum and the log-odds."""
    absent, present = low.reshape(low.size), high.reshape(high.size)
    for s in range(low.size):
        if present[s] == -np.inf:  # or both, which no set reaches
            continue
        odds = present[s] - absent[s]
        absent[s] = max(absent[s], present[s]) + np.log1p(np.exp(-abs(odds)))
        present[s] = odds


@compiled
def _max_odds(low: FloatArray, high: FloatArray) -> None:
    """Replace scores of absent and present by the larger one and their difference."""
    absent, present = low.reshape(low.size), high.reshape(high.size)
    for s in range(low.size):
        if present[s] == -np.inf:
            continue
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
def _bar(plan: EliminationPlan, t: int, low: FloatArray, high: FloatArray) -> None:
    """Make what the rules forbid at step t impossible."""
    at = plan.start[t]
    for s in range(low.shape[0]):
        barred = plan.barred[at + s]
        for lane in range(low.shape[1]):
            if barred & 1:
                low[s, lane] = -np.inf
            if barred & 2:
                high[s, lane] = -np.inf


@compiled
def eliminate(
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
        if len(plan.barred):
            _bar(plan, t, low, high)
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
    scratch: FloatArray,
    marginals: FloatArray,
    present: FloatArray,
) -> None:
    """From the last step to the first, fill P(separator) in `weight` and read off marginals.

    odds, weight (cells, tile); scratch (2, cells of the largest step, tile); marginals (L, tile);
    present (C, tile).
    """
    fill(weight[len(weight) - 1 :], 1.0)
    fill(present, 0.0)
    for t in range(len(plan.label) - 1, -1, -1):
        at, end = plan.start[t], plan.start[t + 1]
        low, high = scratch[0, : end - at], scratch[1, : end - at]
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
    width = tile_width(plan, n)
    odds = np.empty((plan.start[-1], width))
    message = np.empty((plan.start[-1], width))
    fields, weights = np.empty((n_labels, width)), np.empty((n_cliques, width))
    labels, cliques = np.empty((n_labels, width)), np.empty((n_cliques, width))
    largest = 0
    for t in range(n_labels):
        largest = max(largest, plan.start[t + 1] - plan.start[t])
    scratch = np.empty((2, largest, width))
    log_partition = np.empty((n, 1))
    marginals, present = np.empty((n, n_labels)), np.empty((n, n_cliques))
    for first in range(0, n, width):
        load(unary, first, fields)
        load(coupling, first, weights)
        eliminate(plan, fields, weights, False, odds, message)
        store(message[len(message) - 1 :], first, log_partition)
        _spread(plan, odds, message, scratch, labels, cliques)
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
    eliminate(plan, fields, weights, maximize, odds, message)


@compiled
def cell_of(plan: EliminationPlan, t: int, y: LabelArray) -> int:
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
                chance = 1.0 / (1.0 + np.exp(-odds[cell_of(plan, t, y), 0]))
                y[label] = uniform[i, j, label] < chance
    return draws
