"""Given probabilities for a few sets of each row; all other sets follow another joint."""

from typing import Any, Self

import numpy as np

from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.joints._arrays import as_count, as_numbers, as_sets
from labelfield.joints.base import Joint
from labelfield.kernels.sets.bits import pack
from labelfield.kernels.sets.logspace import largest

__all__ = ["CandidateJoint"]

NOTHING_ELSE = 1e-9  # below this base probability of all other sets together, there are none
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

    _row_arrays = ("sets", "probabilities", "other", "_scale", "_change")

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
        q = np.exp(base.log_prob(self.sets))
        outside, total = 1.0 - q.sum(axis=1), p.sum(axis=1)
        full = (outside < NOTHING_ELSE) | (total > 1.0)
        weights = np.where((total > 0.0)[:, None], p, q)
        self.probabilities = np.where(
            full[:, None], weights / weights.sum(axis=1, keepdims=True), p
        )
        self.other: FloatArray = np.where(full, 0.0, 1.0 - total)
        self._scale: FloatArray = self.other / np.where(full, 1.0, outside)
        # p(y) = scale * q(y), plus this much at each candidate
        self._change: FloatArray = self.probabilities - self._scale[:, None] * q

    @property
    def exact(self) -> bool:
        return self.base.exact

    @property
    def _n_terms(self) -> int:  # type: ignore[override]
        return self.base._n_terms + int(self.sets.shape[1])

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
        p = np.exp(self.base._log_scores(Y)) * self._scale[:, None]
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
        return self._corrected(self.base.marginals(), self.sets.astype(float))

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
        k = self._n_best(k, allow_empty)
        others, log_base = self.base.top_k(k + self.sets.shape[1], allow_empty)
        with np.errstate(divide="ignore"):
            log_other = log_base + np.log(self._scale)[:, None]
            log_own = np.log(self.probabilities)
        sets = np.concatenate([self.sets, others], axis=1)
        log_prob = np.concatenate([log_own, log_other], axis=1)
        barred = np.concatenate(
            [
                ~self.sets.any(axis=2) & (not allow_empty),
                self._match(others).any(axis=2),
            ],
            axis=1,
        )
        rank = np.where(barred, -np.inf, np.maximum(log_prob, np.finfo(float).min))
        n_left = int((~barred).sum(axis=1).min()) if len(self) else others.shape[1]
        best = largest(rank, min(k, n_left))
        chosen = np.take_along_axis(log_prob, best, axis=1)
        return np.take_along_axis(sets, best[..., None], axis=1), chosen

    def _sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        levels = self.probabilities.cumsum(axis=1)
        u = rng.random((len(self), n_draws))
        choice = (u[..., None] >= levels[:, None]).sum(axis=2)
        n_own = self.sets.shape[1]
        draws = np.take_along_axis(self.sets, np.minimum(choice, n_own - 1)[..., None], axis=1)
        open_draws = (choice == n_own) & (self.other > 0.0)[:, None]
        for _ in range(MAX_ROUNDS):
            rows = np.flatnonzero(open_draws.any(axis=1))
            if not len(rows):
                break
            fresh = self.base.take(rows).sample(n_draws, rng)
            usable = open_draws[rows] & ~self.take(rows)._match(fresh).any(axis=2)
            draws[rows] = np.where(usable[..., None], fresh, draws[rows])
            open_draws[rows] &= ~usable
        for row in np.flatnonzero(open_draws.any(axis=1)):  # too rare to be met by chance
            draws[row, open_draws[row]] = self.take(slice(row, row + 1))._best_other()
        return draws

    def _best_other(self) -> LabelArray:
        """Return the set most probable under the base joint that is no candidate: (n, L)."""
        sets, _ = self.base.top_k(self.sets.shape[1] + 1)
        first = np.argmin(self._match(sets).any(axis=2), axis=1)
        return np.asarray(sets[np.arange(len(sets)), first])
