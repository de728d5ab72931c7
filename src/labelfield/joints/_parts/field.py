"""The arrays of a field of labels, as the engines of inference take them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelfield import kernels
from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.joints._parts.arrays import as_numbers, as_weights, without_doubt
from labelfield.joints.factor_graph import FactorGraph
from labelfield.kernels.fields.graphs import Cliques

__all__ = ["Field", "as_field_arrays", "certainty"]

BEYOND_DOUBT = 800.0  # exp(-800) is zero


@dataclass(frozen=True)
class Field:
    """n fields of L labels: sum_l unary_l y_l + sum_c coupling_c prod_(l in c) y_l.

    unary (n, L), finite; coupling (n, C), or (1, C) where all rows share it.
    """

    unary: FloatArray
    graph: FactorGraph
    coupling: FloatArray

    @property
    def arrays(self) -> tuple[FloatArray, IntArray, IntArray, FloatArray]:
        """What kernels that walk over cliques take: unary, members, offsets, coupling."""
        return self.unary, self.graph.members, self.graph.offsets, self.coupling

    @property
    def parts(self) -> tuple[FloatArray, Cliques, FloatArray]:
        """What kernels that walk from labels to cliques take: unary, graph, coupling."""
        return self.unary, self.graph.arrays, self.coupling

    def __len__(self) -> int:
        return len(self.unary)

    def take(self, rows: slice | IntArray | BoolArray) -> "Field":
        """Return the field of the chosen rows."""
        shared = len(self.coupling) == 1 and len(self) != 1
        coupling = self.coupling if shared else self.coupling[rows]
        return Field(self.unary[rows], self.graph, coupling)

    def score(self, sets: LabelArray) -> FloatArray:
        """Return the scores of sets (n, k, L): (n, k)."""
        scores: FloatArray = kernels.fields.enumeration.score_sets(*self.arrays, sets)
        return scores


def as_field_arrays(
    unary: Any, edges: Any, coupling: Any
) -> tuple[FloatArray, FactorGraph, FloatArray]:
    """Return unary (n, L), the graph, and coupling (n, C) or (1, C), or say what is wrong."""
    unary = np.ascontiguousarray(as_numbers(unary, "unary"), dtype=float)
    if unary.ndim != 2 or unary.shape[1] == 0:
        raise ValueError(f"unary must have shape (n, L) with L >= 1, got {unary.shape}.")
    if np.isnan(unary).any():
        raise ValueError("unary holds NaN; give numbers or, for certain labels, +-inf.")
    graph = FactorGraph.of_edges(unary.shape[1], edges)
    if graph.n_labels != unary.shape[1]:
        raise ValueError(
            f"edges is a graph of {graph.n_labels} labels, unary has {unary.shape[1]} columns."
        )
    coupling = as_weights(coupling, "coupling")
    shapes = [(graph.n_cliques,), (len(unary), graph.n_cliques)]
    if coupling.shape not in shapes:
        raise ValueError(
            f"coupling must have shape {shapes[0]}, the same in all rows, or {shapes[1]}, "
            f"got {coupling.shape}."
        )
    coupling = np.atleast_2d(coupling)
    return without_doubt(unary, _reach(graph, coupling)), graph, coupling


def _reach(graph: FactorGraph, coupling: FloatArray) -> FloatArray:
    """Return by how much other labels move the log-odds of each label at most: (n or 1, L)."""
    reach: FloatArray = np.abs(coupling) @ graph.membership
    return reach


def certainty(unary: FloatArray, coupling: FloatArray) -> float:
    """Return log-odds that outweigh everything finite in the field: stands for infinity."""
    size = np.abs(unary)
    finite = size.sum(axis=1)
    if np.isinf(finite).any():
        finite = np.where(np.isinf(size), 0.0, size).sum(axis=1)
    coupled = np.abs(coupling).sum(axis=1)
    reach = finite.max(initial=0.0) + coupled.max(initial=0.0)
    return float(BEYOND_DOUBT + unary.shape[1] + 2.0 * reach)
