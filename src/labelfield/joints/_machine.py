"""Parts of restricted Boltzmann machines: lists of scored sets, and Gibbs chains."""

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

import numpy as np
from scipy.special import logit

from labelfield import kernels
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.kernels.sets.bits import all_sets

__all__ = ["GibbsChain", "Listing", "Random"]

Random: TypeAlias = Callable[[int], FloatArray]


class Listing:
    """Sets (all of them by default) and what they score in every row; shared by blocks of rows."""

    def __init__(
        self,
        coupling: FloatArray,
        hidden_bias: FloatArray,
        pair: FloatArray | None,
        sets: LabelArray | None = None,
    ) -> None:
        self._parameters = coupling, hidden_bias, pair
        self._given = sets

    @cached_property
    def sets(self) -> LabelArray:
        return all_sets(len(self._parameters[0])) if self._given is None else self._given

    @cached_property
    def shared(self) -> FloatArray:
        zeros = np.zeros((1, self.sets.shape[1]))
        return kernels.fields.rbm.score(self.sets.astype(float), zeros, *self._parameters)


class GibbsChain:
    """A chain per row, started at a draw of the labels' own terms.

    Parameters
    ----------
    means : (n, L) array
        Probabilities that the start is drawn from; 0 or 1 where a label is not `free` (n, L).
    parameters : unary (n, L), coupling, hidden_bias and pair, as the kernels take them
    random : callable
        random(k) gives random numbers (n, k), or (1, k) that all rows share.

    Attributes
    ----------
    Y : (n, L) array
        Where the chains stand.
    logits : (n, L) array
        Log-odds that their labels were drawn from.
    """

    def __init__(
        self,
        means: FloatArray,
        free: BoolArray,
        parameters: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
        random: Random,
    ) -> None:
        self.free, self.parameters, self.random = free, parameters, random
        self.Y: LabelArray = (random(means.shape[1]) < means).astype(np.uint8)
        self._fixed = (means > 0.5).astype(np.uint8)
        self.logits = np.empty(means.shape)
        self._transposed = np.ascontiguousarray(parameters[1].T)

    def restart(self, sets: LabelArray) -> None:
        """Go to other sets (n, L), but for the labels that are not free."""
        self.Y = np.where(self.free, sets, self._fixed)

    def step(self) -> None:
        """Draw the hidden units and then all free labels."""
        uniform = self.random(sum(self.parameters[1].shape))
        kernels.fields.rbm.gibbs_sweep(
            self.Y, self.free, *self.parameters, self._transposed, logit(uniform), self.logits
        )
