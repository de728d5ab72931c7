"""Rows in tensors: large blocks, and sums that stay on their device."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelfield._namespaces import chosen_columns, is_tensor, namespace, place_of
from labelfield.kernels.tensors import logistic, softmax
from labelfield.learners.rows.block import Block
from labelfield.learners.rows.design import as_design
from labelfield.learners.rows.memory import columns_at_once
from labelfield.learners.rows.rows import Rows
from labelfield.optim.history import HISTORY_BYTES

__all__ = ["TensorRows", "TensorTargets"]

HOST_BYTES = 256 * 2**20  # of a block where the device does not say how much is free
WORK = 8  # arrays as large as the scores that are there while the losses are computed


@dataclass(frozen=True, eq=False)
class TensorTargets:
    """Targets (b, L) in [0, 1] of a block: a tensor in the type of the features.

    `weighted` says whether any row counts other than once.
    """

    values: Any
    weighted: bool = True

    @property
    def n_labels(self):
        return self.values.shape[1]

    def __len__(self):
        return self.values.shape[0]

    def __getitem__(self, rows):
        """Return the targets of a slice of the rows."""
        return TensorTargets(self.values[rows, :], self.weighted)

    def sums(self, weight):
        """Return the weighted sums of the labels (L,), for weights (b, 1) or (b, L)."""
        xp = namespace(weight)
        if not self.weighted:
            return xp.sum(self.values, axis=0, dtype=xp.float64)
        return xp.sum(weight * xp.astype(self.values, weight.dtype), axis=0)

    def logistic_terms(self, scores, weight, labels, groups, columns):
        """Return losses and curvatures (C,) and derivatives (b, C); see `Targets`."""
        del columns
        every = np.array_equal(labels, np.arange(self.n_labels))
        targets = self.values if every else chosen_columns(self.values, labels)
        own = None
        if self.weighted:
            own = weight if weight.shape[1] == 1 else chosen_columns(weight, groups)
            own = namespace(own).astype(own, scores.dtype, copy=False)
        return logistic.logistic_terms(scores, targets, own)

    def softmax_terms(self, scores, weight):
        """Return the loss, curvatures (K,) and derivatives (b, K)."""
        weight = namespace(weight).astype(weight, scores.dtype, copy=False)
        return softmax.softmax_terms(scores, self.values, weight)


class TensorRows(Rows):
    """Rows whose features, targets and weights are tensors on one device.

    Parameters
    ----------
    design : TensorDesign (n, d)
    targets : TensorTargets (n, L), optional
    weight : tensor (n, G) of float64, optional
    """

    def __init__(self, design, targets=None, weight=None):
        self.design, self.targets = design, targets
        self.shape, self.dtype, self.precision = design.shape, design.dtype, design.precision
        self.place = place_of(design.X)
        self.n_labels = 0 if targets is None else targets.n_labels
        if weight is None:
            weight = self.place.zeros((self.shape[0], 1), "float64") + 1.0
        self.weight, self.n_groups = weight, weight.shape[1]

    @classmethod
    def of(cls, X, Y=None, weight=None):
        """Return rows of a tensor, TensorDesign or TensorRows X; the others come to its place."""
        design = X.design if isinstance(X, TensorRows) else as_design(X)
        if isinstance(X, TensorRows) and Y is None and weight is None:
            return X
        place, xp = place_of(design.X), namespace(design.X)
        if isinstance(Y, TensorTargets):
            Y = Y.values
        if Y is not None:
            values = Y if is_tensor(Y) else place.asarray(_dense(Y))
            Y = TensorTargets(xp.astype(values, design.dtype, copy=False), weight is not None)
        if weight is not None:
            weight = place.asarray(weight[: design.shape[0], ...], "float64")
            weight = weight if weight.ndim == 2 else weight[:, None]
        return cls(design, Y, weight)

    def with_targets(self, targets, weight=None):
        """Return the same features with other targets (n, L) and weights (n, G)."""
        return TensorRows.of(self.design, targets, weight)

    def columns_at_once(self):
        return columns_at_once(self.shape[1], self.place.budget(HISTORY_BYTES))

    def each(self, function):
        for rows, block in self._blocks.items():
            yield slice(*rows), function(block)

    @cached_property
    def _blocks(self):
        work = WORK * _item_size(self.design) * max(self.n_labels, 1)
        n, size = self.shape[0], max(int(self.place.budget(HOST_BYTES) / work), 1)
        ends = [(first, min(first + size, n)) for first in range(0, n, size)]
        return {rows: self._block(slice(*rows)) for rows in ends}

    def _block(self, rows):
        targets = None if self.targets is None else self.targets[rows]
        return Block(self.design.take(rows), targets, self.weight[rows, :])


def _item_size(design):
    """Return the bytes of a number."""
    return design.xp.finfo(design.dtype).bits // 8


def _dense(Y):
    """Return targets of numpy or scipy as an array."""
    return Y.toarray() if sp.issparse(Y) else np.asarray(Y)
