"""KNNI: holes filled from the nearest training rows."""

import numpy as np

from labelfield.restore.base import TableRestorer, fill_holes, mean_mode_filled, most_frequent
from labelfield.restore.codec import EncodedTable, best_states

__all__ = ["MixedKNNImputer"]

CHUNK_ENTRIES = 1 << 24


class MixedKNNImputer(TableRestorer):
    """KNNI: fill each hole from the k nearest training rows, weighted by inverse distance.

    Distances run over the cells a row has: squared differences of standardised numbers, and 1 for
    every category that differs.

    Parameters
    ----------
    n_neighbors : int, default 3
    categorical, handle_unknown
        See RandomMixedField.

    References
    ----------
    O. Troyanskaya et al.: Missing value estimation methods for DNA microarrays, Bioinformatics
    17(6), 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.restore import MixedKNNImputer
    >>> clean = np.array([[0.0, 5.0], [1.0, 6.0], [9.0, 7.0]])
    >>> MixedKNNImputer(n_neighbors=1).fit(clean).transform(np.array([[8.0, np.nan]])).tolist()
    [[8.0, 7.0]]
    """

    def __init__(self, *, n_neighbors=3, categorical="auto", handle_unknown="error"):
        self.n_neighbors = n_neighbors
        self.categorical = categorical
        self.handle_unknown = handle_unknown

    def _learn(self, clean):
        if self.n_neighbors < 1:
            raise ValueError(f"n_neighbors must be at least 1; got {self.n_neighbors!r}.")
        self.modes_ = most_frequent(clean.codes)
        complete = mean_mode_filled(clean, self.modes_)
        self._rows = self._vectors(complete)

    def _vectors(self, table):
        """Rows (n, p) whose squared distance is the one of the class docstring."""
        states = table.states(self.codec_.shape.n_states) * np.sqrt(0.5)
        return np.concatenate([np.nan_to_num(table.numbers), states], axis=1)

    def _clean(self, dirty):
        shape = self.codec_.shape
        seen = dirty.observed()[:, shape.node_of_entry].astype(float)
        rows = self._vectors(dirty)
        guess = np.empty_like(rows)
        size = max(1, CHUNK_ENTRIES // len(self._rows))
        for start in range(0, len(rows), size):
            chunk = slice(start, start + size)
            guess[chunk] = self._guess(rows[chunk], seen[chunk])
        mc = shape.n_numeric
        filled = fill_holes(dirty, guess[:, :mc], best_states(guess[:, mc:], shape))
        empty = ~dirty.observed().any(axis=1)
        plain = mean_mode_filled(dirty, self.modes_)
        return EncodedTable(
            np.where(empty[:, None], plain.numbers, filled.numbers),
            np.where(empty[:, None], plain.codes, filled.codes),
        )

    def _guess(self, rows, seen):
        """Weighted mean of the nearest training rows; on indicators that is a vote."""
        square = seen @ (self._rows**2).T - 2 * (rows * seen) @ self._rows.T
        square += np.einsum("np,np->n", rows * seen, rows)[:, None]
        k = min(self.n_neighbors, len(self._rows))
        nearest = np.argpartition(square, k - 1, axis=1)[:, :k]
        near = np.take_along_axis(square, nearest, axis=1)
        weight = 1 / np.sqrt(np.maximum(near, 1e-12))
        weight /= weight.sum(axis=1, keepdims=True)
        return np.einsum("nk,nkp->np", weight, self._rows[nearest])
