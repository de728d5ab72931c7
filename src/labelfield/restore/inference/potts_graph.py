"""The variables of a many-state field that a row leaves open, and the couplings between them."""

from typing import NamedTuple

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import BoolArray, FloatArray, IntArray

__all__ = ["OpenGraph", "open_graph"]

NO_COUPLING = 1e-12


class OpenGraph(NamedTuple):
    """Unknown variables; directed edge 2e runs from end 0 to end 1 of edge e, 2e + 1 back."""

    states: IntArray  # (F,) which of the K states belong to unknown variables
    starts: IntArray  # (mf + 1,) first of the F states of every unknown variable, and F
    widest: int  # most states of one of them
    pair: FloatArray  # (F, F) pair weights, the block of every edge scaled to peak one
    edges: IntArray  # (E, 2)
    offset: IntArray  # (2E + 1,) first entry of every directed message
    inbox: IntArray  # (2E,) directed edges sorted by the variable they arrive at
    inbox_start: IntArray  # (mf + 1,)


@compiled
def open_graph(known: BoolArray, log_pair: FloatArray, starts: IntArray) -> OpenGraph:
    """Index the variables that are not known (md,), and the couplings between them."""
    n_open, widest = 0, 1
    states = np.empty(starts[-1], dtype=np.int64)
    own_starts = np.zeros(starts.size, dtype=np.int64)
    for j in range(known.size):
        if not known[j]:
            begin, width = own_starts[n_open], starts[j + 1] - starts[j]
            for a in range(width):
                states[begin + a] = starts[j] + a
            n_open += 1
            own_starts[n_open] = begin + width
            widest = max(widest, width)
    n_states = own_starts[n_open]
    pair = np.empty((n_states, n_states))
    edges = np.empty((n_open * (n_open - 1) // 2, 2), dtype=np.int64)
    n_edges = 0
    for j in range(n_open):
        for k in range(j + 1, n_open):
            if _weigh(j, k, log_pair, states, own_starts, pair):
                edges[n_edges, 0] = j
                edges[n_edges, 1] = k
                n_edges += 1
    states, own_starts, edges = states[:n_states], own_starts[: n_open + 1], edges[:n_edges]
    offset, inbox, inbox_start = _index(own_starts, edges)
    return OpenGraph(states, own_starts, widest, pair, edges, offset, inbox, inbox_start)


@compiled
def _weigh(
    j: int, k: int, log_pair: FloatArray, states: IntArray, starts: IntArray, pair: FloatArray
) -> bool:
    """Exponentiate the block of two variables, both copies; return whether they are coupled."""
    peak, trough = -np.inf, np.inf
    for a in range(starts[j], starts[j + 1]):
        for b in range(starts[k], starts[k + 1]):
            value = log_pair[states[a], states[b]]
            peak, trough = max(peak, value), min(trough, value)
    if peak - trough <= NO_COUPLING:
        return False
    for a in range(starts[j], starts[j + 1]):
        for b in range(starts[k], starts[k + 1]):
            pair[a, b] = np.exp(log_pair[states[a], states[b]] - peak)
            pair[b, a] = pair[a, b]
    return True


@compiled
def _index(starts: IntArray, edges: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Where messages are kept, and which arrive where."""
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
    return offset, inbox, inbox_start
