"""KNNI: holes filled from the nearest training rows."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from lab.restorers.filling import fill_holes, mean_mode_filled, most_frequent
from lab.restorers.neighbors import MixedNeighbors
from labelfield.restore.base import TableRestorer
from labelfield.restore.tables.codec import EncodedTable, best_states

__all__ = ["MixedKNNImputer"]


class MixedKNNImputer(TableRestorer):
    """KNNI: fill each hole from the k nearest training rows, weighted by inverse distance.

    Distances run over the cells a row has: squared differences of standardised numbers, and 1 for
    every category that differs. Of equally near rows the first is taken.

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
    >>> from lab.restorers import MixedKNNImputer
    >>> clean = np.array([[0.0, 5.0], [1.0, 6.0], [9.0, 7.0]])
    >>> MixedKNNImputer(n_neighbors=1).fit(clean).transform(np.array([[8.0, np.nan]])).tolist()
    [[8.0, 7.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TableRestorer._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, *, n_neighbors=3, categorical="auto", handle_unknown="error"):
        self.n_neighbors = n_neighbors
        self.categorical = categorical
        self.handle_unknown = handle_unknown

    def _learn(self, clean):
        self.modes_ = most_frequent(clean.codes)
        complete = mean_mode_filled(clean, self.modes_)
        self._neighbors = MixedNeighbors.of(complete.numbers, complete.codes, weight=1.0)
        self._rows = self._vectors(complete)

    def _vectors(self, table):
        return np.concatenate([table.numbers, table.states(self.codec_.shape.n_states)], axis=1)

    def _clean(self, dirty):
        shape = self.codec_.shape
        guess = self._guess(dirty)
        mc = shape.n_numeric
        filled = fill_holes(dirty, guess[:, :mc], best_states(guess[:, mc:], shape))
        empty = ~dirty.observed().any(axis=1)
        plain = mean_mode_filled(dirty, self.modes_)
        return EncodedTable(
            np.where(empty[:, None], plain.numbers, filled.numbers),
            np.where(empty[:, None], plain.codes, filled.codes),
        )

    def _guess(self, dirty):
        """Weighted mean of the nearest training rows; on indicators that is a vote."""
        index, square = self._neighbors.nearest(dirty.numbers, dirty.codes, self.n_neighbors)
        weight = 1 / np.sqrt(np.maximum(square, 1e-12))
        weight /= weight.sum(axis=1, keepdims=True)
        return np.einsum("nk,nkp->np", weight, self._rows[index])
