"""Naive mean field of a pairwise field of signs -1 and +1."""

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray

__all__ = ["sign_means"]


@compiled
def _sweep(field: FloatArray, weights: FloatArray, means: FloatArray) -> float:
    """Set m_l to tanh(field_l + sum_m weights_lm m_m), label by label; return the largest change.

    field, means (L,); weights (L, L), symmetric, zero diagonal.
    """
    change = 0.0
    for label in range(len(field)):
        pull = field[label]
        for other in range(len(field)):
            pull += weights[label, other] * means[other]
        new = np.tanh(pull)
        change = max(change, abs(new - means[label]))
        means[label] = new
    return change


@compiled
def _bound(field: FloatArray, weights: FloatArray, means: FloatArray) -> float:
    """Return the lower bound of log Z at the means: expected score plus entropy."""
    bound = 0.0
    for label in range(len(field)):
        pull = field[label]
        for other in range(label):
            pull += weights[label, other] * means[other]
        bound += pull * means[label]
        for p in (0.5 * (1.0 + means[label]), 0.5 * (1.0 - means[label])):
            if p > 0.0:
                bound -= p * np.log(p)
    return bound


@compiled
def _climb(
    field: FloatArray, weights: FloatArray, means: FloatArray, tol: float, max_sweeps: int
) -> float:
    """Move the means (L,) to a maximum of the bound; return it."""
    for _ in range(max_sweeps):
        if _sweep(field, weights, means) < tol:
            break
    return _bound(field, weights, means)


@compiled
def sign_means(
    field: FloatArray,
    edges: IntArray,
    coupling: FloatArray,
    signs: FloatArray,
    tol: float = 1e-9,
    max_sweeps: int = 500,
) -> tuple[FloatArray, FloatArray]:
    """Return the mean-field bound of log Z (n,) and the means of the signs (n, L) that give it.

    A set of signs s scores sum_l field_l s_l + sum_e coupling_e s_l s_m: field (n, L); edges
    (E, 2); coupling (n, E) or (1, E). The bound may have several maxima. Sweeps start from
    tanh(field) and from the row's own signs (n, L), end when no mean moves by `tol`, and the larger
    bound counts: it is at least the score of those signs, and does not jump when one of the two
    starts comes to lie on the slope of another maximum.
    """
    n, n_labels = field.shape
    weights = np.zeros((n_labels, n_labels))
    bounds, means = np.empty(n), np.tanh(field)
    for i in range(n):
        for e in range(len(edges)):
            weight = coupling[min(i, len(coupling) - 1), e]
            weights[edges[e, 0], edges[e, 1]] = weights[edges[e, 1], edges[e, 0]] = weight
        others = signs[i].copy()
        bounds[i] = _climb(field[i], weights, means[i], tol, max_sweeps)
        bound = _climb(field[i], weights, others, tol, max_sweeps)
        if bound > bounds[i]:
            bounds[i] = bound
            for label in range(n_labels):
                means[i, label] = others[label]
    return bounds, means
