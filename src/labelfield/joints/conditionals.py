"""The distributions of single labels that a chain is made of."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import log_expit

from labelfield._typing import FloatArray, IntArray, LabelArray

__all__ = ["Conditionals", "LinearConditionals"]


class Conditionals(ABC):
    """What a chain asks of its model; labels are numbered by their position in the chain."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of rows n."""

    @abstractmethod
    def log_odds(self, position: int, rows: IntArray, earlier: LabelArray) -> FloatArray:
        """Return the log-odds of the label at `position` given those before it: (m,).

        rows (m,) says which of the n rows, in any order and with repeats; earlier (m, position)
        holds the labels before `position`, in chain order.
        """

    def log_ceiling(self, rows: IntArray, n_labels: int) -> FloatArray:
        """Return bounds on log p of each position's label whatever comes before: (m, L).

        Zero always holds; sharper bounds let the search for the best sets stop earlier.
        """
        return np.zeros((len(rows), n_labels))


class LinearConditionals(Conditionals):
    """Log-odds that are linear in the earlier labels: logits_ij + sum_(m < j) coupling_jm y_m.

    logits (n, L) and coupling (L, L), both in chain order.
    """

    def __init__(self, logits: FloatArray, coupling: FloatArray) -> None:
        self.logits, self.coupling = logits, coupling

    def __len__(self) -> int:
        return len(self.logits)

    def log_odds(self, position: int, rows: IntArray, earlier: LabelArray) -> FloatArray:
        coupled: FloatArray = earlier @ self.coupling[position, :position]
        coupled += self.logits[rows, position]
        return coupled

    def log_ceiling(self, rows: IntArray, n_labels: int) -> FloatArray:
        earlier = np.tril(self.coupling, -1)
        highest = self.logits[rows] + np.maximum(earlier, 0.0).sum(axis=1)
        lowest = self.logits[rows] + np.minimum(earlier, 0.0).sum(axis=1)
        ceiling: FloatArray = log_expit(np.maximum(np.abs(highest), np.abs(lowest)))
        return ceiling
