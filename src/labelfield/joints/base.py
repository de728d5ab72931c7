"""The contract of every joint distribution over label sets."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

import numpy as np
from sklearn import get_config  # type: ignore[attr-defined]

from labelfield._exceptions import IntractableError
from labelfield._gate.validation import as_generator
from labelfield._namespaces import (
    HOST,
    Place,
    row_numbers,
)
from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.joints._parts.arrays import as_count, as_sets
from labelfield.joints._parts.places import Placed, on_host
from labelfield.joints._parts.rules import check_rules, require_size, where_impossible
from labelfield.joints._parts.shown import ShownJoint
from labelfield.joints._parts.sizes import best_of_size, fits, largest_size, sizes_of
from labelfield.kernels.sets.bits import all_sets, unique_sets
from labelfield.kernels.sets.logspace import clipped_logit, logsumexp
from labelfield.rules import LabelRules

if TYPE_CHECKING:
    from labelfield.joints.support import SupportJoint

__all__ = ["MAX_ENUMERATED", "Joint", "Ranked", "block_rows"]

Seed: TypeAlias = np.random.Generator | np.random.RandomState | int | None
BLOCK_BYTES = 64 * 2**20
MAX_ENUMERATED = 12
MAX_SEARCHED = 4096


def block_rows(n_rows: int, bytes_per_row: float, place: Place = HOST) -> Iterator[slice]:
    """Cut `n_rows` into slices for `BLOCK_BYTES`, `working_memory`, or what a device has free."""
    allowed = min(BLOCK_BYTES, int(2**20 * get_config()["working_memory"]))
    step = max(1, int(place.budget(allowed) / max(bytes_per_row, 1.0)))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


class Ranked(NamedTuple):
    """The best sets of each row as far as a search found them."""

    sets: LabelArray  # (n, k, L), best first
    log_prob: FloatArray  # (n, k)
    proven: BoolArray  # (n,) whether they are proven to be the best
    rest: FloatArray  # (n,) no other set has a larger log-probability, where they are


class Joint(Placed, ShownJoint, ABC):
    """A batch of n distributions over {0, 1}^L, one per row; immutable.

    Sets are rows of 0/1 arrays of dtype uint8. A subclass says in `exact` whether its numbers
    are exact and in `normalized` whether `log_prob` is available.
    """

    n_labels: int
    _n_terms = 1  # independent parts per row, for estimates of working memory
    _max_listed = MAX_ENUMERATED  # labels up to which all sets are listed where nothing else helps
    _quick_to_condition = False  # whether `condition` takes milliseconds at a thousand labels
    _sizes_first = False  # whether `size_distribution` costs far less than `size_marginals`

    @property
    def exact(self) -> bool:
        """Whether marginals, modes and best sets are exact rather than approximations."""
        return True

    @property
    def normalized(self) -> bool:
        """Whether probabilities (not only scores) of sets are known."""
        return True

    @property
    def label_order(self) -> IntArray:
        """Order of labels in which `log_evidence` of the first few is cheap and sure: (L,)."""
        return np.arange(self.n_labels)

    @property
    def rules(self) -> LabelRules | None:
        """The rules that all sets of probability keep, where `given_rules` set some."""
        return None

    @abstractmethod
    def _log_scores(self, Y: LabelArray) -> FloatArray:
        """Return the log-scores of k sets per row: (n, k, L) -> (n, k)."""

    @abstractmethod
    def marginals(self) -> FloatArray:
        """Return P(y_l = 1): (n, L)."""

    @abstractmethod
    def pair_marginals(self) -> FloatArray:
        """Return P(y_l = 1, y_m = 1): (n, L, L), marginals on the diagonal.

        The answer itself takes n L^2 numbers: call it on `take` of a block of rows.
        """

    @abstractmethod
    def top_k(self, k: int, allow_empty: bool = True) -> tuple[LabelArray, FloatArray]:
        """Return the k most probable sets (n, k, L) and their log-scores (n, k), best first.

        With fewer than k sets in all, k is the number of sets. Ties are broken in a fixed order.
        With `allow_empty` false the empty set is passed over.
        """

    @abstractmethod
    def size_marginals(self, max_size: int | None = None) -> FloatArray:
        """Return P(y_l = 1, |y| = s) at [i, l, s - 1] for s = 1..max_size: (n, L, max_size)."""

    @abstractmethod
    def _sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        """Draw sets: (n, n_draws, L)."""

    @on_host
    def sample(self, n_draws: int, rng: Seed = None) -> LabelArray:
        """Draw sets: (n, n_draws, L).

        rng is a Generator, a RandomState, a seed, or None for draws that differ every time.
        """
        return self._sample(as_count(n_draws, "n_draws", 0), as_generator(rng))

    def log_score(self, Y: LabelArray) -> FloatArray:
        """Return log p(Y) up to a constant per row: (n, L) -> (n,), (n, k, L) -> (n, k)."""
        Y = as_sets(Y, "Y", self.place)
        if Y.ndim not in (2, 3) or (Y.shape[0], Y.shape[-1]) != (len(self), self.n_labels):
            raise ValueError(
                f"Y must have shape ({len(self)}, {self.n_labels}) or "
                f"({len(self)}, k, {self.n_labels}), got {Y.shape}."
            )
        sets = Y if Y.ndim == 3 else Y[:, None, :]
        scores = self._empty(sets.shape[:2])
        for rows, block in self.blocks(self._working_bytes(sets.shape[1])):
            scores[rows, ...] = block._log_scores(sets[rows, ...])
        return scores if Y.ndim == 3 else scores[:, 0]

    def log_scores_of(self, sets: LabelArray) -> FloatArray:
        """Return `log_score` of the same sets (M, L) in every row: (n, M)."""
        return self._log_scores_of(self._as_list(sets, "sets"))

    def log_normalizer(self) -> FloatArray:
        """Return by how much `log_score` exceeds `log_prob`: (n,)."""
        return self.constant(0.0)

    def log_prob(self, Y: LabelArray) -> FloatArray:
        """Return log p(Y): (n, L) -> (n,), (n, k, L) -> (n, k)."""
        log_normalizer = self.log_normalizer()
        log_score = self.log_score(Y)
        return log_score - (log_normalizer if log_score.ndim == 1 else log_normalizer[:, None])

    def mode(self, allow_empty: bool = True) -> LabelArray:
        """Return the most probable set of each row: (n, L)."""
        return self.top_k(1, allow_empty)[0][:, 0, :]

    @on_host
    def sized_mode(self, min_size: int, max_size: int) -> LabelArray:
        """Return the most probable set with between `min_size` and `max_size` labels: (n, L).

        Looks for the first such set among the best ones. Where none of `MAX_SEARCHED` fits, the
        answer is the best set of that size by the marginals, and a warning says for how many rows.
        """
        min_size, max_size = as_count(min_size, "min_size", 0), as_count(max_size, "max_size", 0)
        if self.rules is not None:
            require_size(self.rules, min_size, max_size)
        best = self.mode(allow_empty=min_size == 0)
        k, open_rows = 16, np.flatnonzero(~fits(best, min_size, max_size))
        while len(open_rows) and k <= MAX_SEARCHED:
            still_open = []
            for rows in block_rows(len(open_rows), 8.0 * k * self.n_labels):
                chosen = open_rows[rows]
                sets, log_score = self.take(chosen).top_k(k, min_size == 0)
                fitting = fits(sets, min_size, max_size) & ~np.isneginf(log_score)
                best[chosen] = sets[np.arange(len(chosen)), fitting.argmax(axis=1)]
                still_open.append(chosen[~fitting.any(axis=1)])
            open_rows, k = np.concatenate(still_open), 4 * k
        if len(open_rows):
            warnings.warn(
                f"In {len(open_rows)} rows none of the {MAX_SEARCHED} most probable sets has "
                f"between {min_size} and {max_size} labels; they get the most probable "
                + ("labels of a fitting number" if self.rules is None else "set of any size")
                + ". List allowed_sets for an exact answer.",
                RuntimeWarning,
                stacklevel=2,
            )
            if self.rules is None:
                gains = clipped_logit(self.take(open_rows).marginals())
                best[open_rows] = best_of_size(gains, min_size, max_size)
        return best

    def certified(self, k: int = 1, allow_empty: bool = True) -> BoolArray:
        """Return for which rows the sets of `top_k` are proven to be the best: (n,)."""
        self._n_best(k, allow_empty)
        return self.constant(self.exact, "bool")

    def size_distribution(self) -> FloatArray:
        """Return P(|y| = s) for s = 0..L: (n, L + 1)."""
        return self._by_blocks(
            lambda joint: sizes_of(joint.size_marginals()),
            (self.n_labels + 1,),
            16.0 * self.n_labels**2,
        )

    def size_table(self, negligible: float = 0.0) -> tuple[FloatArray, FloatArray]:
        """Return `size_marginals` up to the largest size that matters, and P(|y| = 0).

        Parameters
        ----------
        negligible : float, default=0.0
            Larger sizes have no more probability than this in any row.

        Returns
        -------
        by_size : (n, L, S) array
            P(y_l = 1, |y| = s) at [i, l, s - 1], S >= 1.
        empty : (n,) array
        """
        if self._sizes_first:
            sizes = self.size_distribution()
            return self.size_marginals(largest_size(sizes, negligible)), sizes[:, 0]
        by_size = self.size_marginals()
        sizes = sizes_of(by_size)
        return by_size[..., : largest_size(sizes, negligible)], sizes[:, 0]

    def restrict(self, support: LabelArray) -> "SupportJoint":
        """Return the distribution given that the set is a listed one (M, L), sets sorted."""
        from labelfield.joints.support import SupportJoint

        support = unique_sets(self._as_list(support, "support"))
        if self.rules is not None:
            kept = support[self.rules.keeps(support)]
            support = kept if len(kept) else support[:1]  # of probability zero
        log_weights = self._log_scores_of(support)
        total = logsumexp(log_weights, axis=1)
        impossible = row_numbers(total == -np.inf)
        if len(impossible):
            row = impossible[0]
            raise ValueError(f"every set of support has probability zero in row {row}; add others.")
        return SupportJoint(support, log_weights - total[:, None], rules=self.rules)

    def given_rules(self, rules: LabelRules, *, fallback: str = "error") -> "Joint":
        """Return the distribution given that the set keeps rules: p(y) / p(rules) for such sets.

        Parameters
        ----------
        rules : LabelRules about L labels, in the order of the columns
        fallback : {"error", "product"}, default="error"
            Where no set of any probability keeps them: raise, or take independent labels.

        Returns
        -------
        joint : Joint
            All its sets keep the rules (`joint.rules`, earlier ones among them). Exact where this
            joint is and the rules tie few labels together at a time; `exact` says so.

        Examples
        --------
        >>> from labelfield import IndependentJoint, LabelRules
        >>> joint = IndependentJoint.from_probabilities([[0.6, 0.2]])
        >>> rules = LabelRules(["flu", "fever"]).implies("flu", "fever")
        >>> joint.given_rules(rules).marginals().round(3).tolist()
        [[0.231, 0.385]]
        >>> joint.log_rules(rules).round(3).tolist()
        [-0.654]
        """
        return where_impossible(fallback, self, rules, *self._bind(rules))

    def log_rules(self, rules: LabelRules) -> FloatArray:
        """Return log p(rules), how far the joint agrees with rules: (n,), -inf where not at all.

        An estimate where `given_rules(rules).exact` is False.
        """
        return self._bind(rules)[1]

    @on_host
    def _bind(self, rules: LabelRules) -> tuple["Joint", FloatArray]:
        """Return the joint given the rules (some joint, where impossible), log p(rules): (n,)."""
        check_rules(rules, self.n_labels)
        joined = rules if self.rules is None else self.rules & rules
        return self._under(joined) if joined.satisfiable else (self, np.full(len(self), -np.inf))

    def _under(self, rules: LabelRules) -> tuple["Joint", FloatArray]:
        """Return what `_bind` does for rules that hold earlier ones too."""
        from labelfield.joints.drawn import DrawnJoint
        from labelfield.joints.support import keep_sets

        if self.n_labels <= self._max_listed:
            sets = all_sets(self.n_labels)
            sets = sets[rules.keeps(sets)]
            log_prob = self._log_scores_of(sets) - self.log_normalizer()[:, None]
            return keep_sets(sets, log_prob, rules)
        drawn = DrawnJoint(self, rules)
        return drawn, drawn.log_kept()

    def _log_total(self) -> FloatArray:
        """Return the log of the sum of all scores, or an estimate of it: (n,)."""
        return self.log_normalizer()

    def condition(self, known: FloatArray) -> "Joint":
        """Return the joint given known labels: `known` (n, L) holds 1, 0 or NaN (unknown)."""
        return self._as_support("condition").condition(known)

    def tilt(self, log_odds: FloatArray) -> "Joint":
        """Return the distribution p(y) exp(sum_l t_l y_l), normalised; log_odds t is finite.

        This is Bayes' rule for uncertain evidence about single labels: t_l is the log of how much
        likelier the evidence is with label l than without it; (n, L), or (L,) for all rows.
        """
        return self._as_support("tilt").tilt(log_odds)

    def log_evidence(self, known: FloatArray) -> FloatArray:
        """Return log p(known labels): (n,), -inf where they are impossible.

        `known` (n, L) holds 1, 0 or NaN (unknown). An estimate where `exact` is False.
        """
        return self._as_support("log_evidence").log_evidence(known)

    def log_tilt(self, log_odds: FloatArray) -> FloatArray:
        """Return log E exp(sum_l t_l y_l), what `tilt` divides by: (n,).

        log_odds t is (n, L), or (L,) for all rows, and finite. An estimate where `exact` is False.
        """
        return self._as_support("log_tilt").log_tilt(log_odds)

    def _as_support(self, purpose: str) -> "SupportJoint":
        """Return the same distribution as a list of all sets, for what needs one."""
        if self.n_labels > MAX_ENUMERATED:
            raise IntractableError(
                f"{purpose} lists all sets of up to {MAX_ENUMERATED} labels, here are "
                f"{self.n_labels}. Use joint.restrict(support).{purpose}(...)."
            )
        return self.restrict(all_sets(self.n_labels))

    def blocks(self, bytes_per_row: float) -> Iterator[tuple[slice, Self]]:
        """Walk over the rows in slices of bounded memory: (slice, joint of those rows)."""
        for rows in block_rows(len(self), bytes_per_row, self.place):
            yield rows, self.take(rows)

    def _ranked(self, k: int, allow_empty: bool) -> Ranked:
        """Return the best sets with their proof."""
        sets, log_prob = self.top_k(k, allow_empty)
        return self._as_ranked(sets, log_prob, self.certified(k, allow_empty), allow_empty)

    def _as_ranked(
        self, sets: LabelArray, log_prob: FloatArray, proven: BoolArray, allow_empty: bool
    ) -> Ranked:
        """Return a list after which nothing is left once it holds all sets."""
        complete = sets.shape[1] == 2**self.n_labels - (not allow_empty)
        rest = np.full(len(sets), -np.inf) if complete else log_prob[:, -1]
        return Ranked(sets, log_prob, proven, rest)

    def _log_scores_of(self, sets: LabelArray) -> FloatArray:
        """Return the log-scores of the same sets in every row: (M, L) -> (n, M)."""

        xp, listed = self.place.xp, self.place.asarray(sets)

        def scores(joint: Joint) -> FloatArray:
            return joint._log_scores(xp.broadcast_to(listed, (len(joint), *listed.shape)))

        return self._by_blocks(scores, (len(sets),), self._working_bytes(len(sets)))

    def _working_bytes(self, n_sets: int) -> float:
        """Return about how much memory a row takes to score `n_sets` sets."""
        return 24.0 * (n_sets + self._n_terms) * (self.n_labels + self._n_terms)

    def _by_blocks(
        self,
        function: Callable[[Self], FloatArray],
        shape: tuple[int, ...],
        bytes_per_row: float,
    ) -> FloatArray:
        """Return `function` of the joint, an array (n, *shape), computed block by block."""
        answer: FloatArray = self._empty((len(self), *shape))
        for rows, block in self.blocks(bytes_per_row):
            answer[rows, ...] = function(block)
        return answer

    def _as_list(self, sets: LabelArray, name: str) -> LabelArray:
        """Return a list of at least one set (M, L)."""
        sets = as_sets(sets, name)
        if sets.ndim != 2 or sets.shape[1] != self.n_labels or not len(sets):
            raise ValueError(
                f"{name} must list at least one set, shape (M, {self.n_labels}), got {sets.shape}."
            )
        return sets

    def _n_best(self, k: int, allow_empty: bool) -> int:
        """Return k, or the number of sets when there are fewer."""
        n_sets: int = 2**self.n_labels - (not allow_empty)
        return min(as_count(k, "k"), n_sets)

    def _n_sizes(self, max_size: int | None) -> int:
        """Return `max_size`, by default L."""
        return self.n_labels if max_size is None else as_count(max_size, "max_size")
