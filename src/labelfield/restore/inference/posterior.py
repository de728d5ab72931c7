"""Posterior of the clean table given the dirty one: collapsed, or structured mean field."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from labelfield._typing import BoolArray, FloatArray, IntArray
from labelfield.restore.inference.noise import Noise
from labelfield.restore.net import MixedNet
from labelfield.restore.shape import FieldShape

__all__ = ["INFERENCE", "Posterior", "collapsed", "from_the_rest", "mean_field"]

DAMPING = 0.3
TOLERANCE = 1e-4
LEAST_PRECISION = 1e-2

_Answer: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True)
class Posterior:
    """What is known of every clean cell.

    mean, variance (n, mc); proba (n, K); log_elsewhere (n, K) are the log probabilities of the
    states from the rest of the row alone, before looking at the cell itself. They are
    worth something only where `certainty` was asked for, as is `variance`.
    """

    mean: FloatArray
    variance: FloatArray
    proba: FloatArray
    log_elsewhere: FloatArray


@dataclass(frozen=True)
class _Pattern:
    """Rows that have the same numbers observed, and what they share."""

    rows: IntArray
    free: IntArray
    fixed: IntArray
    noise_precision: FloatArray
    covariance: FloatArray
    loading: FloatArray


def collapsed(
    net: MixedNet,
    noise: Noise,
    numbers: FloatArray,
    codes: IntArray,
    *,
    sweeps: int = 60,
    certainty: bool = True,
) -> Posterior:
    """Integrate the numbers out, run belief propagation on what is left of the categories.

    numbers (n, mc) holds NaN and codes (n, md) holds -1 where a cell is missing.
    """

    shape = net.shape

    def solve(pattern: _Pattern, base: FloatArray, prior: FloatArray, seen: FloatArray) -> _Answer:
        readout = pattern.covariance @ pattern.loading
        extra = pattern.loading.T @ readout
        tilt = prior + base @ readout + 0.5 * np.diag(extra)
        proba, incoming, spread = _propagate(
            shape, tilt + seen, net.pair + extra, readout.T, sweeps, certainty
        )
        mean = (base + proba @ pattern.loading.T) @ pattern.covariance
        return mean, np.diag(pattern.covariance) + spread, proba, tilt + incoming

    return _infer(net, noise, numbers, codes, solve)


def mean_field(
    net: MixedNet,
    noise: Noise,
    numbers: FloatArray,
    codes: IntArray,
    *,
    sweeps: int = 25,
    rounds: int = 15,
    certainty: bool = True,
) -> Posterior:
    """Alternate between the Gaussian and the discrete half (equations 2.10 to 2.13)."""
    shape = net.shape
    no_readout = np.zeros((len(net.unary), 0))

    def solve(pattern: _Pattern, base: FloatArray, prior: FloatArray, seen: FloatArray) -> _Answer:
        mean = base @ pattern.covariance
        for _ in range(rounds):
            tilt = prior + mean @ pattern.loading
            proba, incoming, _ = _propagate(
                shape, tilt + seen, net.pair, no_readout, sweeps, certainty
            )
            before, mean = mean, (base + proba @ pattern.loading.T) @ pattern.covariance
            if np.abs(mean - before).max(initial=0.0) < TOLERANCE:
                break
        variance = np.broadcast_to(np.diag(pattern.covariance), mean.shape)
        return mean, variance, proba, tilt + incoming

    return _infer(net, noise, numbers, codes, solve)


INFERENCE: dict[str, Callable[..., Posterior]] = {
    "collapsed": collapsed,
    "mean_field": mean_field,
}


def from_the_rest(
    posterior: Posterior, noise: Noise, numbers: FloatArray, s: int, rows: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of a noisy number given the rest of its row: its own term divided out."""
    own = 1 / noise.scale[s] ** 2
    variance = posterior.variance[rows, s]
    precision = np.maximum(1 / variance - own, LEAST_PRECISION)
    mean = (posterior.mean[rows, s] / variance - own * numbers[rows, s]) / precision
    return mean, 1 / precision


def _infer(
    net: MixedNet,
    noise: Noise,
    numbers: FloatArray,
    codes: IntArray,
    solve: Callable[[_Pattern, FloatArray, FloatArray, FloatArray], _Answer],
) -> Posterior:
    """Solve pattern by pattern; a noiseless observed number is conditioned on, not inferred."""
    seen = noise.log_likelihood(codes)
    mean = np.where(np.isnan(numbers), 0.0, numbers)
    variance = np.zeros_like(mean)
    proba = np.zeros_like(seen)
    elsewhere = np.zeros_like(seen)
    for pattern in _patterns(net, noise, ~np.isnan(numbers), codes >= 0):
        rows, free, fixed = pattern.rows, pattern.free, pattern.fixed
        cells = rows[:, None], free
        known = mean[rows[:, None], fixed]
        base = net.linear[free] + pattern.noise_precision * mean[cells]
        base = base - known @ net.precision[fixed[:, None], free]
        prior = net.unary + known @ net.mixed[fixed]
        mean[cells], variance[cells], proba[rows], elsewhere[rows] = solve(
            pattern, base, prior, seen[rows]
        )
    return Posterior(mean, variance, proba, _log_normalised(net.shape, elsewhere))


def _patterns(
    net: MixedNet, noise: Noise, observed: BoolArray, shown: BoolArray
) -> Iterator[_Pattern]:
    """Group rows by which numbers they show: one factorisation of the precision per group.

    Within a group, rows that show the same categories follow each other.
    """
    masks, group = np.unique(observed, axis=0, return_inverse=True)
    group = group.ravel()
    order = np.lexsort((*shown.T, group))
    bounds = np.searchsorted(group[order], np.arange(len(masks) + 1))
    noiseless = noise.scale == 0
    for mask, start, stop in zip(masks, bounds, bounds[1:]):
        free = np.flatnonzero(~(mask & noiseless))
        added = np.where(mask[free], 1 / np.where(noiseless, 1.0, noise.scale)[free] ** 2, 0.0)
        precision = net.precision[free[:, None], free] + np.diag(added)
        covariance = np.linalg.inv(precision)
        yield _Pattern(
            rows=order[start:stop],
            free=free,
            fixed=np.flatnonzero(mask & noiseless),
            noise_precision=added,
            covariance=0.5 * (covariance + covariance.T),
            loading=net.mixed[free],
        )


def _propagate(
    shape: FieldShape,
    log_unary: FloatArray,
    log_pair: FloatArray,
    readout: FloatArray,
    sweeps: int,
    certainty: bool,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return beliefs (n, K), log incoming messages (n, K) and the spread of the readout (n, m)."""
    from labelfield.restore.inference import potts_known  # loads numba

    if not shape.n_states:
        return log_unary, log_unary, np.zeros((len(log_unary), readout.shape[1]))
    return potts_known.conditioned_marginals(
        log_unary,
        log_pair * shape.between_states,
        shape.n_states,
        readout,
        damping=DAMPING,
        max_sweeps=sweeps,
        tol=TOLERANCE,
        certainty=certainty,
    )


def _log_normalised(shape: FieldShape, score: FloatArray) -> FloatArray:
    """Log probabilities of the states of every node from unnormalised logs, (n, K)."""
    if not shape.n_states:
        return score
    starts = shape.state_starts
    peak = np.repeat(np.maximum.reduceat(score, starts, axis=1), shape.n_states, axis=1)
    total = np.add.reduceat(np.exp(score - peak), starts, axis=1)
    result: FloatArray = score - peak - np.repeat(np.log(total), shape.n_states, axis=1)
    return result
