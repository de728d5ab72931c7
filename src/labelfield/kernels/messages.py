"""Sum-product and max-product message passing between cliques and labels, many rows at once.

A message is what a clique adds to the log-odds of one of its labels. With H the log-odds that all
its other labels are present, judged without the clique, it is

    log(1 + exp(coupling + H)) - log(1 + exp(H))        (sum-product)
    max(0, coupling + H) - max(0, H)                    (max-product)

so that cliques of any size cost one number per label. Messages are numbered like `members`. Rows of
a tile lie innermost; a row that has settled is left alone, so no row depends on its neighbours.
"""

import numpy as np

from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.kernels._compile import compiled

__all__ = ["MAX_COUPLING", "both", "hard_answer", "load", "pass_messages", "read_sum_product"]

TILE = 128
MAX_COUPLING = 600.0  # keeps exp(coupling) a number; nothing beyond changes a decision


@compiled
def load(values: FloatArray, first: int, tile: FloatArray) -> None:
    """Copy rows from `first` on into the columns of `tile`; a single row stands for all."""
    for lane in range(tile.shape[1]):
        row = 0 if len(values) == 1 else min(first + lane, len(values) - 1)
        for j in range(tile.shape[0]):
            tile[j, lane] = values[row, j]


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
def _pair_news_soft(
    weight: FloatArray,
    belief: FloatArray,
    message: FloatArray,
    other: FloatArray,
    back: FloatArray,
    news: FloatArray,
) -> None:
    """Fill by how much both messages of a pair want to change: (2, tile)."""
    for lane in range(len(weight)):
        news[0, lane] = _soft_answer(weight[lane], other[lane] - back[lane]) - message[lane]
        news[1, lane] = _soft_answer(weight[lane], belief[lane] - message[lane]) - back[lane]


@compiled
def _pair_news_hard(
    coupling: FloatArray,
    belief: FloatArray,
    message: FloatArray,
    other: FloatArray,
    back: FloatArray,
    news: FloatArray,
) -> None:
    """Fill by how much both messages of a pair want to change: (2, tile)."""
    for lane in range(len(coupling)):
        news[0, lane] = hard_answer(coupling[lane], other[lane] - back[lane]) - message[lane]
        news[1, lane] = hard_answer(coupling[lane], belief[lane] - message[lane]) - back[lane]


@compiled
def _move(
    news: FloatArray, step: FloatArray, message: FloatArray, moved: FloatArray, change: FloatArray
) -> None:
    """Change a message by its share of the news; arrays (tile,).

    Loops apart, and a maximum without a branch, so that all of them vectorise.
    """
    for lane in range(len(step)):
        size = abs(news[lane])
        change[lane] = 0.5 * (change[lane] + size + abs(change[lane] - size))
    for lane in range(len(step)):
        news[lane] *= step[lane]
        message[lane] += news[lane]
    for lane in range(len(step)):
        moved[lane] += news[lane]


@compiled
def _pass_clique(
    coupling: FloatArray,
    labels: IntArray,
    belief: FloatArray,
    message: FloatArray,
    step: FloatArray,
    moved: FloatArray,
    change: FloatArray,
    maximize: bool,
) -> None:
    """Renew all messages (members, tile) of a clique of any size."""
    cavity = np.empty(len(labels))
    for lane in range(len(step)):
        for m in range(len(labels)):
            cavity[m] = belief[labels[m], lane] - message[m, lane]
        for m in range(len(labels)):
            others = np.inf
            for k in range(len(labels)):
                if k != m:
                    others = cavity[k] if others == np.inf else both(others, cavity[k], maximize)
            if maximize:
                news = hard_answer(coupling[lane], others) - message[m, lane]
            else:
                news = _soft_answer(np.exp(coupling[lane]), others) - message[m, lane]
            change[lane] = max(change[lane], abs(news))
            message[m, lane] += step[lane] * news
            moved[labels[m], lane] += step[lane] * news


@compiled
def _round(
    members: IntArray,
    offsets: IntArray,
    coupling: FloatArray,
    weight: FloatArray,
    belief: FloatArray,
    moved: FloatArray,
    message: FloatArray,
    step: FloatArray,
    change: FloatArray,
    maximize: bool,
    backwards: bool,
) -> None:
    """Renew all messages once; `moved` collects what beliefs gain and may be `belief` itself."""
    n_cliques = len(offsets) - 1
    news = np.empty((2, len(step)))
    for turn in range(n_cliques):
        c = n_cliques - 1 - turn if backwards else turn
        at, end = offsets[c], offsets[c + 1]
        if end - at > 2:
            labels, own = members[at:end], message[at:end]
            _pass_clique(coupling[c], labels, belief, own, step, moved, change, maximize)
            continue
        i, j = members[at], members[at + 1]
        if maximize:
            _pair_news_hard(coupling[c], belief[i], message[at], belief[j], message[at + 1], news)
        else:
            _pair_news_soft(weight[c], belief[i], message[at], belief[j], message[at + 1], news)
        _move(news[0], step, message[at], moved[i], change)
        _move(news[1], step, message[at + 1], moved[j], change)


@compiled
def pass_messages(
    unary: FloatArray,
    members: IntArray,
    offsets: IntArray,
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
    width = min(n, TILE)
    fields, weights = np.empty((n_labels, width)), np.empty((coupling.shape[1], width))
    message, change = np.empty((len(members), width)), np.empty(width)
    step = np.empty(width)
    beliefs, messages = np.empty((n, n_labels)), np.empty((n, len(members)))
    settled, n_rounds = np.zeros(n, dtype=np.bool_), np.full(n, max_iter)
    for first in range(0, n, TILE):
        last = min(first + width, n)
        load(unary, first, fields)
        load(coupling, first, weights)
        exponents = weights if maximize else np.exp(weights)
        belief = fields.copy()
        moved = belief if sequential else np.zeros_like(belief)
        message[:] = 0.0
        step[:] = 1.0 - damping
        for turn in range(max_iter):
            change[:] = 0.0
            back = sequential and turn % 2 == 1
            _round(
                members,
                offsets,
                weights,
                exponents,
                belief,
                moved,
                message,
                step,
                change,
                maximize,
                back,
            )
            if not sequential:
                belief += moved
                moved[:] = 0.0
            for row in range(first, last):
                if change[row - first] < tol and not settled[row]:
                    settled[row], n_rounds[row] = True, turn + 1
                    step[row - first] = 0.0
            if settled[first:last].all():
                break
        beliefs[first:last] = belief[:, : last - first].T
        messages[first:last] = message[:, : last - first].T
    return beliefs, messages, settled, n_rounds


@compiled
def read_sum_product(
    belief: FloatArray,
    message: FloatArray,
    members: IntArray,
    offsets: IntArray,
    coupling: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the Bethe approximation of log Z (n,) and the clique beliefs (n, C).

    belief (n, L) and message (n, len(members)) as `pass_messages` leaves them.
    """
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
