"""Pools of joints: p(y) = sum_m w_m p_m(y) over members of any kind."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from labelfield._exceptions import IntractableError
from labelfield._namespaces import Place, as_float, contiguous, namespace
from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.joints._parts.arrays import (
    as_known,
    as_numbers,
    as_tilt,
    require_possible,
)
from labelfield.joints._parts.options import check_options
from labelfield.joints._parts.places import on_host
from labelfield.joints.base import Joint, Ranked
from labelfield.kernels.sets.bits import repeated
from labelfield.kernels.sets.logspace import largest, logsumexp
from labelfield.rules import LabelRules

__all__ = ["PooledJoint"]

FIRST_LENGTH = 2
TOLERANCE = 1e-5


class PooledJoint(Joint):
    """A weighted mixture of joints of the same rows and labels.

    Marginals, sizes and everything else that is linear in p are weighted sums of the members'
    answers, and as exact as those. The best sets come from the members' lists of best sets: a set
    on no list has at most the probability sum_m w_m times that of the last set on list m, so that
    sets which reach this bound are the best. Lists are doubled until they do, up to `max_listed`;
    `certified` says for which rows the answer is proven.

    Parameters
    ----------
    joints : sequence of m Joint
        Members: the same rows and labels, all normalized.
    weights : (m,) or (n, m) array
        Not negative; they sum to 1, for all rows alike or in each of them.
    names : sequence of m str, optional
        Names of the members for explanations; by default the names of their classes.
    max_listed : int, default=1024
        Longest list of best sets that a member is asked for.

    Attributes
    ----------
    joints : list of m Joint
    log_weights : (n, m) array
    names : list of m str

    Examples
    --------
    A product of labels and a list of sets seen in training:

    >>> import numpy as np
    >>> from labelfield.joints import IndependentJoint, PooledJoint, SupportJoint
    >>> product = IndependentJoint.from_probabilities([[0.7, 0.6]])
    >>> seen = SupportJoint([[1, 0], [0, 1]], np.log([[0.9, 0.1]]))
    >>> pool = PooledJoint([product, seen], weights=[0.5, 0.5])
    >>> pool.mode(), pool.certified()
    (array([[1, 0]], dtype=uint8), array([ True]))
    >>> pool.marginals().round(2).tolist()
    [[0.8, 0.35]]
    >>> pool.member_shares([[1, 0]]).round(2).tolist()
    [[0.24, 0.76]]
    """

    _row_arrays = ("log_weights",)

    def __init__(
        self,
        joints: Sequence[Joint],
        weights: Any,
        *,
        names: Sequence[str] | None = None,
        max_listed: int = 1024,
    ) -> None:
        self.joints = list(joints)
        _check_members(self.joints)
        self.n_labels = self.joints[0].n_labels
        shape = (len(self.joints[0]), len(self.joints))
        place = self.joints[0].place
        log_weights = place.asarray(_as_log_weights(weights, shape))
        self.log_weights = place.xp.astype(log_weights, self.joints[0].float_type)
        kinds = [type(joint).__name__ for joint in self.joints]
        self.names = kinds if names is None else [str(name) for name in names]
        if len(self.names) != len(self.joints):
            raise ValueError(f"names must be {len(self.joints)} names, got {len(self.names)}.")
        check_options("PooledJoint", max_listed=max_listed)
        self.max_listed = max_listed

    @property
    def exact(self) -> bool:
        return all(joint.exact for joint in self.joints)

    @property
    def follows_device(self) -> bool:  # type: ignore[override]
        return all(joint.follows_device for joint in self.joints)

    @property
    def rules(self) -> LabelRules | None:
        first = self.joints[0].rules
        return first if all(joint.rules == first for joint in self.joints) else None

    @property
    def _n_terms(self) -> int:  # type: ignore[override]
        return sum(joint._n_terms for joint in self.joints)

    @property
    def _quick_to_condition(self) -> bool:  # type: ignore[override]
        return all(joint._quick_to_condition for joint in self.joints)

    @property
    def _sizes_first(self) -> bool:  # type: ignore[override]
        return all(joint._sizes_first for joint in self.joints)

    def take(self, rows: slice | IntArray | BoolArray) -> Self:
        chosen = super().take(rows)
        chosen.joints = [joint.take(rows) for joint in self.joints]
        return chosen

    def to(self, place: Place) -> Self:
        moved = super().to(place)
        moved.joints = [joint.to(place) for joint in self.joints]
        return moved

    def to_host(self) -> Self:
        moved = super().to_host()
        moved.joints = [joint.to_host() for joint in self.joints]
        return moved

    def _log_scores(self, Y: LabelArray) -> FloatArray:
        return self._log_mean(lambda joint: joint.log_prob(Y))

    def _log_scores_of(self, sets: LabelArray) -> FloatArray:
        return self._log_mean(
            lambda joint: joint._log_scores_of(sets) - joint.log_normalizer()[:, None]
        )

    def member_shares(self, Y: LabelArray) -> FloatArray:
        """Return which part of p(Y) each member carries, w_m p_m(Y) / p(Y): (n, L) -> (n, m).

        A set of probability zero is shared by the weights.
        """
        xp = self.place.xp
        terms = self.log_weights + self._by_member(lambda joint: joint.log_prob(Y))
        total = logsumexp(terms, axis=1)
        terms = xp.where((total == -np.inf)[:, None], self.log_weights, terms)
        shares: FloatArray = xp.exp(terms - logsumexp(terms, axis=1)[:, None])
        return shares

    def marginals(self) -> FloatArray:
        return self._mean(lambda joint: joint.marginals())

    def pair_marginals(self) -> FloatArray:
        return self._mean(lambda joint: joint.pair_marginals())

    def size_marginals(self, max_size: int | None = None) -> FloatArray:
        return self._mean(lambda joint: joint.size_marginals(max_size))

    def size_distribution(self) -> FloatArray:
        return self._mean(lambda joint: joint.size_distribution())

    def top_k(self, k: int, allow_empty: bool = True) -> tuple[LabelArray, FloatArray]:
        found = self._ranked(k, allow_empty)
        return found.sets, found.log_prob

    def certified(self, k: int = 1, allow_empty: bool = True) -> BoolArray:
        return self._ranked(k, allow_empty).proven

    @on_host
    def _ranked(self, k: int, allow_empty: bool) -> Ranked:
        k = self._n_best(k, allow_empty)
        sets = np.zeros((len(self), k, self.n_labels), dtype=np.uint8)
        log_prob, rest = np.full((len(self), k), -np.inf), np.full(len(self), -np.inf)
        proven = np.ones(len(self), dtype=bool)
        limit = self._n_best(max(k, self.max_listed), allow_empty)
        length, waiting, n_found = min(max(k, FIRST_LENGTH), limit), np.arange(len(self)), k
        while len(waiting):
            for part, block in self.take(waiting).blocks(self._list_bytes(length)):
                rows, found = waiting[part], block._best_of_lists(k, length, allow_empty)
                n_found = min(n_found, found.sets.shape[1])
                sets[rows, : found.sets.shape[1]] = found.sets
                log_prob[rows, : found.sets.shape[1]] = found.log_prob
                proven[rows], rest[rows] = found.proven, found.rest
            reached = log_prob[waiting, n_found - 1] >= rest[waiting]
            waiting = waiting[~reached] if length < limit else waiting[:0]
            length = min(2 * length, limit)
        best = log_prob[:, :n_found]
        return Ranked(sets[:, :n_found], best, proven, np.maximum(rest, best[:, -1]))

    def _best_of_lists(self, k: int, length: int, allow_empty: bool) -> Ranked:
        """Return the best sets on the members' lists, and what a set on none is worth at most."""
        lists = [joint._ranked(length, allow_empty) for joint in self.joints]
        candidates = np.concatenate([ranked.sets for ranked in lists], axis=1)
        log_prob, twice = self._log_scores(candidates), repeated(candidates)
        n_found = min(k, int((~twice).sum(axis=1).min(initial=k)))
        order = np.where(twice, -np.inf, np.maximum(log_prob, np.finfo(float).min))
        best = largest(order, n_found)
        chosen = np.take_along_axis(log_prob, best, axis=1)
        last = np.stack([ranked.rest for ranked in lists], axis=1)
        rest = logsumexp(self.log_weights + last, axis=1)
        sure = np.stack([ranked.proven for ranked in lists], axis=1) | np.isneginf(self.log_weights)
        proven = sure.all(axis=1) & (chosen[:, -1] >= rest)
        return Ranked(np.take_along_axis(candidates, best[..., None], axis=1), chosen, proven, rest)

    def _sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        draws = np.empty((len(self), n_draws, self.n_labels), dtype=np.uint8)
        levels = np.exp(self.log_weights[:, None, :-1]).cumsum(axis=2)
        member = (rng.random((len(self), n_draws, 1)) >= levels).sum(axis=2)
        for m, joint in enumerate(self.joints):
            row, draw = np.nonzero(member == m)
            rows, first, counts = np.unique(row, return_index=True, return_counts=True)
            fresh = joint.take(rows).sample(int(counts.max(initial=0)), rng)
            number = np.arange(len(row)) - np.repeat(first, counts)
            draws[row, draw] = fresh[np.repeat(np.arange(len(rows)), counts), number]
        return draws

    def condition(self, known: FloatArray) -> "PooledJoint":
        known = as_known(known, (len(self), self.n_labels), self.place)
        log_evidence = self._by_member(lambda joint: joint.log_evidence(known))
        impossible = log_evidence == -np.inf
        members = [  # what a member of no weight says does not matter
            joint.condition(self.place.xp.where(impossible[:, m, None], np.nan, known))
            for m, joint in enumerate(self.joints)
        ]
        return self._reweighed(members, log_evidence)

    def tilt(self, log_odds: FloatArray) -> "PooledJoint":
        log_odds = as_tilt(log_odds, (len(self), self.n_labels), self.place)
        log_gain = self._by_member(lambda joint: joint.log_tilt(log_odds))
        return self._reweighed([joint.tilt(log_odds) for joint in self.joints], log_gain)

    def _under(self, rules: LabelRules) -> tuple[Joint, FloatArray]:
        bound = [joint._bind(rules) for joint in self.joints]
        log_weights = self.log_weights + np.stack([log_prob for _, log_prob in bound], axis=1)
        total = logsumexp(log_weights, axis=1)
        log_weights = np.where(np.isneginf(total)[:, None], self.log_weights, log_weights)
        weights = np.exp(log_weights - logsumexp(log_weights, axis=1)[:, None])
        members = [joint for joint, _ in bound]
        pool = PooledJoint(members, weights, names=self.names, max_listed=self.max_listed)
        return pool, np.minimum(total, 0.0)

    def log_evidence(self, known: FloatArray) -> FloatArray:
        return self._log_mean(lambda joint: joint.log_evidence(known))

    def log_tilt(self, log_odds: FloatArray) -> FloatArray:
        return self._log_mean(lambda joint: joint.log_tilt(log_odds))

    def _reweighed(self, members: list[Joint], log_gain: FloatArray) -> "PooledJoint":
        """Return the pool of other members with weights w_m exp(log_gain_m), normalised."""
        log_weights = self.log_weights + log_gain
        total = logsumexp(log_weights, axis=1)
        require_possible(total == -np.inf)
        weights = self.place.xp.exp(log_weights - total[:, None])
        return PooledJoint(members, weights, names=self.names, max_listed=self.max_listed)

    def _by_member(self, ask: Callable[[Joint], FloatArray]) -> FloatArray:
        """Return an answer (n,) of every member: (n, m)."""
        answers: FloatArray = self.place.xp.stack([ask(joint) for joint in self.joints], axis=1)
        return answers

    def _mean(self, ask: Callable[[Joint], FloatArray]) -> FloatArray:
        """Return the weighted mean of the members' answers (n, ...)."""
        xp = self.place.xp
        total: FloatArray | float = 0.0
        for m, joint in enumerate(self.joints):
            answer = ask(joint)
            weight = xp.exp(self.log_weights[:, m])
            answer *= xp.reshape(weight, (-1, *(1,) * (answer.ndim - 1)))
            total = total + answer
        mean: FloatArray = xp.clip(total, max=1.0)  # sums round above 1
        return mean

    def _log_mean(self, ask: Callable[[Joint], FloatArray]) -> FloatArray:
        """Return the log of the weighted mean of exp of the members' answers (n,) or (n, k)."""
        xp = self.place.xp
        answers = xp.stack([ask(joint) for joint in self.joints], axis=-1)
        shape = (len(self), *(1,) * (answers.ndim - 2), len(self.joints))
        return logsumexp(answers + xp.reshape(self.log_weights, shape), axis=answers.ndim - 1)

    def _list_bytes(self, length: int) -> float:
        return self._working_bytes(length * len(self.joints))


def _check_members(joints: list[Joint]) -> None:
    if not joints:
        raise ValueError("joints is empty; a pool needs at least one member.")
    shapes = [(len(joint), joint.n_labels) for joint in joints]
    if len(set(shapes)) > 1:
        raise ValueError(f"joints must have the same rows and labels, got (n, L) = {shapes}.")
    for number, joint in enumerate(joints):
        if not joint.normalized:
            raise IntractableError(
                f"joints[{number}], a {type(joint).__name__}, knows probabilities of sets up to a "
                "constant only. Pool joint.restrict(support) instead."
            )


def _as_log_weights(weights: Any, shape: tuple[int, int]) -> FloatArray:
    """Return the logs (n, m) of weights (m,) or (n, m) that sum to 1."""
    array = as_float(as_numbers(weights, "weights"))
    xp = namespace(array)
    if array.shape not in (shape, shape[1:]):
        raise ValueError(f"weights must have shape {shape[1:]} or {shape}, got {array.shape}.")
    total = xp.sum(array, axis=-1)
    if not (xp.all(array >= 0.0) and xp.all(xp.abs(total - 1.0) <= TOLERANCE)):
        raise ValueError("weights must not be negative and sum to 1 (in every row).")
    with np.errstate(divide="ignore"):
        log_weights = xp.log(array / total[..., None])
    return contiguous(xp.broadcast_to(log_weights, shape))
