"""A distribution on a list of sets, the same list for every row."""

from copy import copy
from typing import Any

import numpy as np

from labelfield._namespaces import chosen_columns, chosen_rows, is_tensor, to_host
from labelfield._typing import FloatArray, IntArray, LabelArray
from labelfield.joints._parts.arrays import (
    as_known,
    as_log_weights,
    as_sets,
    as_tilt,
    require_possible,
)
from labelfield.joints.base import Joint, Ranked
from labelfield.kernels.sets.bits import pack
from labelfield.kernels.sets.logspace import largest, logsumexp
from labelfield.rules import LabelRules

__all__ = ["SupportJoint", "keep_sets"]


class SupportJoint(Joint):
    """Probabilities of M listed sets per row; every other set has probability zero.

    Parameters
    ----------
    sets : (M, L) array of 0 and 1
        The sets, all different.
    log_weights : (n, M) array
        Log-probabilities of the sets, normalised per row.
    rules : LabelRules, optional
        Rules that all the sets keep, for decoders.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.joints import SupportJoint
    >>> joint = SupportJoint([[0, 0], [1, 0], [1, 1]], np.log([[0.2, 0.3, 0.5]]))
    >>> joint.marginals().round(3).tolist()
    [[0.8, 0.5]]
    >>> joint.log_prob(np.array([[0, 1]], dtype=np.uint8))
    array([-inf])
    """

    follows_device = True
    _row_arrays = ("log_weights",)
    _quick_to_condition = True
    _sizes_first = True

    def __init__(self, sets: Any, log_weights: Any, *, rules: LabelRules | None = None) -> None:
        self.sets = np.ascontiguousarray(as_sets(sets, "sets"))
        if self.sets.ndim != 2 or not self.sets.size:
            raise ValueError(f"sets must have shape (M, L), M and L >= 1, got {self.sets.shape}.")
        keys = pack(self.sets)
        self._order = np.argsort(keys)
        self._keys = keys[self._order]
        if (self._keys[1:] == self._keys[:-1]).any():
            raise ValueError(
                "sets must be all different; use Joint.restrict or merge their weights."
            )
        self.n_labels = self.sets.shape[1]
        self._sizes = self.sets.sum(axis=1, dtype=np.intp)
        self._rules = rules
        if not is_tensor(log_weights):
            log_weights = np.asarray(log_weights)
        shape = (log_weights.shape[0], len(self.sets))
        self.log_weights = as_log_weights(log_weights, shape)

    @property
    def rules(self) -> LabelRules | None:
        return self._rules

    def _under(self, rules: LabelRules) -> tuple[Joint, FloatArray]:
        kept = rules.keeps(self.sets)
        return keep_sets(self.sets[kept], self.log_weights[:, kept], rules)

    def _find(self, Y: LabelArray) -> tuple[IntArray, IntArray]:
        """Return where the sets Y (..., L) stand in the list and whether they are there at all."""
        keys = pack(Y)
        index = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return self._order[index], self._keys[index] == keys

    def _log_scores(self, Y: LabelArray) -> FloatArray:
        index, listed = map(self.place.asarray, self._find(to_host(Y)))
        xp = self.place.xp
        return xp.where(listed, xp.take_along_axis(self.log_weights, index, axis=1), -np.inf)

    def _log_scores_of(self, sets: LabelArray) -> FloatArray:
        index, listed = map(self.place.asarray, self._find(sets))
        xp = self.place.xp
        return xp.where(listed, xp.take(self.log_weights, index, axis=1), -np.inf)

    def marginals(self) -> FloatArray:
        return self.place.xp.clip(self._average(self._members()), max=1.0)  # sums round above 1

    def _members(self) -> FloatArray:
        """Return the sets as numbers where the weights are: (M, L)."""
        place = self.place
        members: FloatArray = place.xp.astype(place.asarray(self.sets), self.float_type)
        return members

    def pair_marginals(self) -> FloatArray:
        xp, sets = self.place.xp, self._members()

        def average(joint: SupportJoint) -> FloatArray:
            pairs: FloatArray = (xp.exp(joint.log_weights)[:, None, :] * sets.T) @ sets
            return pairs

        return self._by_blocks(average, (self.n_labels, self.n_labels), 16.0 * self.sets.size)

    def top_k(self, k: int, allow_empty: bool = True) -> tuple[LabelArray, FloatArray]:
        listed = np.arange(len(self.sets)) if allow_empty else np.flatnonzero(self._sizes)
        if not len(listed):
            raise ValueError("only the empty set is listed: allow_empty=False leaves nothing.")
        k = min(self._n_best(k, allow_empty), len(listed))
        xp, columns = self.place.xp, self.place.asarray(listed, "int64")
        best = self.place.empty((len(self), k), "int64")
        for rows, block in self.blocks(48.0 * len(listed)):
            chosen = largest(xp.take(block.log_weights, columns, axis=1), k)
            best[rows, ...] = xp.reshape(xp.take(columns, xp.reshape(chosen, (-1,))), chosen.shape)
        sets = self.place.asarray(self.sets[to_host(best)])
        return sets, xp.take_along_axis(self.log_weights, best, axis=1)

    def _ranked(self, k: int, allow_empty: bool) -> Ranked:
        ranked = super()._ranked(k, allow_empty)
        n_listed = len(self.sets) if allow_empty else np.count_nonzero(self._sizes)
        if ranked.sets.shape[1] < n_listed:
            return ranked
        return ranked._replace(rest=self.constant(-np.inf))

    def _sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        draws = np.empty((len(self), n_draws, self.n_labels), dtype=np.uint8)
        for row, log_weights in enumerate(self.log_weights):
            levels = np.exp(log_weights[:-1]).cumsum()
            draws[row] = self.sets[np.searchsorted(levels, rng.random(n_draws), side="right")]
        return draws

    def size_marginals(self, max_size: int | None = None) -> FloatArray:
        n_sizes = self._n_sizes(max_size)
        xp, sets = self.place.xp, self._members()
        answer: FloatArray = xp.zeros_like(self._empty((len(self), self.n_labels, n_sizes)))
        for size in range(1, min(n_sizes, self._sizes.max()) + 1):
            members = self.place.asarray(np.flatnonzero(self._sizes == size))
            weights = xp.exp(xp.take(self.log_weights, members, axis=1))
            answer[..., size - 1] = weights @ xp.take(sets, members, axis=0)
        return answer

    def size_distribution(self) -> FloatArray:
        indicator = np.eye(self.n_labels + 1)[self._sizes]
        return self._average(self.place.xp.astype(self.place.asarray(indicator), self.float_type))

    def _average(self, values: FloatArray) -> FloatArray:
        """Return the mean of values (M, m) given for each set: (n, m)."""

        def average(joint: SupportJoint) -> FloatArray:
            means: FloatArray = self.place.xp.exp(joint.log_weights) @ values
            return means

        return self._by_blocks(average, values.shape[1:], 16.0 * values.shape[0])

    def condition(self, known: FloatArray) -> "SupportJoint":
        log_weights = self._agreeing(known)
        total = logsumexp(log_weights, axis=1)
        require_possible(total == -np.inf)
        return self._reweighed(log_weights - total[:, None])

    def _reweighed(self, log_weights: FloatArray) -> "SupportJoint":
        """Return the joint of other normalised weights (n, M) for the same, checked sets."""
        other = copy(self)
        other.log_weights = log_weights
        return other

    def log_evidence(self, known: FloatArray) -> FloatArray:
        return logsumexp(self._agreeing(known), axis=1)

    def _agreeing(self, known: FloatArray) -> FloatArray:
        """Return the log-weights (n, M), -inf where a set contradicts the known labels."""
        known = as_known(known, (len(self), self.n_labels), self.place)
        xp, sets = self.place.xp, self._members().T
        labels = np.flatnonzero(~to_host(xp.all(xp.isnan(known), axis=0)))  # a few of many
        known, sets = chosen_columns(known, labels), chosen_rows(sets, labels)
        absent, present = (xp.astype(known == mark, self.float_type) for mark in (0.0, 1.0))
        conflicts = absent @ sets + present @ (1.0 - sets)
        return xp.where(conflicts > 0.0, -np.inf, self.log_weights)

    def tilt(self, log_odds: FloatArray) -> "SupportJoint":
        log_odds = as_tilt(log_odds, (len(self), self.n_labels), self.place)
        log_weights = self.log_weights - self._cost_of(log_odds)
        total = logsumexp(log_weights, axis=1)
        return self._reweighed(log_weights - total[:, None])

    def log_tilt(self, log_odds: FloatArray) -> FloatArray:
        log_odds = as_tilt(log_odds, (len(self), self.n_labels), self.place)
        log_weights = self.log_weights - self._cost_of(log_odds)
        xp = self.place.xp
        total: FloatArray = logsumexp(log_weights, axis=1)
        total += xp.sum(xp.clip(log_odds, min=0.0), axis=1)
        return total

    def _cost_of(self, log_odds: FloatArray) -> FloatArray:
        """Return sum_l max(t_l, 0) - t . y of all sets (n, M), without loss where they agree."""
        xp, sets = self.place.xp, self._members().T
        cost: FloatArray = xp.clip(-log_odds, min=0.0) @ sets
        cost += xp.clip(log_odds, min=0.0) @ (1.0 - sets)
        return cost


def keep_sets(
    sets: LabelArray, log_prob: FloatArray, rules: LabelRules
) -> tuple[Joint, FloatArray]:
    """Return the joint on sets (M, L) that keep the rules, and the log of their sum: (n,).

    log_prob is (n, M). Where the sum is zero, every set of the list is as probable as the others.
    """
    if not len(sets):
        from labelfield.joints.ising import IsingJoint

        anything = IsingJoint.given_only(np.zeros((len(log_prob), rules.n_labels)), rules)
        return anything, np.full(len(log_prob), -np.inf)
    total = logsumexp(log_prob, axis=1)
    log_prob = np.where(np.isneginf(total)[:, None], 0.0, log_prob)
    log_weights = log_prob - logsumexp(log_prob, axis=1)[:, None]
    return SupportJoint(sets, log_weights, rules=rules), np.minimum(total, 0.0)
