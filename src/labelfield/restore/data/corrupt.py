"""Noise, flips and holes in mixed tables, with a seed; the input is never changed."""

from numbers import Real

import numpy as np
from scipy.stats import rankdata
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from labelfield._gate.validation import as_generator
from labelfield.restore.data.mixed_table import MixedTable

__all__ = ["corrupt_table"]


@validate_params(
    {
        "table": [MixedTable],
        "noise": [Interval(Real, 0, None, closed="left")],
        "flip": [Interval(Real, 0, 1, closed="both"), None],
        "missing": [Interval(Real, 0, 1, closed="both")],
        "mechanism": [StrOptions({"mcar", "mar", "mnar"})],
        "scale": ["array-like", None],
        "random_state": ["random_state", np.random.Generator],
    },
    prefer_skip_nested_validation=True,
)
def corrupt_table(
    table, *, noise=0.0, flip=None, missing=0.0, mechanism="mcar", scale=None, random_state=None
):
    """Add noise to the numbers, flip states, then remove cells.

    Parameters
    ----------
    table : MixedTable
        The clean table, mc continuous and md categorical columns.
    noise : float, default 0
        tau: continuous cells get normal noise of standard deviation tau * scale.
    flip : float in [0, 1] or None, default None
        Probability that a state becomes another one, uniformly chosen; None means `noise`.
    missing : float in [0, 1], default 0
        rho: share of cells removed.
    mechanism : {"mcar", "mar", "mnar"}, default "mcar"
        "mcar": exactly round(rho * (mc + md)) cells of every row, chosen uniformly.
        "mar": one column, chosen at random, stays complete; the other cells of a row go more
        often the higher its value ranks there. "mnar": a cell goes more often the higher its
        own value ranks in its column. Both remove rho of the cells on average,
        and rank by the values before noise.
    scale : array of shape (mc,) or None, default None
        Standard deviations of the clean training columns; None takes those of `table`.
    random_state : int, Generator, RandomState or None
        Source of randomness.

    Returns
    -------
    MixedTable

    Examples
    --------
    >>> from labelfield.restore import corrupt_table, make_mixed_net
    >>> table = make_mixed_net(20, n_sweeps=5, random_state=0)
    >>> corrupt_table(table, noise=0.2, missing=0.4, random_state=0)
    MixedTable('mixed_net', n=20, 15 continuous, 10 categorical, 200 missing)
    """
    flip = noise if flip is None else flip
    if flip > 1:
        raise ValueError(
            f"flip defaults to noise, and {noise!r} is no probability; give flip apart."
        )
    rng = as_generator(random_state)
    if scale is None:
        scale = np.nanstd(table.continuous, axis=0)
    draws = rng.standard_normal(table.continuous.shape)
    continuous = table.continuous + noise * np.asarray(scale) * draws
    categorical = _flipped(table, flip, rng)
    gone = _removed(table, missing, mechanism, rng)
    mc = continuous.shape[1]
    continuous[gone[:, :mc]] = np.nan
    categorical[gone[:, mc:]] = -1
    return table.with_cells(continuous, categorical)


def _flipped(table: MixedTable, rate, rng):
    """A copy of the states, each moved to another one with probability rate."""
    codes = table.categorical.copy()
    sizes = np.array([len(states) for states in table.categories], dtype=int)
    step = 1 + np.floor(rng.random(codes.shape) * (sizes - 1)).astype(codes.dtype)
    chosen = (rng.random(codes.shape) < rate) & (codes >= 0) & (sizes > 1)
    return np.where(chosen, (codes + step) % np.maximum(sizes, 1), codes)


def _removed(table: MixedTable, share, mechanism, rng):
    """Which cells to remove, (n, mc + md)."""
    values = np.hstack(
        [table.continuous, np.where(table.categorical < 0, np.nan, table.categorical)]
    )
    n, m = values.shape
    if mechanism == "mcar":
        order = rng.random((n, m)).argsort(axis=1)
        return order.argsort(axis=1) < round(share * m)
    if mechanism == "mar":
        driver = rng.integers(m)
        others = np.arange(m) != driver
        if share * m > m - 1:
            raise ValueError(
                f"mechanism='mar' keeps one of {m} columns whole, so missing can be at most "
                f"{(m - 1) / m:.3f}; got {share!r}."
            )
        chance = _chance(_heights(values[:, [driver]]), share * m / max(m - 1, 1))
        return others & (rng.random((n, m)) < chance)
    return rng.random((n, m)) < _chance(_heights(values), share)


def _heights(values):
    """Rank of each value in its column as a number in (0, 1) of mean 1/2; unknown: 1/2."""
    ranks = rankdata(values, axis=0, nan_policy="omit")
    known = (~np.isnan(values)).sum(axis=0)
    return np.where(np.isnan(values), 0.5, (ranks - 0.5) / np.maximum(known, 1))


def _chance(height, share):
    """Probability that grows linearly with the height and has the share as its mean."""
    if share <= 0.5:
        return 2 * share * height
    return 1 - 2 * (1 - share) * (1 - height)
