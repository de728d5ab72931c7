"""Expectation maximisation of a gate and components together."""

from contextlib import nullcontext
from functools import partial

import numpy as np

from labelfield._gate.reading import take_rows
from labelfield._namespaces import namespace, place_of
from labelfield.joints.base import block_rows
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.learners.rows import SourceRows, Targets
from labelfield.optim import Trace

__all__ = ["memberships", "run_em"]

GAIN = 1e-3  # of the solvers' tolerance: a round that gains less is the last


def run_em(
    gate,
    components,
    X,
    Y,
    gamma,
    known=None,
    weight=None,
    *,
    tol,
    max_iter,
    step=nullcontext,
    goes_on=None,
    watch=None,
):
    """Fit gate and components in place; return the Trace of the objective.

    The objective is minus the mean log-likelihood plus the penalties over n. Labels outside the
    mask known (n, L) enter neither the memberships nor the label learners: the likelihood is that
    of the known labels. No more than one component's log-odds are computed at once.

    Parameters
    ----------
    gate, components : Gate, Components
    X, Y : arrays (n, d) and (n, L), or SourceRows and a CSR matrix
    gamma : array (n, K)
        Memberships to begin with.
    known : bool array (n, L), optional
    weight : array (n,), optional
        Of the rows. The parts get memberships times weights and know nothing else of them.
    tol, max_iter : float, int
    step : callable, optional
        Gives a context manager around each round.
    goes_on : callable, optional
        Asked after each round whether another one is wanted.
    watch : RoundCheckpoint, optional
        Gets the state after each round, and may give it back to go on from there.
    """
    place = place_of(X)
    weight = place.asarray(np.ones(Y.shape[0]) if weight is None else weight)
    gamma = weight[:, None] * place.asarray(gamma)
    total = float(place.xp.sum(weight))
    gate.start(X, gamma)
    components.start(X, Y, gamma, known)
    objective, wanted = [], True
    kept = None if watch is None else watch.resume()
    if kept is not None:
        gate.restore(kept)
        components.restore(kept)
        objective, wanted = kept["objective"].tolist(), bool(kept["wanted"])
        gamma = weight[:, None] * memberships(gate, components, X, Y, known)[0]
    while True:
        if len(objective) > 1 and objective[-2] - objective[-1] < GAIN * tol:
            return Trace(objective, "converged")
        if not wanted or len(objective) >= max_iter:
            return Trace(objective, "max_iter")
        with step():
            gate.update(X, gamma)
            components.update(X, Y, gamma, known)
            gamma, log_prob = memberships(gate, components, X, Y, known)
            gamma *= weight[:, None]
            penalty = gate.penalty() + components.penalty()
            objective.append(float(penalty - weight @ log_prob) / total)
            wanted = goes_on is None or goes_on()
        if watch is not None:
            state = {"objective": np.array(objective), "wanted": np.array(wanted)}
            watch.step(state | gate.kept() | components.kept())


def memberships(gate, components, X, Y, known=None):
    """Return p(component | x, y) of the rows (n, K), and log p(y | x) (n,), block by block."""
    if isinstance(X, SourceRows):
        function = partial(_block_memberships, gate=gate, components=components)
        parts = [part for _, part in X.with_targets(Targets.of(Y)).each(function)]
    else:
        parts = []
        for rows in block_rows(Y.shape[0], 64.0 * Y.shape[1], place_of(X)):
            given = (take_rows(part, rows) for part in (X, Y))
            seen = None if known is None else known[rows, ...]
            parts.append(_memberships(gate, components, *given, seen))
    gammas, log_probs = zip(*parts)
    xp = namespace(gammas[0])
    return xp.concat(gammas), xp.concat(log_probs)


def _block_memberships(block, gate, components):
    return _memberships(gate, components, block.design.X, block.targets.dense())


def _memberships(gate, components, X, Y, known=None):
    log_joint = gate.log_weights(X) + components.log_prob(X, Y, known)
    log_prob = logsumexp(log_joint, axis=1)
    return namespace(log_joint).exp(log_joint - log_prob[:, None]), log_prob
