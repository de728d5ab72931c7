"""First memberships of the training rows."""

import numpy as np

from labelfield.kernels.sets.bits import pack
from labelfield.models.mixture.bernoulli_mixture import fit_mixture

__all__ = ["STARTS", "mixture_start", "sets_start"]


def mixture_start(Y, n_components, rng, known=None, weight=None):
    """Return memberships (n, K) under the best of ten Bernoulli mixtures of the label sets."""
    fitted = fit_mixture(Y, n_components, known=known, weights=weight, rng=rng)
    return fitted.responsibilities(Y, known)


def sets_start(Y, n_components, rng, known=None, weight=None):
    """Return hard memberships: the most frequent sets, and every row with its nearest one.

    There are no more components than distinct sets. Nothing is random; ties go to the set that
    occurs first. Unknown labels count as absent in the frequent sets and not at all in distances.
    """
    del rng
    _, first, where = np.unique(pack(Y), return_index=True, return_inverse=True)
    sets = Y[first].astype(np.float64)  # whole numbers still, and products are fast
    counts = np.bincount(where.ravel(), weight)
    chosen = np.lexsort([first, -counts])[:n_components]
    wide, centres = sets, sets[chosen]
    if known is not None:
        wide, where = Y.astype(np.float64), np.arange(len(Y))
    larger = centres.sum(axis=1) if known is None else known.astype(np.float64) @ centres.T
    distance = wide.sum(axis=1)[:, None] + larger - 2 * wide @ centres.T
    return np.eye(len(chosen))[distance.argmin(axis=1)[where.ravel()]]


STARTS = {"mixture": mixture_start, "sets": sets_start}
