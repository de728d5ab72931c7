"""The best label set of a field of signs, by the elimination that label fields use.

Scores are sums of weights times "terms", products of one, two or three labels written -1 and +1;
the first L terms are the labels themselves.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray, LabelArray
from labelfield.joints.factor_graph import MAX_WIDTH, FactorGraph
from labelfield.joints.factor_graph.products import bits_of_signs
from labelfield.kernels.fields.elimination_best import best_set
from labelfield.kernels.fields.graphs import EliminationPlan

__all__ = [
    "SignField",
    "Tables",
    "best_signs",
    "fill_best_signs",
    "make_tables",
    "n_different",
    "sign_field",
]


class SignField(NamedTuple):
    """How the best set is found: by elimination, with the terms rewritten for labels 0 and 1.

    Term t, a product of signs, is the sum of `factor` times the product of 0/1 labels `part`, both
    from start[t] to start[t + 1], and a constant. Parts are numbered like the terms.
    """

    plan: EliminationPlan
    start: IntArray  # (A + 1,)
    part: IntArray
    factor: FloatArray


class Tables(NamedTuple):
    """Room for one elimination."""

    weights: FloatArray  # (A, 1)
    odds: FloatArray  # (cells, 1)
    message: FloatArray  # (cells, 1)
    best: LabelArray  # (L,)


def sign_field(n_labels, terms):
    """Return how to find the best set of a field of terms, all parts of a term among them."""
    graph = FactorGraph(n_labels, terms[n_labels:])
    if graph.treewidth is None:
        raise ValueError(
            f"The graph couples its {n_labels} labels so tightly that exact inference takes tables "
            f"over more than {MAX_WIDTH} labels. Give a sparser graph, such as a tree."
        )
    parts = sp.csr_array(bits_of_signs(terms))
    return SignField(graph.elimination_plan, parts.indptr, parts.indices, parts.data)


@compiled
def make_tables(field: SignField) -> Tables:
    """Return the room that an elimination needs."""
    n_cells = field.plan.start[-1]
    return Tables(
        np.empty((len(field.start) - 1, 1)),
        np.empty((n_cells, 1)),
        np.empty((n_cells, 1)),
        np.empty(len(field.plan.label), dtype=np.uint8),
    )


@compiled
def n_different(a: FloatArray, b: FloatArray) -> int:
    """Return in how many labels two sets differ, both (L,)."""
    count = 0
    for label in range(len(a)):
        count += a[label] != b[label]
    return count


@compiled
def fill_best_signs(field: SignField, weights: FloatArray, room: Tables, signs: FloatArray) -> None:
    """Write the signs (L,) of largest score for weights (A,) of the terms."""
    n_labels = len(signs)
    room.weights[:] = 0.0
    for t in range(len(weights)):
        for p in range(field.start[t], field.start[t + 1]):
            room.weights[field.part[p], 0] += field.factor[p] * weights[t]
    unary, coupling = room.weights[:n_labels], room.weights[n_labels:]
    best_set(field.plan, unary, coupling, room.odds, room.message, room.best)
    for j in range(n_labels):
        signs[j] = 1.0 if room.best[j] else -1.0


@compiled
def best_signs(field: SignField, weights: FloatArray) -> FloatArray:
    """Return the signs (n, L) of largest score for weights (n, A) of the terms."""
    room = make_tables(field)
    signs = np.empty((len(weights), len(field.plan.label)))
    for i in range(len(weights)):
        fill_best_signs(field, weights[i], room, signs[i])
    return signs
