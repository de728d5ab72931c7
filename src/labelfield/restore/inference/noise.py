"""How cells are damaged: additive noise on numbers, flips of states."""

from dataclasses import dataclass

import numpy as np

from labelfield._typing import FloatArray, IntArray
from labelfield.restore.shape import FieldShape

__all__ = ["Noise"]


@dataclass(frozen=True)
class Noise:
    """Distribution of an observed cell given the clean one (equations 2.6 and 2.7).

    Attributes
    ----------
    scale : ndarray of shape (mc,)
        Standard deviations, in units of the column's training standard deviation.
    transition : tuple of ndarray of shape (L_j, L_j)
        Column b holds the probabilities of the observed state when the clean state is b.

    Examples
    --------
    >>> from labelfield.restore.shape import FieldShape
    >>> from labelfield.restore import Noise
    >>> Noise.uniform(FieldShape(1, (3,)), scale=0.2, flip=0.1).transition[0].round(2).tolist()
    [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]]
    """

    scale: FloatArray
    transition: tuple[FloatArray, ...]

    @classmethod
    def uniform(cls, shape: FieldShape, scale, flip) -> "Noise":
        """Flips uniform over the other states; `scale` and `flip` are scalars or per column."""
        tables = []
        for size, rate in zip(shape.n_states, np.broadcast_to(flip, len(shape.n_states))):
            table = np.full((size, size), rate / max(size - 1, 1))
            np.fill_diagonal(table, 1.0 - rate)
            tables.append(table)
        return cls(np.broadcast_to(scale, shape.n_numeric).astype(float), tuple(tables))

    @property
    def flip_rate(self) -> FloatArray:
        """Probability (md,) that a cell shows another state, averaged over the clean states."""
        return np.array([1.0 - np.mean(np.diag(table)) for table in self.transition])

    def log_likelihood(self, codes: IntArray) -> FloatArray:
        """Log probability (n, K) of what was seen under every clean state; 0 where missing."""
        parts = [np.zeros((len(codes), 0))]
        for column, table in zip(codes.T, self.transition):
            with np.errstate(divide="ignore"):
                seen = np.log(table)[np.maximum(column, 0)]
            parts.append(np.where(column[:, None] < 0, 0.0, seen))
        return np.concatenate(parts, axis=1)
