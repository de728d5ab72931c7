"""Loopy belief propagation on pairwise fields of many-state variables, many rows at once.

All rows share the pair potentials and differ in their unaries. Messages are kept as plain
weights, rows innermost, so that every loop runs over contiguous lanes.
"""

from typing import NamedTuple

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray

__all__ = ["marginals"]

TILE = 32
FLOOR = 1e-100


class _Graph(NamedTuple):
    """Where everything is: directed edge 2e runs from end 0 to end 1 of edge e, 2e + 1 back."""

    starts: IntArray  # (md + 1,) first state of every variable, and K
    edges: IntArray  # (E, 2)
    offset: IntArray  # (2E + 1,) first entry of every directed message
    inbox: IntArray  # (2E,) directed edges sorted by the variable they arrive at
    inbox_start: IntArray  # (md + 1,)


@compiled
def marginals(
    log_unary: FloatArray,
    pair: FloatArray,
    starts: IntArray,
    edges: IntArray,
    readout: FloatArray,
    damping: float,
    max_sweeps: int,
    tol: float,
) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """Sum-product beliefs of every row.

    Parameters
    ----------
    log_unary : ndarray of shape (n, K)
        Log weights of the states; -inf rules a state out.
    pair : ndarray of shape (K, K)
        Symmetric pair weights (not logs), scaled so that no block overflows.
    starts : ndarray of shape (md + 1,)
        First state of every variable, and K.
    edges : ndarray of shape (E, 2)
        Coupled variables, each pair once.
    readout : ndarray of shape (m, K)
        Linear functions of the indicators whose variance is wanted; m may be zero.

    Returns
    -------
    belief : ndarray of shape (n, K)
        Marginal of every variable; sums to one over its states.
    incoming : ndarray of shape (n, K)
        Log of the product of the arriving messages: the evidence of the neighbours alone.
    spread : ndarray of shape (n, m)
        Variance of `readout @ indicators` under the node and edge beliefs.
    unsettled : int
        Rows whose messages still moved by `tol` or more after the last sweep.
    """
    n, n_states = log_unary.shape
    graph = _index(starts, edges)
    tile = min(n, TILE)
    belief = np.empty((n, n_states))
    incoming = np.empty((n, n_states))
    spread = np.zeros((n, readout.shape[0]))
    message = np.empty((graph.offset[-1], tile))
    unary = np.empty((n_states, tile))
    widest = 1
    for j in range(starts.size - 1):
        widest = max(widest, starts[j + 1] - starts[j])
    scratch = np.empty((4, widest, tile))
    unsettled = 0
    for first in range(0, n, tile):
        rows = slice(first, min(n, first + tile))
        _load_unaries(log_unary[rows], starts, unary)
        message[:] = 1.0
        change = np.inf
        for sweep in range(max_sweeps):
            change = 0.0
            for step in range(starts.size - 1):
                # alternating directions carry news along a chain in one sweep either way
                j = step if sweep % 2 == 0 else starts.size - 2 - step
                change = max(change, _send(j, graph, unary, message, pair, scratch, damping))
            if change < tol:
                break
        if change >= tol:
            unsettled += belief[rows].shape[0]
        _read_beliefs(graph, unary, message, scratch, belief[rows], incoming[rows])
        if readout.shape[0] > 0:
            _read_spread(graph, message, pair, readout, belief[rows], spread[rows])
    return belief, incoming, spread, unsettled


@compiled
def _index(starts: IntArray, edges: IntArray) -> _Graph:
    n_nodes, n_edges = starts.size - 1, edges.shape[0]
    offset = np.zeros(2 * n_edges + 1, dtype=np.int64)
    inbox_start = np.zeros(n_nodes + 1, dtype=np.int64)
    for e in range(n_edges):
        first, second = edges[e, 0], edges[e, 1]
        offset[2 * e + 1] = offset[2 * e] + starts[second + 1] - starts[second]
        offset[2 * e + 2] = offset[2 * e + 1] + starts[first + 1] - starts[first]
        inbox_start[first + 1] += 1
        inbox_start[second + 1] += 1
    for j in range(n_nodes):
        inbox_start[j + 1] += inbox_start[j]
    inbox = np.empty(2 * n_edges, dtype=np.int64)
    free = inbox_start[:-1].copy()
    for e in range(n_edges):
        for end in range(2):
            inbox[free[edges[e, 1 - end]]] = 2 * e + end
            free[edges[e, 1 - end]] += 1
    return _Graph(starts, edges, offset, inbox, inbox_start)


@compiled
def _load_unaries(log_unary: FloatArray, starts: IntArray, unary: FloatArray) -> None:
    """Exponentiate one tile, every variable scaled to peak one; unused lanes get ones."""
    unary[:] = 1.0
    for i in range(log_unary.shape[0]):
        for j in range(starts.size - 1):
            peak = -np.inf
            for a in range(starts[j], starts[j + 1]):
                peak = max(peak, log_unary[i, a])
            for a in range(starts[j], starts[j + 1]):
                unary[a, i] = np.exp(log_unary[i, a] - peak)


@compiled
def _rescale(block: FloatArray, width: int, peak: FloatArray) -> None:
    """Divide every lane by its largest entry; `peak` has room for one number a lane."""
    peak[:] = 0.0
    for a in range(width):
        for i in range(block.shape[1]):
            peak[i] = max(peak[i], block[a, i])
    for i in range(block.shape[1]):
        peak[i] = 1.0 / max(peak[i], 1e-300)
    for a in range(width):
        for i in range(block.shape[1]):
            block[a, i] *= peak[i]


@compiled
def _gather(
    j: int, graph: _Graph, unary: FloatArray, message: FloatArray, scratch: FloatArray
) -> None:
    """scratch[0] <- unary times all arriving messages, rescaled so that nothing vanishes."""
    node, peak = scratch[0], scratch[3, 0]
    begin, width = graph.starts[j], graph.starts[j + 1] - graph.starts[j]
    for a in range(width):
        for i in range(node.shape[1]):
            node[a, i] = unary[begin + a, i]
    for slot in range(graph.inbox_start[j], graph.inbox_start[j + 1]):
        at = graph.offset[graph.inbox[slot]]
        for a in range(width):
            for i in range(node.shape[1]):
                node[a, i] *= message[at + a, i]
        _rescale(node, width, peak)


@compiled
def _send(
    j: int,
    graph: _Graph,
    unary: FloatArray,
    message: FloatArray,
    pair: FloatArray,
    scratch: FloatArray,
    damping: float,
) -> float:
    """Update every message leaving variable j; return the largest change."""
    node, cavity, fresh, peak = scratch[0], scratch[1], scratch[2], scratch[3, 0]
    begin, width = graph.starts[j], graph.starts[j + 1] - graph.starts[j]
    _gather(j, graph, unary, message, scratch)
    change = 0.0
    for slot in range(graph.inbox_start[j], graph.inbox_start[j + 1]):
        arriving = graph.inbox[slot]
        at = graph.offset[arriving]
        for a in range(width):
            for i in range(node.shape[1]):
                cavity[a, i] = node[a, i] / message[at + a, i]
        _rescale(cavity, width, peak)
        k = graph.edges[arriving // 2, arriving % 2]
        other, n_other = graph.starts[k], graph.starts[k + 1] - graph.starts[k]
        fresh[:n_other] = 0.0
        for b in range(n_other):
            for a in range(width):
                weight = pair[other + b, begin + a]
                for i in range(node.shape[1]):
                    fresh[b, i] += weight * cavity[a, i]
        _rescale(fresh, n_other, peak)
        leaving = graph.offset[arriving ^ 1]
        for b in range(n_other):
            for i in range(node.shape[1]):
                old = message[leaving + b, i]
                new = max(fresh[b, i] + damping * (old - fresh[b, i]), FLOOR)
                change = max(change, abs(new - old))
                message[leaving + b, i] = new
    return change


@compiled
def _read_beliefs(
    graph: _Graph,
    unary: FloatArray,
    message: FloatArray,
    scratch: FloatArray,
    belief: FloatArray,
    incoming: FloatArray,
) -> None:
    incoming[:] = 0.0
    node = scratch[0]
    for j in range(graph.starts.size - 1):
        begin, width = graph.starts[j], graph.starts[j + 1] - graph.starts[j]
        _gather(j, graph, unary, message, scratch)
        for i in range(belief.shape[0]):
            total = node[:width, i].sum()
            for a in range(width):
                belief[i, begin + a] = node[a, i] / total
        for slot in range(graph.inbox_start[j], graph.inbox_start[j + 1]):
            at = graph.offset[graph.inbox[slot]]
            for i in range(belief.shape[0]):
                for a in range(width):
                    incoming[i, begin + a] += np.log(message[at + a, i])


@compiled
def _read_spread(
    graph: _Graph,
    message: FloatArray,
    pair: FloatArray,
    readout: FloatArray,
    belief: FloatArray,
    spread: FloatArray,
) -> None:
    """Add up variances within variables and covariances along edges, row by row."""
    starts = graph.starts
    for i in range(belief.shape[0]):
        for s in range(readout.shape[0]):
            for j in range(starts.size - 1):
                mean = 0.0
                for a in range(starts[j], starts[j + 1]):
                    mean += belief[i, a] * readout[s, a]
                for a in range(starts[j], starts[j + 1]):
                    spread[i, s] += belief[i, a] * (readout[s, a] - mean) ** 2
        for e in range(graph.edges.shape[0]):
            _add_covariance(e, i, graph, message, pair, readout, belief[i], spread[i])


@compiled
def _add_covariance(
    e: int,
    lane: int,
    graph: _Graph,
    message: FloatArray,
    pair: FloatArray,
    readout: FloatArray,
    belief: FloatArray,
    spread: FloatArray,
) -> None:
    """Add twice the covariance of the readouts across edge e, under its pair belief."""
    begin, other = graph.starts[graph.edges[e, 0]], graph.starts[graph.edges[e, 1]]
    back, forth = graph.offset[2 * e + 1], graph.offset[2 * e]
    width, n_other = graph.offset[2 * e + 2] - back, back - forth
    sums = np.zeros((3, readout.shape[0]))
    mass = 0.0
    for a in range(width):
        left = belief[begin + a] / message[back + a, lane]
        if left == 0.0:
            continue
        for b in range(n_other):
            right = belief[other + b] / message[forth + b, lane]
            weight = left * right * pair[begin + a, other + b]
            mass += weight
            for s in range(readout.shape[0]):
                here, there = readout[s, begin + a], readout[s, other + b]
                sums[0, s] += weight * here * there
                sums[1, s] += weight * here
                sums[2, s] += weight * there
    if mass > 0.0:
        for s in range(readout.shape[0]):
            spread[s] += 2.0 * (sums[0, s] / mass - sums[1, s] * sums[2, s] / mass**2)
