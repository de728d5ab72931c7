"""Label counts among the nearest training rows."""

from numbers import Real

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

__all__ = ["LabelNeighborhood"]


class LabelNeighborhood:
    """Counts, for each label, how many of the k nearest training rows carry it."""

    def __init__(self, X, Y, n_neighbors, metric, n_jobs):
        if len(Y) < 2:
            raise ValueError(f"Neighbours need at least 2 training rows; got n_samples = {len(Y)}.")
        _check_metric(metric, X)
        self.n_neighbors = min(n_neighbors, len(Y) - 1)
        self.index = NearestNeighbors(n_neighbors=self.n_neighbors, metric=metric, n_jobs=n_jobs)
        self.index.fit(X)
        self.rows = X
        self.labels = Y

    def __getstate__(self):
        # The search tree is built anew when read, so that no file brings raw memory with it.
        return {**vars(self), "index": clone(self.index)}

    def __setstate__(self, state):
        vars(self).update(state)
        self.index.fit(self.rows)

    def training_counts(self, X, count_self=False):
        """Return counts (n, L) of the training rows X, by default not their own neighbours."""
        return self._count(X if count_self else None)

    def counts(self, X):
        """Return counts (n, L) of new rows."""
        return self._count(X)

    def _count(self, X):
        if sp.issparse(X) and not sp.issparse(self.rows):  # the search tree takes arrays only
            X = X.toarray()
        neighbors = self.index.kneighbors(X, return_distance=False)
        counts = np.zeros((len(neighbors), self.labels.shape[1]), dtype=np.intp)
        for column in neighbors.T:  # n L at a time, never n k L
            counts += self.labels[column]
        return counts


def _check_metric(metric, X):
    if metric == "precomputed":
        raise ValueError("metric='precomputed' reads X as distances; give features and a metric.")
    if callable(metric) and not sp.issparse(X):
        distance = metric(X[0], X[1])
        if not isinstance(distance, Real) or not np.isfinite(distance):
            raise ValueError(
                f"metric gives {distance!r} between the first two rows of X; it must return a "
                "number that is finite."
            )
