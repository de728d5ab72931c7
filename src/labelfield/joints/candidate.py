"""Given probabilities for a few sets of each row; all other sets follow another joint."""

from typing import Any, Self

import numpy as np

from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.joints._parts.arrays import (
    as_count,
    as_known,
    as_numbers,
    as_sets,
    as_tilt,
    require_possible,
)
from labelfield.joints.base import MAX_ENUMERATED, Joint, Ranked
from labelfield.kernels.sets.bits import pack
from labelfield.kernels.sets.logspace import largest
from labelfield.rules import LabelRules

__all__ = ["CandidateJoint"]

NOTHING_ELSE = 1e-9  # below this base probability of all other sets together, there are none
OFTEN = 0.05  # base probability of other sets from which on draws of the base are tried for them
MAX_ROUNDS = 200


class CandidateJoint(Joint):
    """A joint whose k candidate sets have probabilities of their own (set confidences).

    What the candidates leave over is the probability of "some other set"; it is spread over the
    sets that are no candidates in proportion to the base joint. Where the candidates' probabilities
    sum to more than one they are scaled down to one; where the base joint leaves next to nothing
    (1e-9) to other sets they are scaled up to one.

    Parameters
    ----------
    base : Joint of n rows, normalized
    sets : (n, k, L) array
        Candidates, different within a row.
    probabilities : (n, k) array in [0, 1]

    Attributes
    ----------
    other : (n,) array
        Probability that the set is none of the candidates.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.joints import CandidateJoint, IndependentJoint
    >>> base = IndependentJoint.from_probabilities([[0.9, 0.5]])
    >>> sets, _ = base.top_k(2)
    >>> joint = CandidateJoint(base, sets, np.array([[0.2, 0.6]]))
    >>> joint.other.round(3).tolist(), joint.mode().tolist()
    ([0.2], [[1, 1]])
    """

    _row_arrays = ("sets", "probabilities", "other", "_scale", "_base_p")

    def __init__(self, base: Joint, sets: LabelArray, probabilities: Any) -> None:
        self.base = base
        self.n_labels = base.n_labels
        self.sets = np.ascontiguousarray(as_sets(sets, "sets"))
        p = as_numbers(probabilities, "probabilities").astype(float)
        if self.sets.shape != (*p.shape, self.n_labels) or len(p) != len(base) or p.ndim != 2:
            raise ValueError(
                f"sets must have shape (n, k, L) with n={len(base)}, L={self.n_labels} and "
                f"probabilities (n, k); got {self.sets.shape} and {p.shape}."
            )
        if not ((p >= 0.0) & (p <= 1.0)).all():
            raise ValueError("probabilities must lie in [0, 1] without NaN.")
        self._base_p: FloatArray = np.exp(base.log_prob(self.sets))
        q = self._base_p
        outside, total = 1.0 - q.sum(axis=1), p.sum(axis=1)
        full = (outside < NOTHING_ELSE) | (total > 1.0)
        weights = np.where((total > 0.0)[:, None], p, q)
        weights /= np.where(full, weights.sum(axis=1), 1.0)[:, None]
        self.probabilities = np.where(full[:, None], weights, p)
        self.other: FloatArray = np.where(full, 0.0, 1.0 - total)
        self._scale: FloatArray = self.other / np.where(full, 1.0, outside)

    @property
    def _change(self) -> FloatArray:
        """p(y) is scale * q(y), plus this much at each candidate: (n, k)."""
        change: FloatArray = self.probabilities - self._scale[:, None] * self._base_p
        return change

    @property
    def exact(self) -> bool:
        return self.base.exact

    @property
    def rules(self) -> LabelRules | None:
        return self.base.rules

    @property
    def _n_terms(self) -> int:  # type: ignore[override]
        return self.base._n_terms + int(self.sets.shape[1])

    @property
    def _quick_to_condition(self) -> bool:  # type: ignore[override]
        return self.base._quick_to_condition

    @property
    def _sizes_first(self) -> bool:  # type: ignore[override]
        return self.base._sizes_first

    def take(self, rows: slice | IntArray | BoolArray) -> Self:
        chosen = super().take(rows)
        chosen.base = self.base.take(rows)
        return chosen

    def certified(self, k: int = 1, allow_empty: bool = True) -> BoolArray:
        return self.base.certified(as_count(k, "k") + self.sets.shape[1], allow_empty)

    def _match(self, Y: LabelArray) -> BoolArray:
        """Return which candidates equal the sets Y (n, m, L): (n, m, k)."""
        same: BoolArray = pack(np.ascontiguousarray(Y))[:, :, None] == pack(self.sets)[:, None]
        return same

    def _log_scores(self, Y: LabelArray) -> FloatArray:
        same = self._match(Y)
        p = np.exp(self.base.log_prob(Y)) * self._scale[:, None]
        own = (same * self.probabilities[:, None]).sum(axis=2)
        with np.errstate(divide="ignore"):
            log_score: FloatArray = np.log(np.where(same.any(axis=2), own, p))
        return log_score

    def _corrected(self, of_base: FloatArray, of_sets: FloatArray) -> FloatArray:
        """Return the expectation from that of the base (n, ...) and the candidates (n, k, ...)."""
        tail = (1,) * (of_base.ndim - 1)
        change = np.einsum("nk,nk...->n...", self._change, of_sets)
        expectation: FloatArray = self._scale.reshape(-1, *tail) * of_base + change
        return np.clip(expectation, 0.0, 1.0)

    def marginals(self) -> FloatArray:
        corrected = self._corrected(self.base.marginals(), self.sets.astype(float))
        return np.clip(corrected, 0.0, 1.0)  # sums round beyond

    def pair_marginals(self) -> FloatArray:
        sets = self.sets.astype(float)
        return self._corrected(self.base.pair_marginals(), sets[..., None] * sets[..., None, :])

    def size_marginals(self, max_size: int | None = None) -> FloatArray:
        n_sizes = self._n_sizes(max_size)
        sizes = self.sets.sum(axis=2, dtype=np.intp)
        by_size = (sizes[..., None] == np.arange(1, n_sizes + 1)).astype(float)
        answer = self.base.size_marginals(n_sizes) * self._scale[:, None, None]
        answer += np.einsum("nk,nkl,nks->nls", self._change, self.sets.astype(float), by_size)
        return np.clip(answer, 0.0, 1.0)

    def size_distribution(self) -> FloatArray:
        sizes = self.sets.sum(axis=2, dtype=np.intp)
        by_size = (sizes[..., None] == np.arange(self.n_labels + 1)).astype(float)
        return self._corrected(self.base.size_distribution(), by_size)

    def top_k(self, k: int, allow_empty: bool = True) -> tuple[LabelArray, FloatArray]:
        found = self._ranked(k, allow_empty)
        return found.sets, found.log_prob

    def _ranked(self, k: int, allow_empty: bool) -> Ranked:
        k = self._n_best(k, allow_empty)
        base = self.base._ranked(k + self.sets.shape[1], allow_empty)
        with np.errstate(divide="ignore"):
            log_scale, log_own = np.log(self._scale), np.log(self.probabilities)
        sets = np.concatenate([self.sets, base.sets], axis=1)
        log_prob = np.concatenate([log_own, base.log_prob + log_scale[:, None]], axis=1)
        refused = ~self.sets.any(axis=2) & (not allow_empty)
        if self.rules is not None:
            refused |= ~self.rules.keeps(self.sets)
        barred = np.concatenate([refused, self._match(base.sets).any(axis=2)], axis=1)
        rank = np.where(barred, -np.inf, np.maximum(log_prob, np.finfo(float).min))
        n_left = (~barred).sum(axis=1)
        best = largest(rank, min(k, int(n_left.min()) if len(self) else base.sets.shape[1]))
        chosen = np.take_along_axis(log_prob, best, axis=1)
        passed_over = np.where(n_left > best.shape[1], chosen[:, -1], -np.inf)
        rest = np.maximum(passed_over, base.rest + log_scale)
        return Ranked(np.take_along_axis(sets, best[..., None], axis=1), chosen, base.proven, rest)

    def condition(self, known: FloatArray) -> Joint:
        if self.n_labels <= MAX_ENUMERATED:
            return super().condition(known)
        log_evidence = self.log_evidence(known)
        require_possible(np.isneginf(log_evidence))
        p = self.probabilities * self._agreeing(known) / np.exp(log_evidence)[:, None]
        return CandidateJoint(self.base.condition(known), self.sets, np.minimum(p, 1.0))

    def tilt(self, log_odds: FloatArray) -> Joint:
        if self.n_labels <= MAX_ENUMERATED:
            return super().tilt(log_odds)
        log_odds = as_tilt(log_odds, (len(self), self.n_labels))
        gain = (self.sets @ log_odds[..., None])[..., 0] - self.log_tilt(log_odds)[:, None]
        p = self.probabilities * np.exp(gain)
        return CandidateJoint(self.base.tilt(log_odds), self.sets, np.minimum(p, 1.0))

    def _under(self, rules: LabelRules) -> tuple[Joint, FloatArray]:
        base, log_prob = self.base._bind(rules)
        kept = rules.keeps(self.sets)
        outside = np.maximum(np.exp(log_prob) - (self._base_p * kept).sum(axis=1), 0.0)
        inside = self.probabilities * kept
        total = np.minimum(inside.sum(axis=1) + self._scale * outside, 1.0)
        p = inside / np.where(total > 0.0, total, 1.0)[:, None]
        with np.errstate(divide="ignore"):
            return CandidateJoint(base, self.sets, np.minimum(p, 1.0)), np.log(total)

    def log_evidence(self, known: FloatArray) -> FloatArray:
        agreeing = self._agreeing(known)
        inside = (self.probabilities * agreeing).sum(axis=1)
        with np.errstate(divide="ignore"):
            total: FloatArray = np.log(inside + self._scale * self._outside(known, agreeing))
        return total

    def log_tilt(self, log_odds: FloatArray) -> FloatArray:
        log_odds = as_tilt(log_odds, (len(self), self.n_labels))
        of_base = self.base.log_tilt(log_odds)
        of_sets = (self.sets @ log_odds[..., None])[..., 0]
        peak = np.maximum(of_base, of_sets.max(axis=1))
        mean = self._scale * np.exp(of_base - peak)
        mean += (self._change * np.exp(of_sets - peak[:, None])).sum(axis=1)
        log_mean: FloatArray = peak + np.log(mean)
        return log_mean

    def _agreeing(self, known: FloatArray) -> BoolArray:
        """Return which candidates do not contradict the known labels: (n, k)."""
        known = as_known(known, (len(self), self.n_labels))[:, None]
        agreeing: BoolArray = (np.isnan(known) | (known == self.sets)).all(axis=2)
        return agreeing

    def _outside(self, known: FloatArray, agreeing: BoolArray) -> FloatArray:
        """Return the base probability of all agreeing sets that are no candidates: (n,)."""
        inside = (self._base_p * agreeing).sum(axis=1)
        outside: FloatArray = np.maximum(np.exp(self.base.log_evidence(known)) - inside, 0.0)
        return outside

    def _sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        levels = self.probabilities.cumsum(axis=1)
        choice = (rng.random((len(self), n_draws, 1)) >= levels[:, None]).sum(axis=2)
        n_own = self.sets.shape[1]
        draws = np.take_along_axis(self.sets, np.minimum(choice, n_own - 1)[..., None], axis=1)
        open_draws = (choice == n_own) & (self.other > 0.0)[:, None]
        often = 1.0 - self._base_p.sum(axis=1) >= OFTEN
        for _ in range(MAX_ROUNDS):
            rows = np.flatnonzero(open_draws.any(axis=1) & often)
            if not len(rows):
                break
            fresh = self.base.take(rows).sample(n_draws, rng)
            usable = open_draws[rows] & ~self.take(rows)._match(fresh).any(axis=2)
            draws[rows] = np.where(usable[..., None], fresh, draws[rows])
            open_draws[rows] &= ~usable
        rows, draw = np.nonzero(open_draws)
        draws[rows, draw] = self.take(rows)._draw_others(rng)
        return draws

    def _draw_others(self, rng: np.random.Generator) -> LabelArray:
        """Draw one set that is no candidate per row, label by label: (n, L).

        The probability of a part of a set is what the base gives to it less its candidates.
        """
        known = np.full((len(self), self.n_labels), np.nan)
        for label in self.base.label_order:
            mass = []
            for value in (0.0, 1.0):
                known[:, label] = value
                mass.append(self._outside(known, self._agreeing(known)))
            known[:, label] = rng.random(len(self)) * (mass[0] + mass[1]) >= mass[0]
        drawn: LabelArray = known.astype(np.uint8)
        lost = np.flatnonzero(self._match(drawn[:, None]).any(axis=(1, 2)))  # by rounding only
        drawn[lost] = self.take(lost)._best_other()
        return drawn

    def _best_other(self) -> LabelArray:
        """Return the set most probable under the base joint that is no candidate: (n, L)."""
        sets, _ = self.base.top_k(self.sets.shape[1] + 1)
        first = np.argmin(self._match(sets).any(axis=2), axis=1)
        return np.asarray(sets[np.arange(len(sets)), first])
