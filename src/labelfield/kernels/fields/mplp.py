"""MPLP: an upper bound on the best score of a field, lowered clique by clique.

Each clique hands its labels messages as in `kernels.fields.messages`. For any messages,

    score(y) = sum_l belief_l y_l + sum_c (coupling_c prod_l y_l - sum_l message_cl y_l), l in c,

so that maximising every term on its own bounds the best score from above. A step shares the
max-marginals of one clique equally among its labels, which never raises the bound.

Globerson, Jaakkola (2007): Fixing max-product: convergent message passing algorithms for MAP
LP-relaxations. NIPS.
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.kernels.fields.graphs import Cliques
from labelfield.kernels.fields.messages import both, hard_answer
from labelfield.kernels.fields.tiles import fill, load, store

__all__ = ["mplp"]

TILE = 64


@compiled
def _share_pair(
    coupling: FloatArray,
    belief: FloatArray,
    message: FloatArray,
    other: FloatArray,
    back: FloatArray,
    live: FloatArray,
) -> None:
    """Share the max-marginals of a pair; arrays (tile,), `live` 1 for rows to move, else 0."""
    for lane in range(len(coupling)):
        here, there = belief[lane] - message[lane], other[lane] - back[lane]
        gain = 0.5 * (hard_answer(coupling[lane], there) - here) - message[lane]
        gain_back = 0.5 * (hard_answer(coupling[lane], here) - there) - back[lane]
        gain, gain_back = live[lane] * gain, live[lane] * gain_back
        message[lane] += gain
        back[lane] += gain_back
        belief[lane] += gain
        other[lane] += gain_back


@compiled
def _share_clique(
    coupling: FloatArray,
    labels: IntArray,
    belief: FloatArray,
    message: FloatArray,
    live: FloatArray,
) -> None:
    """Share the max-marginals of a clique of any size; message (members, tile)."""
    size = len(labels)
    cavity = np.empty(size)
    for lane in range(len(coupling)):
        if live[lane] == 0.0:
            continue
        for m in range(size):
            cavity[m] = belief[labels[m], lane] - message[m, lane]
        for m in range(size):
            others = np.inf
            for k in range(size):
                if k != m:
                    others = cavity[k] if others == np.inf else both(others, cavity[k], True)
            shared = (cavity[m] + hard_answer(coupling[lane], others)) / size
            message[m, lane] = shared - cavity[m]
            belief[labels[m], lane] = shared


@compiled
def _add_peak(coupling: FloatArray, message: FloatArray, bound: FloatArray) -> None:
    """Add the largest of coupling prod y - sum_l message_l y_l over a clique's sets: (tile,)."""
    for lane in range(len(bound)):
        some, everyone, least = 0.0, coupling[lane], np.inf
        for m in range(message.shape[0]):
            some += max(-message[m, lane], 0.0)
            everyone -= message[m, lane]
            least = min(least, -message[m, lane])
        some -= max(least, 0.0)  # without the cheapest label it is not all of them
        bound[lane] += max(some, everyone)


@compiled
def _bound(
    offsets: IntArray,
    coupling: FloatArray,
    belief: FloatArray,
    message: FloatArray,
    bound: FloatArray,
) -> None:
    """Fill the bound (tile,) that beliefs and messages imply."""
    for lane in range(len(bound)):
        bound[lane] = 0.0
    for label in range(belief.shape[0]):
        for lane in range(len(bound)):
            bound[lane] += max(belief[label, lane], 0.0)
    for c in range(len(offsets) - 1):
        _add_peak(coupling[c], message[offsets[c] : offsets[c + 1]], bound)


@compiled
def _sweep(
    graph: Cliques,
    coupling: FloatArray,
    belief: FloatArray,
    message: FloatArray,
    live: FloatArray,
    backwards: bool,
) -> None:
    """Share the max-marginals of every clique once."""
    members, n_cliques = graph.members, len(graph.offsets) - 1
    for turn in range(n_cliques):
        c = n_cliques - 1 - turn if backwards else turn
        at, end = graph.offsets[c], graph.offsets[c + 1]
        if end - at == 2:
            first, second = belief[members[at]], belief[members[at + 1]]
            _share_pair(coupling[c], first, message[at], second, message[at + 1], live)
        else:
            _share_clique(coupling[c], members[at:end], belief, message[at:end], live)


@compiled
def mplp(
    unary: FloatArray, graph: Cliques, coupling: FloatArray, max_iter: int, tol: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Lower the bound until a sweep gains less than `tol` or `max_iter` sweeps are over.

    unary (n, L); coupling (n or 1, C).

    Returns
    -------
    belief : (n, L)
    bound : (n,)
        No set scores more.
    settled : (n,)
    """
    n, n_labels = unary.shape
    width = min(n, TILE)
    belief, weight = np.empty((n_labels, width)), np.empty((coupling.shape[1], width))
    message, bound = np.empty((len(graph.members), width)), np.empty(width)
    beliefs, bounds, settled = np.empty((n, n_labels)), np.empty(n), np.zeros(n, dtype=np.bool_)
    for first in range(0, n, TILE):
        n_rows = min(width, n - first)
        load(unary, first, belief)
        load(coupling, first, weight)
        fill(message, 0.0)
        live = np.ones(width)
        _bound(graph.offsets, weight, belief, message, bound)
        for sweep in range(max_iter):
            before = bound.copy()
            _sweep(graph, weight, belief, message, live, sweep % 2 == 1)
            _bound(graph.offsets, weight, belief, message, bound)
            n_open = 0
            for lane in range(n_rows):
                if before[lane] - bound[lane] < tol:
                    settled[first + lane], live[lane] = True, 0.0
                n_open += live[lane] > 0.0
            if n_open == 0:
                break
        store(belief, first, beliefs)
        for lane in range(n_rows):
            bounds[first + lane] = bound[lane]
    return beliefs, bounds, settled
