"""Exact engines: the list of all sets, and the elimination of one label after the other."""

import numpy as np

from labelfield import kernels
from labelfield._typing import FloatArray, LabelArray
from labelfield.joints._engines.contract import Beliefs, BestSets, Engine, Options
from labelfield.joints._parts.field import Field, certainty
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
        plan = field.graph.elimination_plan
        answers = kernels.fields.elimination.beliefs(plan, field.unary, field.coupling)
        return Beliefs(*answers, np.ones(len(field), dtype=bool))

    def pair_marginals(self, field: Field, options: Options) -> FloatArray:
        n_labels = field.graph.n_labels
        plan = field.graph.elimination_plan
        alone = self.beliefs(field, options).marginals
        pairs = np.empty((len(field), n_labels, n_labels))
        given = certainty(field.unary, field.coupling)
        for label in range(n_labels):
            unary = field.unary.copy()
            unary[:, label] = given
            _, marginals, _ = kernels.fields.elimination.beliefs(plan, unary, field.coupling)
            pairs[:, label] = marginals * alone[:, label, None]
        return pairs

    def size_marginals(self, field: Field, n_sizes: int, options: Options) -> FloatArray:
        arrays = field.graph.elimination_plan, field.unary, field.coupling
        sizes: FloatArray = kernels.fields.elimination_sizes.size_marginals(*arrays)
        return np.maximum(sizes[..., :n_sizes], 0.0)

    def best_sets(self, field: Field, k: int, allow_empty: bool, options: Options) -> BestSets:
        plan = field.graph.elimination_plan
        sets = kernels.fields.elimination.best_sets(
            plan, field.unary, field.coupling, k, allow_empty
        )
        return BestSets(sets, np.full(len(field), -np.inf))

    def sample(self, field: Field, n_draws: int, rng: np.random.Generator) -> LabelArray:
        uniform = rng.random((len(field), n_draws, field.graph.n_labels))
        plan = field.graph.elimination_plan
        draws: LabelArray = kernels.fields.elimination.draw(
            plan, field.unary, field.coupling, uniform
        )
        return draws
