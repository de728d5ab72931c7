"""Fields of many-state variables of which a row shows some: those are conditioned on."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.restore.inference import potts_bp

__all__ = ["conditioned_marginals"]

LEAST = 1e-100
TINY = 1e-300


def conditioned_marginals(
    log_unary: FloatArray,
    log_pair: FloatArray,
    n_states: tuple[int, ...],
    readout: FloatArray,
    *,
    damping: float,
    max_sweeps: int,
    tol: float,
    certainty: bool = True,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Beliefs of every row by messages between the variables that it leaves open.

    A variable with one possible state joins the unaries of the others, and hears of them at
    the end; messages to and from it would only repeat that in every sweep.

    Parameters
    ----------
    log_unary : ndarray of shape (n, K)
        Log weights of the states; -inf rules a state out.
    log_pair : ndarray of shape (K, K)
        Symmetric log pair weights, zero in the blocks of single variables.
    n_states : tuple of int
        Of each variable; their sum is K.
    readout, damping, max_sweeps, tol, certainty
        As for `potts_bp.marginals`.

    Returns
    -------
    belief : ndarray of shape (n, K)
    incoming : ndarray of shape (n, K)
        Log evidence of the other variables, up to a constant for each variable.
    spread : ndarray of shape (n, m)
    """
    starts = np.cumsum([0, *n_states])
    possible = log_unary > -np.inf
    known = np.add.reduceat(possible, starts[:-1], axis=1, dtype=np.int64) == 1
    shown = possible & np.repeat(known, n_states, axis=1)
    said = shown.astype(np.float64) @ log_pair
    belief, incoming, spread, _ = potts_bp.marginals(
        log_unary + said,
        known,
        log_pair,
        starts,
        np.ascontiguousarray(readout),
        damping,
        max_sweeps,
        tol,
        certainty,
    )
    belief[shown] = 1.0
    if certainty:
        incoming += said
        peak = np.maximum.reduceat(log_pair, starts[:-1], axis=1)
        weights = np.exp(log_pair - np.repeat(peak, n_states, axis=1))
        _hear_open(belief, known, weights, starts, incoming)
    return belief, incoming, spread


@compiled
def _hear_open(
    belief: FloatArray,
    known: BoolArray,
    pair: FloatArray,
    starts: IntArray,
    incoming: FloatArray,
) -> None:
    """Add to `incoming` (n, K) the log messages of open variables to known ones.

    The message of an open variable leaves out what the receiver told it, as if that had not been
    seen. belief (n, K) is one at the states of known variables; pair (K, K) are weights, of any
    scale for a state of the sender and a receiver; starts (md + 1,).
    """
    n_nodes = starts.size - 1
    message = np.zeros(starts[-1])
    for i in range(known.shape[0]):
        for f in range(n_nodes):
            if known[i, f]:
                continue
            for j in range(n_nodes):
                if known[i, j]:
                    _message(f, j, belief[i], pair, starts, message)
                    for b in range(starts[j], starts[j + 1]):
                        incoming[i, b] += np.log(max(message[b], LEAST))


@compiled
def _message(
    f: int, j: int, belief: FloatArray, pair: FloatArray, starts: IntArray, message: FloatArray
) -> None:
    """Fill in the message of variable f to the states of j, of which one has belief one."""
    seen = starts[j]
    for b in range(starts[j], starts[j + 1]):
        message[b] = 0.0
        if belief[b] > belief[seen]:
            seen = b
    for a in range(starts[f], starts[f + 1]):
        share = belief[a] / max(pair[a, seen], TINY)
        for b in range(starts[j], starts[j + 1]):
            message[b] += share * pair[a, b]
