"""Expectation maximisation of a gate and components together."""

import numpy as np

from labelfield.kernels.sets.logspace import logsumexp

__all__ = ["em_rounds"]


def em_rounds(gate, components, X, Y, gamma, known=None):
    """Improve gate and components in place; yield the objective after each round, without end.

    The objective is minus the mean log-likelihood plus the penalties over n. The first step is an
    M-step on the memberships gamma (n, K). Labels outside the mask known (n, L) enter neither the
    memberships nor the label learners: the likelihood is that of the known labels. No more than one
    component's log-odds are held at once.
    """
    gate.start(X, gamma)
    components.start(X, Y, gamma, known)
    while True:
        gate.update(X, gamma)
        components.update(X, Y, gamma, known)
        log_joint = gate.log_weights(X) + components.log_prob(X, Y, known)
        log_prob = logsumexp(log_joint, axis=1)
        gamma = np.exp(log_joint - log_prob[:, None])
        penalty = gate.penalty() + components.penalty()
        yield float(penalty - log_prob.sum()) / len(Y)
