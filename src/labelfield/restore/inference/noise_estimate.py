"""How noisy is a dirty table? Estimates that stay sane on heavy tails, integers and ties.

The published updates (2.16) explain every misfit of the Gaussian field as noise, so on real columns
sigma drifts upwards without end. Here a number is compared with the values that clean numbers of
its column take, weighted by the rest of its row. The reading is then calibrated: clean
training rows are damaged on purpose at known levels, and the level that would have given the same
reading is the estimate.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax

from labelfield._typing import FloatArray
from labelfield.restore.inference.noise import Noise
from labelfield.restore.inference.posterior import Posterior, collapsed, from_the_rest
from labelfield.restore.net import MixedNet
from labelfield.restore.tables.codec import EncodedTable

__all__ = ["estimate_noise"]

SCALES = np.geomspace(0.01, 1.5, 24)
SCALE_LEVELS = np.array([0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.2])
FLIP_LEVELS = np.array([0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7])
START = 0.2
ROUNDS = 5
SWEEPS = 15
MAX_ROWS = 500
MAX_ATOMS = 128
OUTLIERS = 0.02
COMMON_SHARE = 0.95
FINEST_REFERENCE = 0.1
SMALLEST_FLIP = 1e-3


def estimate_noise(
    net: MixedNet,
    clean: EncodedTable,
    dirty: EncodedTable,
    rng: np.random.Generator,
    *,
    scale: FloatArray | None = None,
    flip: FloatArray | None = None,
) -> Noise:
    """Estimate the noise of a dirty table from a learned net and clean training rows.

    Parameters
    ----------
    net : MixedNet
    clean : EncodedTable
        Complete training rows.
    dirty : EncodedTable
    rng : Generator
    scale : ndarray of shape (mc,) or None
        Known standard deviations; None to estimate one per column.
    flip : ndarray of shape (md,) or None
        Known flip rates; None to estimate a common one.
    """
    shape = net.shape
    clean = clean.take(rng.permutation(len(clean))[:MAX_ROWS])
    dirty = dirty.take(rng.permutation(len(dirty))[:MAX_ROWS])
    reader = _Reader(net, _clean_columns(net, clean), scale, flip)
    reading = np.full(shape.n_numeric + 2, START)
    for _ in range(ROUNDS):
        reference = reading
        reading = reader.read(dirty, None, reference)
    damaged = _damaged_copies(clean, dirty, shape.n_states, rng)
    curves = np.array([reader.read(copy, clean.numbers, reference) for copy in damaged]).T
    if flip is None:
        rate, _ = _invert(reading[-1], curves[-1], FLIP_LEVELS)
        flip = np.full(len(shape.n_states), rate)
    if scale is None:
        found = [_invert(r, curve, SCALE_LEVELS) for r, curve in zip(reading[:-1], curves)]
        level, slope = np.array(found).T
        # a column that hardly shows its noise is taken to be like the others
        scale = slope[:-1] ** 2 * level[:-1] + (1 - slope[:-1] ** 2) * level[-1]
    return Noise.uniform(shape, scale, flip)


@dataclass(frozen=True)
class _CleanColumn:
    """Values a clean column takes, their counts, and the share of it they fail to describe."""

    values: FloatArray
    counts: FloatArray
    smooth: float = 0.5

    def densities(
        self,
        seen: FloatArray,
        message: tuple[FloatArray, FloatArray],
        scales: FloatArray,
        own: FloatArray | None,
    ) -> tuple[FloatArray, FloatArray]:
        """Density of noisy cells (n,) at each noise level, from the values and from the field.

        `message` is the mean and variance (n,) of the clean cell given the rest of its row;
        `own` the clean cells themselves where they were counted among the values. Both results
        have shape (number of scales, n).
        """
        mean, variance = message
        tilt = -0.5 * (self.values - mean[:, None]) ** 2 / variance[:, None]
        tilt = tilt + 0.5 * self.values**2 / np.maximum(variance, 1.0)[:, None]
        counts = np.broadcast_to(self.counts, tilt.shape)
        if own is not None:
            counts = counts.copy()
            nearest = np.abs(self.values - own[:, None]).argmin(axis=1)
            counts[np.arange(len(own)), nearest] -= 1.0
        weight = np.exp(tilt - tilt.max(axis=1, keepdims=True)) * np.maximum(counts, 0.0)
        weight /= weight.sum(axis=1, keepdims=True) + 1e-300
        square = -0.5 * (seen[:, None] - self.values) ** 2
        kernels = [np.einsum("nt,nt->n", weight, np.exp(square / h**2)) / h for h in scales]
        spread = variance + scales[:, None] ** 2
        smooth = np.exp(-0.5 * (seen - mean) ** 2 / spread) / np.sqrt(2 * np.pi * spread)
        return np.array(kernels) / np.sqrt(2 * np.pi), smooth

    def log_likelihoods(
        self,
        seen: FloatArray,
        message: tuple[FloatArray, FloatArray],
        own: FloatArray | None,
    ) -> FloatArray:
        """Log-likelihood of noisy cells at every level of SCALES; outliers count little."""
        atoms, smooth = self.densities(seen, message, SCALES, own)
        density = (1 - self.smooth) * atoms + self.smooth * smooth
        outlier = 0.5 / (1 + np.abs(seen)) ** 2
        total: FloatArray = np.log((1 - OUTLIERS) * density + OUTLIERS * outlier).sum(axis=1)
        return total


@dataclass(frozen=True)
class _Reader:
    """Raw readings of a table: a noise level per number column, one for all, and a flip rate."""

    net: MixedNet
    columns: list[_CleanColumn]
    scale: FloatArray | None
    flip: FloatArray | None

    def read(
        self, table: EncodedTable, own: FloatArray | None, reference: FloatArray
    ) -> FloatArray:
        """Return mc noise levels, a common one and a flip rate, uncalibrated.

        `reference` holds such numbers: the noise under which the rest of a row is weighed.
        """
        shape = self.net.shape
        # a finer reference would leave no weight to the rest of the row
        scale = self.scale
        if scale is None:
            scale = np.maximum(reference[:-2], FINEST_REFERENCE)
        flip = np.full(len(shape.n_states), reference[-1]) if self.flip is None else self.flip
        noise = Noise.uniform(shape, scale, flip)
        posterior = collapsed(self.net, noise, table.numbers, table.codes, sweeps=SWEEPS)
        reading = reference.copy()
        if self.flip is None and (table.codes >= 0).any():
            reading[-1] = _flip_rate(table, posterior, shape.state_starts)
        if self.scale is None:
            reading[:-1] = self._scales(table, posterior, noise, own)
        return reading

    def _scales(
        self, table: EncodedTable, posterior: Posterior, noise: Noise, own: FloatArray | None
    ) -> FloatArray:
        if not self.columns:
            return np.zeros(1)
        likelihoods = []
        for s, column in enumerate(self.columns):
            rows = np.flatnonzero(~np.isnan(table.numbers[:, s]))
            message = from_the_rest(posterior, noise, table.numbers, s, rows)
            clean = None if own is None else own[rows, s]
            likelihoods.append(column.log_likelihoods(table.numbers[rows, s], message, clean))
        profile = np.array(likelihoods)
        # columns share what they know of the level, yet each may have its own
        common = softmax(profile, axis=1).mean(axis=0)
        prior = COMMON_SHARE * common + (1 - COMMON_SHARE) / len(SCALES)
        return np.array([_peak(c) for c in (*(profile + np.log(prior)), profile.sum(axis=0))])


def _flip_rate(table: EncodedTable, posterior: Posterior, starts: np.ndarray) -> float:
    """Expected share of observed cells that do not show their clean state (2.18, one rate)."""
    seen = table.codes >= 0
    kept = np.take_along_axis(posterior.proba, np.maximum(table.codes, 0) + starts, axis=1)
    return max(SMALLEST_FLIP, 1.0 - float(kept[seen].mean()))


def _peak(curve: FloatArray) -> float:
    """Best level, by a parabola through the best three points on a log scale."""
    best = int(np.argmax(curve))
    if best in (0, len(curve) - 1):
        return float(SCALES[best])
    left, middle, right = curve[best - 1 : best + 2]
    bend = left - 2 * middle + right
    shift = 0.5 * (left - right) / bend if bend < 0 else 0.0
    return float(SCALES[best] * (SCALES[1] / SCALES[0]) ** shift)


def _clean_columns(net: MixedNet, clean: EncodedTable) -> list[_CleanColumn]:
    """Describe every column by its values, and measure on left-out cells how well that works."""
    noise = Noise.uniform(net.shape, FINEST_REFERENCE, 0.0)
    posterior = collapsed(net, noise, clean.numbers, clean.codes)
    rows = np.arange(len(clean))
    columns = []
    for s, cells in enumerate(clean.numbers.T):
        column = _binned(cells)
        message = from_the_rest(posterior, noise, clean.numbers, s, rows)
        atoms, smooth = column.densities(cells, message, SCALES[3:4], cells)
        share = 0.5
        for _ in range(50):
            part = share * smooth[0]
            share = float(np.mean(part / (part + (1 - share) * atoms[0] + 1e-300)))
            share = min(max(share, 1e-3), 1 - 1e-3)
        columns.append(replace(column, smooth=share))
    return columns


def _binned(cells: FloatArray) -> _CleanColumn:
    values, counts = np.unique(cells, return_counts=True)
    if len(values) > MAX_ATOMS:
        groups = np.array_split(np.sort(cells), MAX_ATOMS)
        values, bins = np.unique([np.median(g) for g in groups], return_counts=True)
        counts = bins * len(cells) / MAX_ATOMS
    return _CleanColumn(values, counts.astype(float))


def _damaged_copies(
    clean: EncodedTable, dirty: EncodedTable, sizes: tuple[int, ...], rng: np.random.Generator
) -> Iterator[EncodedTable]:
    """The clean rows with the holes of the dirty table, noise and flips at every level."""
    shown = dirty.take(rng.integers(0, len(dirty), len(clean)))
    jitter = rng.standard_normal(clean.numbers.shape)
    chance = rng.random(clean.codes.shape)
    step = 1 + np.floor(rng.random(clean.codes.shape) * (np.array(sizes) - 1)).astype(np.int64)
    for scale, rate in zip(SCALE_LEVELS, FLIP_LEVELS):
        numbers = np.where(np.isnan(shown.numbers), np.nan, clean.numbers + scale * jitter)
        codes = np.where(chance < rate, (clean.codes + step) % np.array(sizes), clean.codes)
        yield EncodedTable(numbers, np.where(shown.codes < 0, -1, codes))


def _invert(reading: float, curve: FloatArray, levels: FloatArray) -> tuple[float, float]:
    """Level whose damage gives this reading, and how far readings follow levels up to there."""
    curve = np.maximum.accumulate(curve)
    k = int(np.clip(np.searchsorted(curve, reading), 1, len(curve) - 1))
    rise = curve[k] - curve[k - 1]
    share = min(max((reading - curve[k - 1]) / rise, 0.0), 1.0) if rise > 0 else 0.0
    level = levels[k - 1] + share * (levels[k] - levels[k - 1])
    below = max(k - 1, 1)
    return level, min(max((curve[below] - curve[0]) / levels[below], 0.0), 1.0)
