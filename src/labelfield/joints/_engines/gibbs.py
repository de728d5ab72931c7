"""Beliefs from draws."""

from typing import ClassVar

import numpy as np

from labelfield.joints._engines.approximate import Approximate, shared_draws
from labelfield.joints._engines.contract import Beliefs, Options
from labelfield.joints._field import Field
from labelfield.joints.base import block_rows

__all__ = ["Gibbs"]


class Gibbs(Approximate):
    """Gibbs sampling: frequencies among `n_draws` draws; log Z is unknown."""

    name: ClassVar[str] = "gibbs"

    def beliefs(self, field: Field, options: Options) -> Beliefs:
        n, n_labels = field.unary.shape
        marginals, present = np.empty((n, n_labels)), np.empty((n, field.graph.n_cliques))
        for rows in block_rows(n, 2.0 * options.n_draws * n_labels):
            draws = shared_draws(field.take(rows), options)
            marginals[rows] = draws.mean(axis=1)
            for c, clique in enumerate(field.graph.cliques):
                present[rows, c] = draws[..., list(clique)].all(axis=2).mean(axis=1)
        return Beliefs(np.full(n, np.nan), marginals, present, np.ones(n, dtype=bool))
