"""How often each component has each label."""

import numpy as np

from labelfield._namespaces import is_tensor, namespace

__all__ = [
    "MIN_RATE",
    "NEGLIGIBLE_SHARE",
    "active_labels",
    "belonging",
    "component_shares",
    "label_prior",
    "plain_rates",
    "smoothed_rates",
]

NEGLIGIBLE_SHARE = 1e-5  # rows and label rates below it do not enter a component's fit
SMOOTHING = 1e-4
MIN_RATE = 1e-9
TINY = float(np.finfo(float).tiny)


def belonging(gamma):
    """Return which rows belong to which component more than negligibly: bool (n, K)."""
    return gamma > NEGLIGIBLE_SHARE * namespace(gamma).sum(gamma, axis=1, keepdims=True)


def component_shares(gamma):
    """Return the share (K,) of all rows that belongs to each component."""
    xp = namespace(gamma)
    return xp.sum(gamma, axis=0) / xp.sum(gamma)


def label_prior(Y, known, gamma):
    """Return how frequent each label is among the rows where it is known: (L,), 1/2 for none.

    gamma (n, K): what a row weighs, spread over the components.
    """
    xp = namespace(gamma)
    share = xp.sum(gamma, axis=1) / xp.sum(gamma)
    present = share @ _as_factor(Y, gamma)
    if known is None:
        return present
    seen = share @ _as_factor(known, gamma)
    return xp.where(seen > 0, present / xp.clip(seen, min=TINY), 0.5)


def plain_rates(Y, gamma, known=None):
    """Return the share of each label in each component, 0 for one without rows.

    Y (n, L), 0 where unknown; gamma (n, K), what of each row belongs to each component; known bool
    (n, L), None if all are; answer (K, L).
    """
    mass = _mass(gamma, known)
    return (gamma.T @ _as_factor(Y, gamma)) / namespace(gamma).clip(mass, min=TINY)


def _mass(gamma, known):
    """Return the rows of each component (K, 1), or (K, L) those with the label known."""
    if known is None:
        return namespace(gamma).sum(gamma, axis=0)[:, None]
    return gamma.T @ _as_factor(known, gamma)


def _as_factor(values, gamma):
    """Return bytes or bools as something that memberships can be multiplied with."""
    return namespace(gamma).astype(values, gamma.dtype) if is_tensor(gamma) else values


def smoothed_rates(Y, gamma, prior, known=None):
    """Return `plain_rates` drawn a little towards `prior` (L,) and away from 0 and 1: (K, L).

    Without it a component could give a set that no training row has probability zero.
    """
    rates = gamma.T @ _as_factor(Y, gamma) + SMOOTHING * prior
    rates = rates / (_mass(gamma, known) + SMOOTHING)
    return namespace(rates).clip(rates, MIN_RATE, 1.0 - MIN_RATE)


def active_labels(Y, gamma, prior, known=None, *, sparse):
    """Return which labels each component learns (K, L): those that vary.

    With `sparse` they must vary among the component's own rows, else among all rows.
    """
    rates = plain_rates(Y, gamma, known) if sparse else prior[None, :]
    rates = namespace(rates).broadcast_to(rates, (gamma.shape[1], Y.shape[1]))
    return (rates > NEGLIGIBLE_SHARE) & (rates < 1.0 - NEGLIGIBLE_SHARE)
