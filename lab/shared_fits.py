"""Fits that several cells have in common, learned once in a process."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

import joblib

__all__ = ["FITS", "SharedFits", "shared"]

KEPT = 32  # fits; five folds and all rows of three splits, and some more


class SharedFits:
    """The fits used last, each with the CPU seconds it took when it was made.

    `saved` adds up the seconds of those that were there already: what a cell would have taken
    beside what it took.

    Parameters
    ----------
    kept : int

    Examples
    --------
    >>> from lab.shared_fits import SharedFits
    >>> fits = SharedFits(kept=1)
    >>> fits.fetch("a", list)[0] is fits.fetch("a", list)[0]
    True
    """

    def __init__(self, kept: int = KEPT):
        self.kept = kept
        self.saved = 0.0
        self._fits: OrderedDict[Hashable, tuple[Any, float]] = OrderedDict()

    def fetch(self, key: Hashable, make: Callable[[], Any]) -> tuple[Any, float]:
        """Return what `make` returns for the key, and the CPU seconds of making it."""
        if key in self._fits:
            self._fits.move_to_end(key)
            self.saved += self._fits[key][1]
            return self._fits[key]
        started = time.process_time()
        made = make()
        self._fits[key] = made, time.process_time() - started
        if len(self._fits) > self.kept:
            self._fits.popitem(last=False)
        return self._fits[key]

    def clear(self) -> None:
        """Forget all fits."""
        self._fits.clear()


FITS = SharedFits()


def shared(estimator: Any) -> Any:
    """Return an unfitted estimator that takes fits to the same rows from `FITS`.

    One of random fits without a seed is returned as it is.

    Examples
    --------
    >>> from lab.shared_fits import shared
    >>> from labelfield import BinaryRelevance
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=30, n_labels=2, random_state=0)
    >>> first, second = (shared(BinaryRelevance()).fit(data.X, data.Y) for _ in "ab")
    >>> first.coef_ is second.coef_
    True
    """
    if _repeatable(estimator):
        estimator.__class__ = _sharing(type(estimator))
    return estimator


def _repeatable(estimator: Any) -> bool:
    seeds = {
        name: value
        for name, value in estimator.get_params().items()
        if name.rpartition("__")[2] == "random_state"
    }
    return all(isinstance(seed, int) for seed in seeds.values())


@cache
def _sharing(kind: type) -> type:
    """Return a class of the same name whose fits are shared."""

    def fit(self, X, Y):
        key = kind, joblib.hash((self.get_params(), X, Y))
        fitted, _ = FITS.fetch(key, lambda: vars(kind.fit(self, X, Y)).copy())
        vars(self).update(fitted)
        return self

    return type(kind.__name__, (kind,), {"fit": fit, "__module__": kind.__module__})
