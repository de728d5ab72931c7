"""The counts that every measure between label sets is a formula of."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from labelfield._typing import FloatArray, IntArray
from labelfield.metrics._inputs import SetPair

__all__ = ["Counts", "count", "count_pairs"]


@dataclass(frozen=True)
class Counts:
    """Labels in both sets, only predicted, only true, and known at all; arrays of one shape."""

    both: IntArray
    only_predicted: IntArray
    only_true: IntArray
    known: IntArray

    @property
    def either(self) -> IntArray:
        """Labels in at least one of the two sets."""
        return self.both + self.only_predicted + self.only_true

    @property
    def wrong(self) -> IntArray:
        """Labels in exactly one of the two sets."""
        return self.only_predicted + self.only_true

    def where_known(self, scores: FloatArray) -> FloatArray:
        """Return the scores, NaN where not one entry is known."""
        return np.where(self.known > 0, scores, np.nan)


def count(pair: SetPair, axis: int | None) -> Counts:
    """Count along `axis`: 1 for each row (n,), 0 for each label (L,), None for all entries ()."""
    n, L = pair.truth.shape
    size = {0: n, 1: L, None: n * L}[axis]
    if sparse.issparse(pair.truth):
        shared = pair.truth.multiply(pair.predicted)
    else:
        shared = pair.truth & pair.predicted
    both, predicted, true, unknown = (
        np.asarray(part.sum(axis=axis, dtype=np.int64))
        for part in (shared, pair.predicted, pair.truth, pair.unknown)
    )
    return Counts(both, predicted - both, true - both, size - unknown)


def count_pairs(pair: SetPair) -> Counts:
    """Count between every true row (n) and every predicted row (m): (n, m).

    By matrix products in float32, which is exact for up to 2^24 labels.
    """
    truth, predicted, unknown = (
        np.asarray(part.todense() if sparse.issparse(part) else part, dtype=np.float32)
        for part in (pair.truth, pair.predicted, pair.unknown)
    )
    both = (truth @ predicted.T).astype(np.int64)
    size = ((1 - unknown) @ predicted.T).astype(np.int64)
    known = (1 - unknown).sum(axis=1, keepdims=True).astype(np.int64)
    true = truth.sum(axis=1, keepdims=True).astype(np.int64)
    return Counts(both, size - both, true - both, np.broadcast_to(known, both.shape))
