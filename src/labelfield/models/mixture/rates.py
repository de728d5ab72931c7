"""How often each component has each label."""

import numpy as np

__all__ = ["MIN_RATE", "NEGLIGIBLE_SHARE", "active_labels", "plain_rates", "smoothed_rates"]

NEGLIGIBLE_SHARE = 1e-5  # rows and label rates below it do not enter a component's fit
SMOOTHING = 1e-4
MIN_RATE = 1e-9


def plain_rates(Y, gamma):
    """Return the share of each label in each component, 0 for one without rows.

    Y (n, L); gamma (n, K), what of each row belongs to each component; answer (K, L).
    """
    mass = gamma.sum(axis=0)[:, None]
    return (gamma.T @ Y) / np.maximum(mass, np.finfo(float).tiny)


def smoothed_rates(Y, gamma, prior):
    """Return `plain_rates` drawn a little towards `prior` (L,) and away from 0 and 1: (K, L).

    Without it a component could give a set that no training row has probability zero.
    """
    mass = gamma.sum(axis=0)[:, None]
    rates = (gamma.T @ Y + SMOOTHING * prior) / (mass + SMOOTHING)
    return np.clip(rates, MIN_RATE, 1.0 - MIN_RATE)


def active_labels(Y, gamma, prior, *, sparse):
    """Return which labels each component learns (K, L): those that vary.

    With `sparse` they must vary among the component's own rows, else among all rows.
    """
    rates = plain_rates(Y, gamma) if sparse else np.tile(prior, (gamma.shape[1], 1))
    return (rates > NEGLIGIBLE_SHARE) & (rates < 1.0 - NEGLIGIBLE_SHARE)
