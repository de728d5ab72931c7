"""Exact engines: the list of all sets, and the elimination of one label after the other."""

import numpy as np

from labelfield import kernels
from labelfield._typing import FloatArray, LabelArray
from labelfield.joints._engines.contract import Beliefs, BestSets, Engine, Options
from labelfield.joints._parts.field import Field, certainty
from labelfield.kernels.fields.graphs import EliminationPlan
from labelfield.kernels.sets.bits import all_sets

__all__ = ["Enumeration", "JunctionTree"]

CELL_COST = 4.0  # a cell of a separator against a set of an enumeration


class Enumeration(Engine):
    """Lists the 2^L sets of one row after the other."""

    name = "enumeration"
    exact = True

    def cost(self, field: Field) -> float:
        return float(2.0**field.graph.n_labels)

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        answers = kernels.fields.enumeration.beliefs(*field.arrays)
        return Beliefs(*answers, np.ones(len(field), dtype=bool))

    def pair_marginals(self, field: Field, options: Options) -> FloatArray:
        pairs: FloatArray = kernels.fields.enumeration.pair_marginals(*field.arrays)
        return pairs

    def size_marginals(self, field: Field, n_sizes: int, options: Options) -> FloatArray:
        sizes: FloatArray = kernels.fields.enumeration.size_marginals(*field.arrays, n_sizes)
        return sizes

    def best_sets(self, field: Field, k: int, allow_empty: bool, options: Options) -> BestSets:
        numbers = kernels.fields.enumeration.best_numbers(*field.arrays, k, 0 if allow_empty else 1)
        sets = all_sets(field.graph.n_labels)[numbers]
        return BestSets(sets, np.full(len(field), -np.inf))

    def sample(self, field: Field, n_draws: int, rng: np.random.Generator) -> LabelArray:
        uniform = rng.random((len(field), n_draws))
        numbers = kernels.fields.enumeration.draw_numbers(*field.arrays, uniform)
        return all_sets(field.graph.n_labels)[numbers]


class JunctionTree(Engine):
    """Tables over the separators of the min-fill order; forests have separators of one label."""

    name = "junction_tree"
    exact = True

    def cost(self, field: Field) -> float:
        return CELL_COST * field.graph.n_cells

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        log_partition, marginals, present = kernels.fields.elimination.beliefs(*_arrays(field))
        marginals = marginals[:, : field.graph.n_labels]
        np.minimum(marginals, 1.0, out=marginals)
        return Beliefs(log_partition, marginals, present, np.ones(len(field), dtype=bool))

    def pair_marginals(self, field: Field, options: Options) -> FloatArray:
        n_labels = field.graph.n_labels
        plan, unary, coupling = _arrays(field)
        alone = self.beliefs(field, options).marginals
        pairs = np.empty((len(field), n_labels, n_labels))
        given = certainty(field.unary, field.coupling)
        for label in range(n_labels):
            fixed = unary.copy()
            fixed[:, label] = given
            _, marginals, _ = kernels.fields.elimination.beliefs(plan, fixed, coupling)
            pairs[:, label] = marginals[:, :n_labels] * alone[:, label, None]
        return pairs

    def size_marginals(self, field: Field, n_sizes: int, options: Options) -> FloatArray:
        sizes: FloatArray = kernels.fields.elimination_sizes.size_marginals(
            *_arrays(field), field.graph.n_labels
        )
        return np.maximum(sizes[..., :n_sizes], 0.0)

    def best_sets(self, field: Field, k: int, allow_empty: bool, options: Options) -> BestSets:
        n_labels = field.graph.n_labels
        nothing_more = np.full(len(field), -np.inf)
        if k == 1 and allow_empty:
            modes = kernels.fields.elimination_best.modes(*_arrays(field))
            return BestSets(np.ascontiguousarray(modes[:, None, :n_labels]), nothing_more)
        sets, n_found = kernels.fields.elimination_best.best_sets(
            *_arrays(field), n_labels, k, allow_empty
        )
        if n_found == 0:
            raise ValueError("only the empty set keeps the rules: allow_empty=False leaves none.")
        return BestSets(np.ascontiguousarray(sets[:, :n_found, :n_labels]), nothing_more)

    def sample(self, field: Field, n_draws: int, rng: np.random.Generator) -> LabelArray:
        plan, unary, coupling = _arrays(field)
        uniform = rng.random((len(field), n_draws, unary.shape[1]))
        draws: LabelArray = kernels.fields.elimination.draw(plan, unary, coupling, uniform)
        return np.ascontiguousarray(draws[..., : field.graph.n_labels])


def _arrays(field: Field) -> tuple[EliminationPlan, FloatArray, FloatArray]:
    """Return plan, unary and coupling; counters of rules are labels without a score."""
    n_hidden = field.graph.n_hidden
    unary = np.pad(field.unary, ((0, 0), (0, n_hidden))) if n_hidden else field.unary
    return field.graph.elimination_plan, unary, field.coupling
