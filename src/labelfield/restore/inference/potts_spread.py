"""Variances of linear functions of the states, from the beliefs of variables and edges."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray
from labelfield.restore.inference.potts_graph import OpenGraph

__all__ = ["read_spread"]


@compiled
def read_spread(
    graph: OpenGraph,
    message: FloatArray,
    readout: FloatArray,
    belief: FloatArray,
    spread: FloatArray,
) -> None:
    """Add to spread (n, m) the variances within variables and covariances along edges."""
    covariance = np.empty((graph.widest, graph.widest))
    partial = np.empty(readout.shape[1])
    for i in range(spread.shape[0]):
        for j in range(graph.starts.size - 1):
            _add_variance(j, graph, readout, belief[i], spread[i])
        for e in range(graph.edges.shape[0]):
            if _covariance(e, graph, message[:, i], belief[i], covariance):
                _add_covariance(e, graph, covariance, readout, partial, spread[i])


@compiled
def _add_variance(
    j: int, graph: OpenGraph, readout: FloatArray, belief: FloatArray, spread: FloatArray
) -> None:
    """Add the variances of the readouts of one variable."""
    begin, end = graph.starts[j], graph.starts[j + 1]
    for s in range(spread.size):
        mean = 0.0
        for at in range(begin, end):
            mean += belief[graph.states[at]] * readout[graph.states[at], s]
        for at in range(begin, end):
            spread[s] += belief[graph.states[at]] * (readout[graph.states[at], s] - mean) ** 2


@compiled
def _covariance(
    e: int, graph: OpenGraph, message: FloatArray, belief: FloatArray, covariance: FloatArray
) -> bool:
    """Covariance of the indicators at both ends of edge e; False if its belief is all zero."""
    first, second = graph.edges[e, 0], graph.edges[e, 1]
    begin, width = graph.starts[first], graph.starts[first + 1] - graph.starts[first]
    other, n_other = graph.starts[second], graph.starts[second + 1] - graph.starts[second]
    forth, back = graph.offset[2 * e], graph.offset[2 * e + 1]
    mass = 0.0
    here, there = np.zeros(width), np.zeros(n_other)
    for a in range(width):
        left = belief[graph.states[begin + a]] / message[back + a]
        for b in range(n_other):
            right = belief[graph.states[other + b]] / message[forth + b]
            weight = left * right * graph.pair[begin + a, other + b]
            covariance[a, b] = weight
            mass += weight
            here[a] += weight
            there[b] += weight
    if not mass > 0.0:
        return False
    for a in range(width):
        for b in range(n_other):
            covariance[a, b] = covariance[a, b] / mass - here[a] / mass * (there[b] / mass)
    return True


@compiled
def _add_covariance(
    e: int,
    graph: OpenGraph,
    covariance: FloatArray,
    readout: FloatArray,
    partial: FloatArray,
    spread: FloatArray,
) -> None:
    """Add twice the covariance of the readouts across edge e; `partial` (m,) is room to work in."""
    first, second = graph.edges[e, 0], graph.edges[e, 1]
    begin, width = graph.starts[first], graph.starts[first + 1] - graph.starts[first]
    other, n_other = graph.starts[second], graph.starts[second + 1] - graph.starts[second]
    for a in range(width):
        partial[:] = 0.0
        for b in range(n_other):
            along = readout[graph.states[other + b]]
            for s in range(partial.size):
                partial[s] += covariance[a, b] * along[s]
        own = readout[graph.states[begin + a]]
        for s in range(partial.size):
            spread[s] += 2.0 * own[s] * partial[s]
