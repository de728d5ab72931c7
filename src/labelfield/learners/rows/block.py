"""A block of rows: features, sparse targets, weights."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from labelfield import kernels
from labelfield.learners.rows.design import Design

__all__ = ["Block", "Targets"]


@dataclass(frozen=True, eq=False)
class Targets:
    """Targets (b, L) in [0, 1] of a block: the entries that are not zero, row by row.

    Attributes
    ----------
    starts : int array (b + 1,)
    labels : int32 array
    values : uint8 array, or float64 where targets are soft
    n_labels : int
    """

    starts: np.ndarray
    labels: np.ndarray
    values: np.ndarray
    n_labels: int

    @classmethod
    def of(cls, Y):
        """Return the targets of an array or sparse matrix (b, L); bool and integers are 0 or 1."""
        if sp.issparse(Y):
            Y = Y.tocsr()
            starts, labels, values = Y.indptr, Y.indices, Y.data
        else:
            rows, labels = np.nonzero(Y)
            starts, values = (
                np.searchsorted(rows, np.arange(len(Y) + 1)),
                np.asarray(Y)[rows, labels],
            )
        hard = values.dtype.kind in "biu" or bool((values == 1).all())
        values = np.ones(len(labels), np.uint8) if hard else values.astype(np.float64)
        return cls(starts.astype(np.int64), labels.astype(np.int32), values, Y.shape[1])

    def __len__(self):
        return len(self.starts) - 1

    def __getitem__(self, rows):
        """Return the targets of a slice of the rows."""
        first, last, _ = rows.indices(len(self))
        starts = self.starts[first : last + 1]
        inside = slice(starts[0], starts[-1])
        return Targets(starts - starts[0], self.labels[inside], self.values[inside], self.n_labels)

    def take(self, rows):
        """Return the targets of some rows, given by their numbers."""
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        inside = np.repeat(self.starts[rows] - starts[:-1], lengths) + np.arange(starts[-1])
        return Targets(starts, self.labels[inside], self.values[inside], self.n_labels)

    def dense(self):
        """Return the targets as an array (b, L)."""
        values = np.zeros((len(self), self.n_labels), dtype=self.values.dtype)
        values[self.rows, self.labels] = self.values
        return values

    @property
    def rows(self):
        """The row of every entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def sums(self, weight):
        """Return the weighted sums of the labels (L,), for weights (b, 1) or (b, L)."""
        given = weight[self.rows, 0 if weight.shape[1] == 1 else self.labels]
        return np.bincount(self.labels, given * self.values, self.n_labels)

    def logistic_terms(self, scores, weight, labels, groups, columns):
        """Return losses and curvatures (C,) and derivatives, which take the place of the scores.

        Parameters
        ----------
        scores : array (b, C)
        weight : array (b, G)
        labels, groups : arrays (C,)
            The label of every column, and the column of `weight` that counts for it.
        columns : from `columns_of_labels`
        """
        value, curvature = kernels.losses.logistic.logistic_terms(
            scores, weight, groups, self.starts, self.labels, self.values, *columns
        )
        return value, curvature, scores

    def softmax_terms(self, scores, weight):
        """Return the loss, curvatures (K,) and derivatives, which take the place of the scores.

        scores (b, K); weight (b,).
        """
        value, curvature = kernels.losses.softmax.softmax_terms(
            scores, weight, self.starts, self.labels, self.values
        )
        return value, curvature, scores


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows: a design (b, d), Targets (b, L) or None, weights (b, G) float64."""

    design: Design
    targets: Targets | None
    weight: np.ndarray
