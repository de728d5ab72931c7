"""Loopy belief propagation on pairwise fields of many-state variables, many rows at once.

All rows share the pair potentials and differ in their unaries, and in which variables they know:
messages run between the others. Rows that know the same go through together. Messages are kept
as plain weights, rows innermost, so that every loop runs over contiguous lanes.
"""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.restore.inference.potts_graph import OpenGraph, open_graph
from labelfield.restore.inference.potts_spread import read_spread

__all__ = ["marginals"]

TILE = 32
FLOOR = 1e-100


@compiled
def marginals(
    log_unary: FloatArray,
    known: BoolArray,
    log_pair: FloatArray,
    starts: IntArray,
    readout: FloatArray,
    damping: float,
    max_sweeps: int,
    tol: float,
    certainty: bool,
) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """Sum-product beliefs of every row.

    Parameters
    ----------
    log_unary : ndarray of shape (n, K)
        Log weights of the states, what known variables say of the others included; -inf rules a
        state out.
    known : bool ndarray of shape (n, md)
        Variables that are left alone: they send and receive nothing. Fastest where rows that
        know the same variables follow each other.
    log_pair : ndarray of shape (K, K)
        Symmetric log pair weights; the blocks of single variables are not read.
    starts : ndarray of shape (md + 1,)
        First state of every variable, and K.
    readout : ndarray of shape (K, m)
        Linear functions of the indicators whose variance is wanted; m may be zero.
    certainty : bool
        Whether more than beliefs is wanted; if not, `incoming` and `spread` are zero.

    Returns
    -------
    belief : ndarray of shape (n, K)
        Marginal of every variable that is not known (zero there); sums to one over its states.
    incoming : ndarray of shape (n, K)
        Log of the product of the arriving messages: the evidence of unknown neighbours alone.
    spread : ndarray of shape (n, m)
        Variance of `indicators @ readout` under the node and edge beliefs.
    unsettled : int
        Rows whose messages still moved by `tol` or more after the last sweep.
    """
    n, n_states = log_unary.shape
    belief = np.zeros((n, n_states))
    incoming = np.zeros((n, n_states))
    spread = np.zeros((n, readout.shape[1]))
    unsettled = 0
    first = 0
    while first < n:
        last = _end_of_run(known, first)
        graph = open_graph(known[first], log_pair, starts)
        tile = min(last - first, TILE)
        message = np.empty((graph.offset[-1], tile))
        unary = np.empty((graph.states.size, tile))
        scratch = np.empty((4, graph.widest, tile))
        while first < last:
            rows = slice(first, min(last, first + tile))
            _load_unaries(log_unary[rows], graph, unary)
            message[:] = 1.0
            change = np.inf
            for sweep in range(max_sweeps):
                change = _sweep(sweep % 2 == 0, graph, unary, message, scratch, damping)
                if change < tol:
                    break
            if change >= tol:
                unsettled += rows.stop - first
            _read_beliefs(graph, unary, message, scratch, belief[rows])
            if certainty:
                _read_incoming(graph, message, incoming[rows])
                read_spread(graph, message, readout, belief[rows], spread[rows])
            first = rows.stop
    return belief, incoming, spread, unsettled


@compiled
def _end_of_run(known: BoolArray, first: int) -> int:
    """Return the first row behind `first` in which other variables are known."""
    for i in range(first + 1, known.shape[0]):
        for j in range(known.shape[1]):
            if known[i, j] != known[first, j]:
                return i
    return known.shape[0]


@compiled
def _load_unaries(log_unary: FloatArray, graph: OpenGraph, unary: FloatArray) -> None:
    """Exponentiate one tile, every variable scaled to peak one; unused lanes get ones."""
    unary[:] = 1.0
    for i in range(log_unary.shape[0]):
        for j in range(graph.starts.size - 1):
            peak = -np.inf
            for a in range(graph.starts[j], graph.starts[j + 1]):
                peak = max(peak, log_unary[i, graph.states[a]])
            for a in range(graph.starts[j], graph.starts[j + 1]):
                unary[a, i] = np.exp(log_unary[i, graph.states[a]] - peak)


@compiled
def _sweep(
    forward: bool,
    graph: OpenGraph,
    unary: FloatArray,
    message: FloatArray,
    scratch: FloatArray,
    damping: float,
) -> float:
    """Let every variable send once; return the largest change."""
    n_nodes = graph.starts.size - 1
    change = 0.0
    for step in range(n_nodes):
        # alternating directions carry news along a chain in one sweep either way
        j = step if forward else n_nodes - 1 - step
        change = max(change, _send(j, graph, unary, message, scratch, damping))
    return change


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
    j: int, graph: OpenGraph, unary: FloatArray, message: FloatArray, scratch: FloatArray
) -> None:
    """scratch[0] <- unary times all arriving messages, rescaled so that nothing vanishes."""
    node, peak = scratch[0], scratch[3, 0]
    begin, width = graph.starts[j], graph.starts[j + 1] - graph.starts[j]
    for a in range(width):
        for i in range(node.shape[1]):
            node[a, i] = unary[begin + a, i]
    last = graph.inbox_start[j + 1] - 1
    for slot in range(graph.inbox_start[j], last + 1):
        at = graph.offset[graph.inbox[slot]]
        for a in range(width):
            for i in range(node.shape[1]):
                node[a, i] *= message[at + a, i]
        # two messages of at least FLOOR leave the largest entry far from the smallest float
        if slot % 2 == 0 or slot == last:
            _rescale(node, width, peak)


@compiled
def _send(
    j: int,
    graph: OpenGraph,
    unary: FloatArray,
    message: FloatArray,
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
                # at least one where the node peaks, at most 1 / FLOOR
                cavity[a, i] = node[a, i] / message[at + a, i]
        k = graph.edges[arriving // 2, arriving % 2]
        other, n_other = graph.starts[k], graph.starts[k + 1] - graph.starts[k]
        for b in range(n_other):
            for i in range(node.shape[1]):
                fresh[b, i] = 0.0
            for a in range(width):
                weight = graph.pair[other + b, begin + a]
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
    graph: OpenGraph,
    unary: FloatArray,
    message: FloatArray,
    scratch: FloatArray,
    belief: FloatArray,
) -> None:
    node = scratch[0]
    for j in range(graph.starts.size - 1):
        begin, width = graph.starts[j], graph.starts[j + 1] - graph.starts[j]
        _gather(j, graph, unary, message, scratch)
        for i in range(belief.shape[0]):
            total = 0.0
            for a in range(width):
                total += node[a, i]
            for a in range(width):
                belief[i, graph.states[begin + a]] = node[a, i] / total


@compiled
def _read_incoming(graph: OpenGraph, message: FloatArray, incoming: FloatArray) -> None:
    for j in range(graph.starts.size - 1):
        begin, width = graph.starts[j], graph.starts[j + 1] - graph.starts[j]
        for slot in range(graph.inbox_start[j], graph.inbox_start[j + 1]):
            at = graph.offset[graph.inbox[slot]]
            for i in range(incoming.shape[0]):
                for a in range(width):
                    incoming[i, graph.states[begin + a]] += np.log(message[at + a, i])
