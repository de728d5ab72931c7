"""Parts of restricted Boltzmann machines: their shapes, lists of scored sets, Gibbs chains."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from scipy.special import logit

from labelfield import kernels
from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.joints._parts.arrays import as_numbers, without_doubt
from labelfield.kernels.sets.bits import all_sets

__all__ = ["GibbsChain", "Listing", "Random", "as_machine", "pick"]

Random: TypeAlias = Callable[[int], FloatArray]


def as_machine(
    unary: Any, coupling: FloatArray, hidden_bias: FloatArray, pair: FloatArray | None
) -> FloatArray:
    """Return the labels' own log-odds (n, L), infinite beyond doubt; check that all shapes fit."""
    unary = np.ascontiguousarray(as_numbers(unary, "unary"), dtype=float)
    if unary.ndim != 2 or unary.shape[1] == 0 or np.isnan(unary).any():
        raise ValueError(f"unary must have shape (n, L) with L >= 1 and no NaN, got {unary.shape}.")
    n_labels, n_hidden = unary.shape[1], len(hidden_bias)
    if coupling.shape != (n_labels, n_hidden) or hidden_bias.ndim != 1:
        raise ValueError(
            f"coupling must have shape (L, J) = ({n_labels}, {n_hidden}), got {coupling.shape}."
        )
    reach: FloatArray = np.abs(coupling).sum(axis=1)
    if pair is not None:
        if pair.shape != (n_labels, n_labels) or not np.allclose(pair, pair.T):
            raise ValueError(
                f"pair must be symmetric of shape ({n_labels}, {n_labels}), got {pair.shape}."
            )
        reach += 2.0 * np.abs(pair).sum(axis=1)
    return without_doubt(unary, reach)


def pick(log_scores: FloatArray, uniform: FloatArray) -> IntArray:
    """Choose by scores (n, M), one number of `uniform` (n or 1, m) a choice: (n, m)."""
    n_draws = uniform.shape[1]
    levels = (np.arange(n_draws) + uniform) / n_draws  # evenly spread
    picks = np.empty((len(log_scores), n_draws), dtype=np.intp)
    for row, scores in enumerate(log_scores):
        mass = np.exp(scores - scores.max()).cumsum()
        picks[row] = np.searchsorted(mass[:-1] / mass[-1], levels[row % len(levels)], "right")
    return picks


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
