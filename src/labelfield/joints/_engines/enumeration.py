"""Everything from the list of all sets."""

import numpy as np

from labelfield import kernels
from labelfield._typing import FloatArray, LabelArray
from labelfield.joints._engines.contract import Beliefs, BestSets, Engine, Options
from labelfield.joints._field import Field
from labelfield.kernels.sets.bits import all_sets

__all__ = ["Enumeration"]


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
        places = kernels.fields.enumeration.best_places(*field.arrays, k, 0 if allow_empty else 1)
        sets = all_sets(field.graph.n_labels)[places]
        return BestSets(sets, np.full(len(field), -np.inf))

    def sample(self, field: Field, n_draws: int, rng: np.random.Generator) -> LabelArray:
        uniform = rng.random((len(field), n_draws))
        places = kernels.fields.enumeration.draw_places(*field.arrays, uniform)
        return all_sets(field.graph.n_labels)[places]
