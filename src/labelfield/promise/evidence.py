"""How far values speak against "the mean is at most this": exact binomial tests and bets."""

from numbers import Real

import numpy as np
from scipy.special import betainc, betaincinv

__all__ = [
    "STAKES",
    "betting_lower",
    "betting_p_value",
    "binomial_p_value",
    "check_rates",
    "clopper_pearson_lower",
    "lower_bound",
    "mean_p_value",
    "smallest_sample",
]

STAKES = np.geomspace(0.01, 0.99, 16)  # of what one has, on every row; the mean over them counts
PRECISION = 1e-4  # of the lower bound of a mean that is no share


def binomial_p_value(hits, n, accuracy):
    """Return P(at least `hits` of `n` | each with chance `accuracy`), elementwise; 1 for n = 0."""
    hits, n = np.asarray(hits, dtype=float), np.asarray(n, dtype=float)
    tail = betainc(np.maximum(hits, 1.0), n - hits + 1.0, accuracy)
    return np.where(hits > 0, tail, 1.0)


def clopper_pearson_lower(hits, n, level):
    """Return the exact lower bound of a rate after `hits` of `n`, elementwise."""
    hits, n = np.asarray(hits, dtype=float), np.asarray(n, dtype=float)
    bound = betaincinv(np.maximum(hits, 1.0), n - hits + 1.0, 1.0 - level)
    return np.where(hits > 0, bound, 0.0)


def betting_p_value(values, mean):
    """Return a p-value of "values in [0, 1] have at most this mean", in the order they came.

    Whoever stakes a share f of a capital of 1 on every value, at 1 + f (value / mean - 1), wins on
    average nothing where the hypothesis holds, so that the capital ever exceeds 1 / p with
    probability p at most. The capital here is the average over fixed `STAKES`.

    References
    ----------
    Waudby-Smith, Ramdas (2024): Estimating means of bounded random variables by betting.
    Journal of the Royal Statistical Society B 86.
    """
    if not len(values):
        return 1.0
    gains = np.log1p(STAKES * (np.asarray(values, dtype=float)[:, None] / mean - 1.0))
    capital = np.cumsum(gains, axis=0)
    highest = np.logaddexp.reduce(capital, axis=1).max() - np.log(len(STAKES))
    return float(np.exp(-max(highest, 0.0)))


def mean_p_value(values, mean):
    """Return the p-value of "at most this mean": exact for 0 and 1, by bets for others."""
    values = np.asarray(values, dtype=float)
    if np.isin(values, (0.0, 1.0)).all():
        return float(binomial_p_value(values.sum(), len(values), mean))
    return betting_p_value(values, mean)


def lower_bound(values, risk):
    """Return the largest mean that `mean_p_value` refutes at the level `risk`; 0 without any."""
    values = np.asarray(values, dtype=float)
    if np.isin(values, (0.0, 1.0)).all():
        return float(clopper_pearson_lower(values.sum(), len(values), 1.0 - risk))
    return betting_lower(values, risk)


def betting_lower(values, risk):
    """Return the largest mean that bets refute at the level `risk`, whenever one looks."""
    low, high = 0.0, 1.0
    while high - low > PRECISION:
        middle = (low + high) / 2.0
        low, high = (middle, high) if betting_p_value(values, middle) <= risk else (low, middle)
    return low


def smallest_sample(accuracy, risk):
    """Return how many rows, all right, it takes to pass the exact test of the accuracy."""
    return int(np.ceil(np.log(risk) / np.log(accuracy)))


def check_rates(**rates):
    """Refuse what is no number strictly between 0 and 1, by name."""
    for name, value in rates.items():
        if not isinstance(value, Real) or not 0.0 < value < 1.0:
            raise ValueError(f"{name} must lie strictly between 0 and 1; got {value!r}.")
