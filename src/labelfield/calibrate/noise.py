"""Rates of annotation mistakes, and targets that make up for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelfield._gate.reading import as_numbers

__all__ = ["NoiseRates"]

WAY_OUT = (
    "Noisy hits show only the product (1 - miss) * confidence, so every smaller rate fits "
    "them as well. Give coders=... with known={coder: miss}, or clean=... for some rows."
)


@dataclass(frozen=True, eq=False)
class NoiseRates:
    """How often noisy annotations hide a hit or invent one.

    A predicted set is a hit (v = 1) if it equals the truth. With noisy annotations one sees v~
    instead. Square and logarithmic losses of the target t = (v~ - false_hit) / (1 - miss -
    false_hit) have the same mean as the losses of v, so that calibrators fitted to t state the
    probability of a true hit. In the score z of a confidence c the gradient is c - t.

    Parameters
    ----------
    miss : float or array of shape (n,)
        P(v~ = 0 | v = 1), for all rows or for each (such as the rate of its coder).
    false_hit : float or array of shape (n,), default=0.0
        P(v~ = 1 | v = 0).

    References
    ----------
    Natarajan, Dhillon, Ravikumar, Tewari (2013): Learning with noisy labels. NeurIPS.

    Examples
    --------
    >>> from labelfield import NoiseRates
    >>> NoiseRates(miss=0.5).targets([0, 1])
    array([0., 2.])
    """

    miss: Any
    false_hit: Any = 0.0

    def __post_init__(self):
        rates = [self._read_rate("miss"), self._read_rate("false_hit")]
        if all(rate.ndim for rate in rates) and len(rates[0]) != len(rates[1]):
            raise ValueError(
                f"miss has {len(rates[0])} rates and false_hit {len(rates[1])}; give as many."
            )
        highest = float(np.max(rates[0] + rates[1]))
        if highest >= 1.0:
            raise ValueError(
                "miss + false_hit must be below 1, or annotations say nothing (or the opposite); "
                f"got {highest:.6g}."
            )

    def _read_rate(self, name):
        rate = as_numbers(getattr(self, name), name, "a rate in [0, 1) or one for each row")
        if rate.ndim > 1 or not rate.size or not ((rate >= 0) & (rate < 1)).all():
            raise ValueError(f"{name} must be a rate in [0, 1) or one for each row; got {rate!r}.")
        return rate

    @property
    def uniform(self):
        """Whether all rows share the rates."""
        return np.ndim(self.miss) == np.ndim(self.false_hit) == 0

    def targets(self, v):
        """Return the targets t of noisy hits v: (n,)."""
        v = np.asarray(v, dtype=float)
        for name in ("miss", "false_hit"):
            rate = getattr(self, name)
            if np.ndim(rate) and np.shape(rate) != v.shape:
                raise ValueError(
                    f"{name} has shape {np.shape(rate)}, but there are {v.shape} hits: give one "
                    "rate, or one for each row."
                )
        return (v - self.false_hit) / (1.0 - self.miss - self.false_hit)

    def take(self, rows):
        """Return the rates of chosen rows."""
        picked = (
            np.asarray(rate)[rows] if np.ndim(rate) else rate
            for rate in (self.miss, self.false_hit)
        )
        return NoiseRates(*picked)

    @classmethod
    def estimate(cls, v, *, coders=None, known=None, clean=None):
        """Estimate the rates where the data allow it.

        Parameters
        ----------
        v : array of shape (n,) of 0 and 1
            Whether the predicted set equals the annotation.
        coders : array of shape (n,), optional
            Who annotated each row; rows must have been given to coders at random.
        known : dict, optional
            `{coder: miss}` for at least one coder. The others follow from their shares of hits,
            miss_j = 1 - (1 - miss_1) share_j / share_1, with no false hits.
        clean : array of shape (n,), optional
            True hits 0 and 1 for a part of the rows, NaN elsewhere: both rates by counting.

        Returns
        -------
        NoiseRates
            Per row with `coders`, uniform with `clean`.

        Examples
        --------
        >>> import numpy as np
        >>> from labelfield import NoiseRates
        >>> v = np.array([1, 1, 0, 1, 0, 0])
        >>> rates = NoiseRates.estimate(v, coders=list("aaabbb"), known={"a": 0.0})
        >>> rates.miss
        array([0. , 0. , 0. , 0.5, 0.5, 0.5])
        """
        v = _read_hits(v, "v", None)
        if np.isnan(v).any():
            raise ValueError("v holds NaN; drop the rows without an annotation.")
        if clean is not None:
            return cls._from_clean(v, _read_hits(clean, "clean", len(v)))
        if coders is not None and known:
            if not isinstance(known, Mapping):
                raise ValueError(f"known must be a dict of coder to miss rate; got {known!r}.")
            coders = np.asarray(coders)
            if coders.shape != v.shape:
                raise ValueError(f"coders has shape {coders.shape}, but v has {v.shape}.")
            return cls._from_coders(v, coders, known)
        raise ValueError(f"The rates cannot be found from v alone. {WAY_OUT}")

    @classmethod
    def _from_clean(cls, v, clean):
        hits, others = v[clean == 1], v[clean == 0]
        if not len(hits) or not len(others):
            raise ValueError(
                f"clean must show true hits and true failures; got {len(hits)} and {len(others)}."
            )
        return cls(float(1.0 - hits.mean()), float(others.mean()))

    @classmethod
    def _from_coders(cls, v, coders, known):
        unknown = sorted(set(known) - set(coders.tolist()))
        if unknown:
            raise ValueError(f"known names {unknown}, who annotated no row of coders.")
        shown = np.isin(coders, list(known))
        rates = np.zeros(len(v))
        for coder, rate in known.items():
            rates[coders == coder] = rate
        reachable = (1.0 - rates[shown]).sum()
        if v[shown].sum() == 0:
            raise ValueError("The coders of known rates have no hit, so nothing can be compared.")
        accuracy = v[shown].sum() / reachable
        for coder in np.unique(coders[~shown]):
            rows = coders == coder
            rates[rows] = np.clip(1.0 - v[rows].mean() / accuracy, 0.0, 0.99)
        return cls(rates)


def _read_hits(values, name, n_rows):
    """Return 0, 1 or NaN for each row, float (n,)."""
    hits = as_numbers(values, name, "0, 1 or NaN").astype(float)
    if hits.ndim != 1 or n_rows not in (None, len(hits)):
        raise ValueError(f"{name} has shape {hits.shape}; give one number for each row of v.")
    if not (np.isnan(hits) | np.isin(hits, (0.0, 1.0))).all():
        raise ValueError(f"{name} must hold 0, 1 or NaN only: whether each predicted set is right.")
    return hits
