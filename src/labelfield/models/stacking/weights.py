"""Weights of a pool of joints, from what its members say about rows they have not seen."""

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from labelfield.kernels.sets.logspace import logsumexp

__all__ = [
    "exact_match_weights",
    "held_out_log_prob",
    "kept_weights",
    "likelihood_weights",
    "mean_log_likelihood",
]

MAX_STEPS = 100
GAP_TOLERANCE = 1e-9  # of the mean log-likelihood below its maximum
SHORTEST_STEP = 1e-9
RIDGE = 1e-10  # members that say the same share their weight
GREEDY_STEPS = 10
GREEDY_MASS = 0.15
MIN_WEIGHT = 1e-3  # members with less are not worth their time


def held_out_log_prob(joints, Y, folds):
    """Return what members say of the known labels of rows they have not seen: (n, m).

    joints is a dict of member -> joints of the test rows, one per fold (train, test).
    """
    log_prob = np.empty((len(Y), len(joints)))
    for m, parts in enumerate(joints.values()):
        for (_, test), joint in zip(folds, parts):
            log_prob[test, m] = joint.log_evidence(Y[test].astype(np.float64))
    return log_prob


def kept_weights(names, weights):
    """Return the weights of the members that count, summing to one: dict of name -> float.

    Examples
    --------
    >>> from labelfield.models.stacking.weights import kept_weights
    >>> kept_weights(["a", "b", "c"], [0.6, 0.3996, 0.0004])["a"] > 0.6
    True
    """
    kept = {name: w for name, w in zip(names, weights) if w >= MIN_WEIGHT or w == max(weights)}
    total = sum(kept.values())
    return {name: float(w / total) for name, w in kept.items()}


def likelihood_weights(log_prob, sample_weight=None):
    """Return the weights that maximise sum_i log sum_m w_m p_m(y_i): (n, m) -> (m,).

    The objective is concave. Where the weights of mean gain one are best is told by the gains of
    all members, the mean ratios of their probability to the pool's: no weights are better by more
    than the largest gain less one. Newton's steps with weights kept from falling below zero
    (`_newton_weights`) reach that in some ten rounds. Rows to which every member gives probability
    zero say nothing and are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.models.stacking.weights import likelihood_weights
    >>> right, wrong = np.log([0.9, 0.8, 0.7]), np.log([0.1, 0.1, 0.1])
    >>> likelihood_weights(np.stack([right, wrong], axis=1)).round(3)
    array([1., 0.])
    """
    possible = ~np.isneginf(log_prob).all(axis=1)
    rows = np.ones(len(log_prob)) if sample_weight is None else sample_weight
    share = rows[possible] / max(float(rows[possible].sum()), 1e-300)
    log_prob = log_prob[possible]
    n_members = log_prob.shape[1]
    weights = np.full(n_members, 1.0 / n_members)
    if not len(log_prob):
        return weights
    top = log_prob.max(axis=1, keepdims=True)
    likelihood = np.exp(log_prob - top)
    for _ in range(MAX_STEPS):
        ratio = likelihood / (likelihood @ weights)[:, None]
        gains = share @ ratio
        if gains.max() - 1.0 <= GAP_TOLERANCE:
            break
        step = _newton_weights(ratio, share, gains) - weights
        longest = _ascent(likelihood, share, weights, step, slope=float((gains - 1.0) @ step))
        if not longest:
            break
        weights = np.maximum(weights + longest * step, 0.0)
        weights /= weights.sum()
    return weights


def _newton_weights(ratio, share, gains):
    """Return the weights >= 0 that maximise the objective's parabola at the present ones.

    Without the simplex, sum_i s_i log(p_i w) - sum_m w_m has the same maximum. Its curvature is
    H = R' S R with the ratios R, and H w is the gains g at the present w; so the parabola is
    (2 g - 1) w - w' H w / 2, a problem of non-negative least squares for the root of H.
    """
    curvature = ratio.T @ (share[:, None] * ratio)
    curvature[np.diag_indices_from(curvature)] *= 1.0 + RIDGE
    curvature[np.diag_indices_from(curvature)] += RIDGE
    root = cholesky(curvature)
    return nnls(root, solve_triangular(root, 2.0 * gains - 1.0, trans="T"))[0]


def _ascent(likelihood, share, weights, step, slope):
    """Return the largest of 1, 1/2, 1/4 ... at which a step pays; 0 where none does."""

    def value(w):
        with np.errstate(divide="ignore"):
            return float(share @ np.log(likelihood @ w)) - w.sum()

    start, length = value(weights), 1.0
    while length >= SHORTEST_STEP:
        if value(np.maximum(weights + length * step, 0.0)) >= start + 0.01 * length * slope:
            return length
        length /= 2.0
    return 0.0


def exact_match_weights(log_prob, right, start):
    """Return weights under which the best candidate of most rows is the right one.

    Beginning at `start` (m,), mass is moved to the member that raises the number of exact matches
    most, for as long as one does.

    Parameters
    ----------
    log_prob : array (n, c, m)
        What each of m members says of c candidate sets; -inf for places without a candidate.
    right : bool array (n, c)
        Which candidate is the true set.
    start : array (m,)
    """
    p = np.exp(log_prob)

    def matches(weights):
        best = (p @ weights).argmax(axis=1)
        return np.take_along_axis(right, best[:, None], axis=1).mean()

    weights, reached = start, matches(start)
    for _ in range(GREEDY_STEPS):
        moved = (1.0 - GREEDY_MASS) * weights + GREEDY_MASS * np.eye(len(weights))
        found = [matches(row) for row in moved]
        if max(found) <= reached:
            break
        weights, reached = moved[int(np.argmax(found))], max(found)
    return weights


def mean_log_likelihood(log_prob, weights, sample_weight=None):
    """Return the mean of log sum_m w_m p_m(y_i): (n, m) and (m,) -> ()."""
    with np.errstate(divide="ignore"):
        pooled = logsumexp(log_prob + np.log(weights), axis=1)
    return float(np.average(pooled, weights=sample_weight))
