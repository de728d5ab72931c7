"""Expectation maximisation of a gate and components together."""

from contextlib import nullcontext

import numpy as np

from labelfield._namespaces import namespace, place_of
from labelfield.kernels.sets.logspace import logsumexp
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
):
    """Fit gate and components in place; return the Trace of the objective.

    The objective is minus the mean log-likelihood plus the penalties over n. Labels outside the
    mask known (n, L) enter neither the memberships nor the label learners: the likelihood is that
    of the known labels. No more than one component's log-odds are computed at once.

    Parameters
    ----------
    gate, components : Gate, Components
    X, Y : arrays (n, d) and (n, L)
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
    """
    objective = []
    place = place_of(X)
    weight = place.asarray(np.ones(Y.shape[0]) if weight is None else weight)
    gamma = weight[:, None] * place.asarray(gamma)
    gate.start(X, gamma)
    components.start(X, Y, gamma, known)
    for _ in range(max_iter):
        with step():
            gate.update(X, gamma)
            components.update(X, Y, gamma, known)
            gamma, log_prob = memberships(gate, components, X, Y, known)
            gamma *= weight[:, None]
            penalty = gate.penalty() + components.penalty()
            total = float(place.xp.sum(weight))
            objective.append(float(penalty - weight @ log_prob) / total)
            wanted = goes_on is None or goes_on()
        if len(objective) > 1 and objective[-2] - objective[-1] < GAIN * tol:
            return Trace(objective, "converged")
        if not wanted:
            break
    return Trace(objective, "max_iter")


def memberships(gate, components, X, Y, known=None):
    """Return p(component | x, y) of the rows (n, K), and log p(y | x) (n,)."""
    log_joint = gate.log_weights(X) + components.log_prob(X, Y, known)
    log_prob = logsumexp(log_joint, axis=1)
    return namespace(log_joint).exp(log_joint - log_prob[:, None]), log_prob
