"""MPLP: an upper bound on the best score of a field, lowered clique by clique.

Each clique hands its labels messages as in `kernels.messages`. For any messages,

    score(y) = sum_l belief_l y_l + sum_c (coupling_c prod_l y_l - sum_l message_cl y_l), l in c,

so that maximising every term on its own bounds the best score from above. A step shares the
max-marginals of one clique equally among its labels, which never raises the bound.

Globerson, Jaakkola (2007): Fixing max-product: convergent message passing algorithms for MAP
LP-relaxations. NIPS.
"""

import numpy as np

from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.kernels._compile import compiled
from labelfield.kernels.cliques import Cliques
from labelfield.kernels.messages import both, hard_answer

__all__ = ["mplp"]


@compiled
def _update(
    labels: IntArray, coupling: float, belief: FloatArray, message: FloatArray, cavity: FloatArray
) -> None:
    """Share the max-marginals of a clique equally; message (members,) and belief (L,) change."""
    size = len(labels)
    for m in range(size):
        cavity[m] = belief[labels[m]] - message[m]
    for m in range(size):
        others = np.inf
        for k in range(size):
            if k != m:
                others = cavity[k] if others == np.inf else both(others, cavity[k], True)
        shared = (cavity[m] + hard_answer(coupling, others)) / size
        message[m] = shared - cavity[m]
        belief[labels[m]] = shared


@compiled
def _clique_peak(coupling: float, message: FloatArray) -> float:
    """Return the largest of coupling prod y - sum_l message_l y_l over the sets of the clique."""
    some, all_present, least = 0.0, coupling, np.inf
    for value in message:
        some += max(-value, 0.0)
        all_present -= value
        least = min(least, -value)
    if least > 0.0:
        some -= least  # without the cheapest label it is not all of them
    return max(some, all_present)


@compiled
def _bound(
    offsets: IntArray, coupling: FloatArray, belief: FloatArray, message: FloatArray
) -> float:
    total = 0.0
    for value in belief:
        total += max(value, 0.0)
    for c in range(len(offsets) - 1):
        total += _clique_peak(coupling[c], message[offsets[c] : offsets[c + 1]])
    return total


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
    members, offsets = graph.members, graph.offsets
    beliefs, bounds = np.empty((n, n_labels)), np.empty(n)
    settled = np.zeros(n, dtype=np.bool_)
    message, cavity = np.empty(len(members)), np.empty(n_labels)
    for i in range(n):
        weights, belief = coupling[min(i, len(coupling) - 1)], beliefs[i]
        belief[:] = unary[i]
        message[:] = 0.0
        bounds[i] = _bound(offsets, weights, belief, message)
        for sweep in range(max_iter):
            for turn in range(len(offsets) - 1):
                c = turn if sweep % 2 == 0 else len(offsets) - 2 - turn
                at, end = offsets[c], offsets[c + 1]
                _update(members[at:end], weights[c], belief, message[at:end], cavity)
            before, bounds[i] = bounds[i], _bound(offsets, weights, belief, message)
            if before - bounds[i] < tol:
                settled[i] = True
                break
    return beliefs, bounds, settled
