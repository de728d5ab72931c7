"""Widths of the nodes of a mixed field, and its parameters as one flat vector."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from labelfield._typing import BoolArray, FloatArray, IntArray

__all__ = ["FieldShape", "FieldWeights"]


class FieldWeights(NamedTuple):
    """Views of one flat parameter vector: precision (mc,), bias (p,), coupling (p, p)."""

    precision: FloatArray
    bias: FloatArray
    coupling: FloatArray


@dataclass(frozen=True)
class FieldShape:
    """Widths of the nodes of a mixed field: `n_numeric` ones, then the states of each category.

    `apart` are pairs of nodes between which there is no coupling.
    """

    n_numeric: int
    n_states: tuple[int, ...]
    apart: tuple[tuple[int, int], ...] = ()

    @cached_property
    def width(self) -> int:
        """Entries p of an encoded row."""
        return self.n_numeric + sum(self.n_states)

    @cached_property
    def starts(self) -> IntArray:
        """First entry of every node, (mc + md,)."""
        widths = [1] * self.n_numeric + list(self.n_states)
        return np.cumsum([0, *widths[:-1]], dtype=np.int64)[: len(widths)]

    @cached_property
    def state_starts(self) -> IntArray:
        """First one-hot entry of every categorical node, counted from the first state, (md,)."""
        return self.starts[self.n_numeric :] - self.n_numeric

    @cached_property
    def node_of_entry(self) -> IntArray:
        """Node that each of the p entries belongs to."""
        widths = [1] * self.n_numeric + list(self.n_states)
        return np.repeat(np.arange(len(widths)), widths)

    @cached_property
    def uncoupled(self) -> BoolArray:
        """Mask (p, p) of the blocks that carry no coupling: those of one node, and `apart`."""
        node = self.node_of_entry
        mask = np.asarray(node[:, None] == node[None, :])
        for first, second in self.apart:
            block = np.outer(node == first, node == second)
            mask |= block | block.T
        return mask

    @cached_property
    def between_states(self) -> BoolArray:
        """Mask (K, K) of the pairs of states that belong to different categories."""
        node = self.node_of_entry[self.n_numeric :]
        return np.asarray(node[:, None] != node[None, :])

    def split(self, theta: FloatArray) -> FieldWeights:
        """Name the parts of a flat parameter vector; the result shares its memory."""
        mc, p = self.n_numeric, self.width
        return FieldWeights(theta[:mc], theta[mc : mc + p], theta[mc + p :].reshape(p, p))

    def block_norms(self, coupling: FloatArray) -> FloatArray:
        """Frobenius norm of every block of the coupling matrix, (mc + md, mc + md)."""
        starts = self.starts
        rows = np.add.reduceat(coupling**2, starts, axis=0)
        return np.asarray(np.sqrt(np.add.reduceat(rows, starts, axis=1)))
