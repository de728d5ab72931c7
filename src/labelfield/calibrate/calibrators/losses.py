"""Losses of a confidence whose target may leave [0, 1] (noisy annotations).

Targets come from `NoiseRates.targets` and are the plain hits where annotations are clean.
"""

import numpy as np
from scipy.special import expit

__all__ = ["kl_derivatives", "kl_loss"]


def kl_loss(z, targets):
    """Return -t log c - (1 - t) log(1 - c) with c = expit(z), elementwise."""
    return np.logaddexp(0.0, z) - targets * z


def kl_derivatives(z, targets):
    """Return the derivatives of `kl_loss` in z: c - t and c (1 - c)."""
    c = expit(z)
    return c - targets, c * (1.0 - c)
