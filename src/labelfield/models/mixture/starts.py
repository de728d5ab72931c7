"""First memberships of the training rows."""

import numpy as np

from labelfield._gate.indicator import list_sets
from labelfield.models.mixture.bernoulli_mixture import fit_mixture

__all__ = ["STARTS", "first_memberships", "mixture_start", "sets_start", "weight_of_rows"]


def mixture_start(Y, n_components, rng, known=None, weight=None):
    """Return memberships (n, K) under the best of ten Bernoulli mixtures of the label sets."""
    if known is not None:
        fitted = fit_mixture(Y, n_components, known=known, weights=weight, rng=rng)
        return fitted.responsibilities(Y, known)
    sets, where = list_sets(Y)
    counts = np.bincount(where, weight).astype(np.float64)
    fitted = fit_mixture(sets, n_components, weights=counts, rng=rng)
    return fitted.responsibilities(sets)[where]


def sets_start(Y, n_components, rng, known=None, weight=None):
    """Return hard memberships: the most frequent sets, and every row with its nearest one.

    There are no more components than distinct sets. Nothing is random; ties go to the set that
    occurs first. Unknown labels count as absent in the frequent sets and not at all in distances.
    """
    del rng
    sets, where = list_sets(Y)
    first = np.unique(where, return_index=True)[1]
    counts = np.bincount(where, weight)
    chosen = np.lexsort([first, -counts])[:n_components]
    wide, centres = sets.astype(np.intp), sets[chosen].astype(np.intp)
    if known is not None:
        wide, where = Y.astype(np.intp), np.arange(len(Y))
    larger = centres.sum(axis=1) if known is None else known.astype(np.intp) @ centres.T
    distance = wide.sum(axis=1)[:, None] + larger - 2 * wide @ centres.T
    return np.eye(len(chosen))[distance.argmin(axis=1)[where]]


def first_memberships(start, Y, n_components, rng, known=None, weight=None):
    """Return memberships (n, K) by one of `STARTS`; rows without weight have none."""
    if weight is None or weight.all():
        return start(Y, n_components, rng, known, weight)
    rows = np.flatnonzero(weight)
    found = start(Y[rows], n_components, rng, None if known is None else known[rows], weight[rows])
    gamma = np.zeros((Y.shape[0], found.shape[1]))
    gamma[rows] = found
    return gamma


def weight_of_rows(rows, weight, n):
    """Return the weights (n,) of some of the rows, 0 for the others."""
    chosen = np.zeros(n)
    chosen[rows] = 1.0 if weight is None else weight[rows]
    return chosen


STARTS = {"mixture": mixture_start, "sets": sets_start}
