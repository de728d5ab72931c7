"""Slow twins: laws over all 2**L sets, from which every answer can be read off."""

from functools import cache

import numpy as np

from labelfield.kernels.sets.bits import all_sets


def enumerate_law(joint):
    """Return all sets (2**L, L) and their probabilities (n, 2**L)."""
    sets = all_sets(joint.n_labels)
    return sets, np.exp(joint.log_prob(np.broadcast_to(sets, (len(joint), *sets.shape))))


def product_law(p):
    """Return the probability of every set under independent labels: (..., L) -> (..., 2**L)."""
    sets = all_sets(p.shape[-1])
    return np.where(sets == 1, p[..., None, :], 1.0 - p[..., None, :]).prod(axis=-1)


def size_marginals_of(sets, p):
    """Return P(y_l = 1, |y| = s) of a law by summing over its sets: (n, L, L)."""
    sizes = sets.sum(axis=1)
    return np.stack([(p * (sizes == s)) @ sets for s in range(1, sets.shape[1] + 1)], axis=2)


def size_distribution_of(sets, p):
    """Return P(|y| = s), s = 0..L, of a law by summing over its sets: (n, L + 1)."""
    sizes = sets.sum(axis=1)
    return np.stack([p[:, sizes == s].sum(axis=1) for s in range(sets.shape[1] + 1)], axis=1)


@cache
def f1_of_all_pairs(n_labels):
    """Return F1 of every set against every set (empty against empty counts 1): (2**L, 2**L)."""
    sets = all_sets(n_labels).astype(float)
    total = sets.sum(axis=1)[:, None] + sets.sum(axis=1)
    return np.where(total == 0, 1.0, 2.0 * sets @ sets.T / np.maximum(total, 1.0))
