"""Rows in tensors: large blocks, and sums that stay on their device."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelfield._namespaces import chosen_columns, is_tensor, namespace, place_of
from labelfield.kernels.tensors import logistic, softmax
from labelfield.learners.design import as_design
from labelfield.learners.rows.block import Block
from labelfield.learners.rows.rows import Rows
from labelfield.optim.executors import add_in_order

__all__ = ["TensorRows", "TensorTargets"]

HOST_BYTES = 256 * 2**20  # of a block where the device does not say how much is free
WORK = 64  # bytes that one score takes while its loss is computed


@dataclass(frozen=True, eq=False)
class TensorTargets:
    """Targets (b, L) in [0, 1] of a block: a tensor of bytes or floats."""

    values: Any

    @property
    def n_labels(self):
        return self.values.shape[1]

    def __len__(self):
        return self.values.shape[0]

    def __getitem__(self, rows):
        """Return the targets of a slice of the rows."""
        return TensorTargets(self.values[rows, :])

    def sums(self, weight):
        """Return the weighted sums of the labels (L,), for weights (b, 1) or (b, L)."""
        xp = namespace(weight)
        return xp.sum(weight * xp.astype(self.values, weight.dtype), axis=0)

    def logistic_terms(self, scores, weight, labels, groups, columns):
        """Return losses and curvatures (C,) and derivatives (b, C); see `Targets`."""
        del columns
        own = weight if weight.shape[1] == 1 else chosen_columns(weight, groups)
        every = np.array_equal(labels, np.arange(self.n_labels))
        values = self.values if every else chosen_columns(self.values, labels)
        targets = namespace(scores).astype(values, scores.dtype)
        return logistic.logistic_terms(scores, targets, own)

    def softmax_terms(self, scores, weight):
        """Return the loss, curvatures (K,) and derivatives (b, K)."""
        targets = namespace(scores).astype(self.values, scores.dtype)
        return softmax.softmax_terms(scores, targets, weight)


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
        ones = self.place.xp.ones_like
        self.weight = ones(self.place.zeros((self.shape[0], 1), "float64"))
        if weight is not None:
            self.weight = weight
        self.n_groups = self.weight.shape[1]
        self._blocks = None

    @classmethod
    def of(cls, X, Y=None, weight=None):
        """Return rows of a tensor or TensorDesign X; Y and weights come to its place."""
        design = as_design(X)
        place = place_of(design.X)
        if weight is not None:
            weight = place.asarray(weight[: design.shape[0]], "float64")
            weight = weight if weight.ndim == 2 else weight[:, None]
        if Y is not None and not isinstance(Y, TensorTargets):
            Y = TensorTargets(Y if is_tensor(Y) else place.asarray(Y))
        return cls(design, Y, weight)

    def with_targets(self, targets, weight=None):
        """Return the same features with other targets (n, L) and weights (n, G)."""
        return TensorRows.of(self.design, targets, weight)

    def sum(self, function):
        return add_in_order(map(function, self.blocks()))

    def blocks(self):
        """Return the blocks."""
        if self._blocks is None:
            size = self.place.budget(HOST_BYTES) / (WORK * max(self.n_labels, 1))
            n, size = self.shape[0], max(int(size), 1)
            self._blocks = [self._block(slice(i, min(i + size, n))) for i in range(0, n, size)]
        return self._blocks

    def _block(self, rows):
        targets = None if self.targets is None else self.targets[rows]
        return Block(self.design.take(rows), targets, self.weight[rows, :])
