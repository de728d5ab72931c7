"""Sum-product and max-product message passing between cliques and labels, many rows at once.

A message is what a clique adds to the log-odds of one of its labels. With H the log-odds that all
its other labels are present, judged without the clique, it is

    log(1 + exp(coupling + H)) - log(1 + exp(H))        (sum-product)
    max(0, coupling + H) - max(0, H)                    (max-product)

so that cliques of any size cost one number per label. Messages are numbered like `members`. Rows of
a tile lie innermost; a row that has settled is left alone, so no row waits for its neighbours.
unary is (n, L), coupling (n or 1, C).

Sum-product between pairs keeps ratios instead of their logs where none can overflow: some seven
times faster, as neither exponentials nor logs are needed and all loops vectorise. Damping by one
half is a square root; other dampings and larger cliques are left to the logs.
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.kernels.fields.graphs import Cliques
from labelfield.kernels.fields.tiles import fill, load, store

__all__ = ["MAX_COUPLING", "both", "hard_answer", "pass_messages", "read_sum_product"]

TILE = 128
MAX_COUPLING = 600.0  # keeps exp(coupling) a number; nothing beyond changes a decision
MAX_LOG_ODDS = 600.0  # of messages kept as ratios


@compiled
def _soft_answer(weight: float, log_odds: float) -> float:
    """Return log((1 + weight e^h) / (1 + e^h)), weight = exp(coupling)."""
    e = np.exp(-abs(log_odds))
    top = e + weight if log_odds > 0.0 else 1.0 + weight * e
    return float(np.log(top / (1.0 + e)))


@compiled
def hard_answer(coupling: float, log_odds: float) -> float:
    """Return the max-product message of a clique whose other labels have these log-odds."""
    return max(coupling + log_odds, 0.0) - max(log_odds, 0.0)


@compiled
def both(a: float, b: float, maximize: bool) -> float:
    """Return the log-odds that two labels of log-odds a and b are both present."""
    low, high = min(a, b), max(a, b)
    if maximize:
        return min(low, a + b)
    peak = max(-low, -a - b)
    total = np.exp(-low - peak) + np.exp(-high - peak) + np.exp(-a - b - peak)
    return float(-peak - np.log(total))


@compiled
def _pair_news(
    weight: FloatArray,
    belief: FloatArray,
    message: FloatArray,
    other: FloatArray,
    back: FloatArray,
    maximize: bool,
    news: FloatArray,
) -> None:
    """Fill by how much both messages of a pair want to change: (2, tile).

    weight (tile,) is the coupling, or its exponential for sum-product.
    """
    if maximize:
        for lane in range(len(weight)):
            news[0, lane] = hard_answer(weight[lane], other[lane] - back[lane]) - message[lane]
            news[1, lane] = hard_answer(weight[lane], belief[lane] - message[lane]) - back[lane]
    else:
        for lane in range(len(weight)):
            news[0, lane] = _soft_answer(weight[lane], other[lane] - back[lane]) - message[lane]
            news[1, lane] = _soft_answer(weight[lane], belief[lane] - message[lane]) - back[lane]


@compiled
def _clique_news(
    weight: FloatArray,
    labels: IntArray,
    belief: FloatArray,
    message: FloatArray,
    maximize: bool,
    news: FloatArray,
) -> None:
    """Fill by how much the messages (members, tile) of a clique of any size want to change."""
    cavity = np.empty(len(labels))
    for lane in range(len(weight)):
        for m in range(len(labels)):
            cavity[m] = belief[labels[m], lane] - message[m, lane]
        for m in range(len(labels)):
            others = np.inf
            for k in range(len(labels)):
                if k != m:
                    others = cavity[k] if others == np.inf else both(others, cavity[k], maximize)
            if maximize:
                answer = hard_answer(weight[lane], others)
            else:
                answer = _soft_answer(weight[lane], others)
            news[m, lane] = answer - message[m, lane]


@compiled
def _move(
    news: FloatArray, step: FloatArray, message: FloatArray, moved: FloatArray, change: FloatArray
) -> None:
    """Change a message by its share of the news; arrays (tile,).

    Two loops, and a maximum without a branch, so that both vectorise.
    """
    for lane in range(len(step)):
        size = abs(news[lane])
        change[lane] = 0.5 * (change[lane] + size + abs(change[lane] - size))
        news[lane] *= step[lane]
        message[lane] += news[lane]
    for lane in range(len(step)):
        moved[lane] += news[lane]


@compiled
def _pass_logs(
    graph: Cliques,
    weight: FloatArray,
    belief: FloatArray,
    moved: FloatArray,
    message: FloatArray,
    step: FloatArray,
    maximize: bool,
    backwards: bool,
    change: FloatArray,
) -> None:
    """Renew all messages once; `moved` collects what beliefs gain and may be `belief` itself."""
    members, offsets = graph.members, graph.offsets
    n_cliques = len(offsets) - 1
    news = np.empty((3, len(step)))
    for turn in range(n_cliques):
        c = n_cliques - 1 - turn if backwards else turn
        at, end = offsets[c], offsets[c + 1]
        if end - at > 2:
            _clique_news(weight[c], members[at:end], belief, message[at:end], maximize, news)
        else:
            here, there = belief[members[at]], belief[members[at + 1]]
            _pair_news(weight[c], here, message[at], there, message[at + 1], maximize, news)
        for m in range(at, end):
            _move(news[m - at], step, message[m], moved[members[m]], change)


@compiled
def _ratios_are_safe(
    graph: Cliques, unary: FloatArray, coupling: FloatArray, damping: float
) -> bool:
    """Return whether no ratio can over- or underflow; unary (L, tile), coupling (C, tile)."""
    if damping != 0.0 and damping != 0.5:
        return False
    if len(graph.members) != 2 * coupling.shape[0]:
        return False
    for lane in range(unary.shape[1]):
        for label in range(len(graph.starts) - 1):
            reach, strongest = abs(unary[label, lane]), 0.0
            for q in range(graph.starts[label], graph.starts[label + 1]):
                size = abs(coupling[graph.incident[q], lane])
                reach += size
                strongest = max(strongest, size)
            if not reach + strongest < MAX_LOG_ODDS:
                return False
    return True


@compiled
def _renew(
    weight: FloatArray,
    cavity: FloatArray,
    message: FloatArray,
    step: FloatArray,
    halve: bool,
    factor: FloatArray,
    change: FloatArray,
) -> None:
    """Renew a message (tile,) from the odds of the other label; `factor` is what it gains.

    Steps are 0 where a row has settled; else `halve` says whether they are 1/2 or 1.
    """
    for lane in range(len(step)):
        gain = (1.0 + weight[lane] * cavity[lane]) / ((1.0 + cavity[lane]) * message[lane])
        size = abs(gain - 1.0)
        change[lane] = 0.5 * (change[lane] + size + abs(change[lane] - size))
        damped = np.sqrt(gain) if halve else gain
        factor[lane] = damped if step[lane] > 0.0 else 1.0
    for lane in range(len(step)):
        message[lane] *= factor[lane]


@compiled
def _pass_ratios(
    graph: Cliques,
    weight: FloatArray,
    odds: FloatArray,
    moved: FloatArray,
    message: FloatArray,
    step: FloatArray,
    halve: bool,
    backwards: bool,
    change: FloatArray,
) -> None:
    """Renew all messages once; `moved` collects the factors of the odds and may be `odds` itself.

    weight (C, tile) holds exp(coupling); odds (L, tile); message (2 C, tile).
    """
    n_cliques = weight.shape[0]
    cavity, factor = np.empty((2, len(step))), np.empty((2, len(step)))
    for turn in range(n_cliques):
        c = n_cliques - 1 - turn if backwards else turn
        first, second = graph.members[2 * c], graph.members[2 * c + 1]
        for lane in range(len(step)):
            cavity[0, lane] = odds[first, lane] / message[2 * c, lane]
            cavity[1, lane] = odds[second, lane] / message[2 * c + 1, lane]
        _renew(weight[c], cavity[1], message[2 * c], step, halve, factor[0], change)
        _renew(weight[c], cavity[0], message[2 * c + 1], step, halve, factor[1], change)
        for lane in range(len(step)):
            moved[first, lane] *= factor[0, lane]
        for lane in range(len(step)):
            moved[second, lane] *= factor[1, lane]


@compiled
def _settle(
    graph: Cliques,
    weight: FloatArray,
    belief: FloatArray,
    message: FloatArray,
    settled: BoolArray,
    n_rounds: IntArray,
    ratios: bool,
    maximize: bool,
    sequential: bool,
    damping: float,
    max_iter: int,
    tol: float,
) -> None:
    """Pass messages in one tile; `settled` and `n_rounds` have one entry per row of it."""
    nothing = 1.0 if ratios else 0.0
    moved = belief if sequential else np.full(belief.shape, nothing)
    step = np.full(belief.shape[1], 1.0 - damping)
    for turn in range(max_iter):
        change = np.zeros(belief.shape[1])
        back = sequential and turn % 2 == 1
        if ratios:
            halve = damping == 0.5
            _pass_ratios(graph, weight, belief, moved, message, step, halve, back, change)
        else:
            _pass_logs(graph, weight, belief, moved, message, step, maximize, back, change)
        if not sequential:
            _take_in(belief, moved, ratios)
            fill(moved, nothing)
        n_open = 0
        for lane in range(len(settled)):
            if change[lane] < tol and not settled[lane]:
                settled[lane], n_rounds[lane], step[lane] = True, turn + 1, 0.0
            n_open += not settled[lane]
        if n_open == 0:
            break


@compiled
def _take_in(belief: FloatArray, moved: FloatArray, ratios: bool) -> None:
    """Add to beliefs, or multiply odds by, what a parallel round has moved: (L, tile)."""
    for j in range(belief.shape[0]):
        for lane in range(belief.shape[1]):
            if ratios:
                belief[j, lane] *= moved[j, lane]
            else:
                belief[j, lane] += moved[j, lane]


@compiled
def _exponentiate(tile: FloatArray) -> None:
    for j in range(tile.shape[0]):
        for lane in range(tile.shape[1]):
            tile[j, lane] = np.exp(tile[j, lane])


@compiled
def _take_logs(tile: FloatArray) -> None:
    for j in range(tile.shape[0]):
        for lane in range(tile.shape[1]):
            tile[j, lane] = np.log(tile[j, lane])


@compiled
def pass_messages(
    unary: FloatArray,
    graph: Cliques,
    coupling: FloatArray,
    maximize: bool,
    sequential: bool,
    damping: float,
    max_iter: int,
    tol: float,
) -> tuple[FloatArray, FloatArray, BoolArray, IntArray]:
    """Pass messages until none wants to change by `tol` or `max_iter` rounds are over.

    Sequential rounds use messages as soon as they are renewed, running forwards and backwards in
    turn; parallel ones renew all at once. `damping` is the share of the old message that stays.

    Returns
    -------
    belief : (n, L)
        Log-odds of the labels.
    message : (n, len(members))
    settled : (n,)
    n_rounds : (n,)
    """
    n, n_labels = unary.shape
    n_messages = len(graph.members)
    width = min(n, TILE)
    belief, weight = np.empty((n_labels, width)), np.empty((coupling.shape[1], width))
    message = np.empty((n_messages, width))
    beliefs, messages = np.empty((n, n_labels)), np.empty((n, n_messages))
    settled, n_rounds = np.zeros(n, dtype=np.bool_), np.full(n, max_iter)
    for first in range(0, n, TILE):
        last = min(first + width, n)
        load(unary, first, belief)
        load(coupling, first, weight)
        ratios = not maximize and _ratios_are_safe(graph, belief, weight, damping)
        if not maximize:
            _exponentiate(weight)
        if ratios:
            _exponentiate(belief)
        fill(message, 1.0 if ratios else 0.0)
        _settle(
            graph,
            weight,
            belief,
            message,
            settled[first:last],
            n_rounds[first:last],
            ratios,
            maximize,
            sequential,
            damping,
            max_iter,
            tol,
        )
        if ratios:
            _take_logs(belief)
            _take_logs(message)
        store(belief, first, beliefs)
        store(message, first, messages)
    return beliefs, messages, settled, n_rounds


@compiled
def read_sum_product(
    belief: FloatArray, message: FloatArray, graph: Cliques, coupling: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the Bethe approximation of log Z (n,) and the clique beliefs (n, C).

    belief (n, L) and message (n, len(members)) as `pass_messages` leaves them.
    """
    members, offsets = graph.members, graph.offsets
    n, n_labels = belief.shape
    n_cliques = len(offsets) - 1
    log_partition, present = np.zeros(n), np.empty((n, n_cliques))
    for i in range(n):
        weights = coupling[min(i, len(coupling) - 1)]
        total = 0.0
        for label in range(n_labels):
            total += np.logaddexp(0.0, belief[i, label])
        for c in range(n_cliques):
            everyone = np.inf
            for m in range(offsets[c], offsets[c + 1]):
                cavity = belief[i, members[m]] - message[i, m]
                everyone = cavity if everyone == np.inf else both(everyone, cavity, False)
                total += np.logaddexp(0.0, cavity) - np.logaddexp(0.0, belief[i, members[m]])
            total += np.logaddexp(0.0, weights[c] + everyone) - np.logaddexp(0.0, everyone)
            present[i, c] = 1.0 / (1.0 + np.exp(-weights[c] - everyone))
        log_partition[i] = total
    return log_partition, present
