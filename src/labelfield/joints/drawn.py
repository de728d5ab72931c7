"""Joints given rules where sums over all sets are out of reach: weighted draws inside the rules."""

from collections.abc import Callable
from copy import copy
from typing import Self, cast

import numpy as np

from labelfield._exceptions import IntractableError
from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.joints._parts.arrays import as_tilt, require_possible
from labelfield.joints.base import Joint, Ranked
from labelfield.joints.ising import IsingJoint
from labelfield.kernels.sets.bits import repeated
from labelfield.kernels.sets.logspace import clipped_logit, largest, logsumexp
from labelfield.rules import LabelRules

__all__ = ["DrawnJoint"]

N_DRAWS = 2000
N_LISTED = 64  # best sets of the joint, and of what is drawn from, that are candidates


class DrawnJoint(Joint):
    """Another joint given rules, by draws from independent labels inside the rules.

    Draws come from the product of the joint's marginals given the rules, which is exact, and weigh
    what the joint gives them; all numbers but scores are averages over them. The best sets are the
    best of those drawn and of the joint's own best sets that keep the rules; `certified` where the
    latter are enough and proven.

    Parameters
    ----------
    base : Joint
    rules : LabelRules
    n_draws : int, default=2000
    random_state : int, default=0
        Seed of the draws. All rows share their random numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import ChainJoint, LabelRules
    >>> chain = ChainJoint.linear(np.full((1, 15), 1.0), np.zeros((15, 15)))
    >>> rules = LabelRules([f"y{k}" for k in range(15)]).exclusive("y0", "y1")
    >>> bound = chain.given_rules(rules)
    >>> int(bound.mode().sum()), bound.exact, bound.certified().tolist()
    (14, False, [True])
    """

    _row_arrays = ()

    def __init__(
        self, base: Joint, rules: LabelRules, *, n_draws: int = N_DRAWS, random_state: int = 0
    ) -> None:
        self.base, self.n_labels = base, base.n_labels
        self.n_draws, self.random_state = n_draws, random_state
        self._rules = rules
        self._proposal = IsingJoint.given_only(clipped_logit(base.marginals()), rules)

    @property
    def rules(self) -> LabelRules:
        return self._rules

    @property
    def exact(self) -> bool:
        return False

    @property
    def normalized(self) -> bool:
        return self.base.normalized

    def __len__(self) -> int:
        return len(self.base)

    def take(self, rows: slice | IntArray | BoolArray) -> Self:
        chosen = copy(self)
        chosen.base, chosen._proposal = self.base.take(rows), self._proposal.take(rows)
        return chosen

    def _log_scores(self, Y: LabelArray) -> FloatArray:
        return np.where(self.rules.keeps(Y), self.base._log_scores(Y), -np.inf)

    def _log_scores_of(self, sets: LabelArray) -> FloatArray:
        return np.where(self.rules.keeps(sets), self.base._log_scores_of(sets), -np.inf)

    def log_kept(self) -> FloatArray:
        """Return an estimate of log p(rules) under the joint: (n,)."""
        return np.minimum(self._log_sum() - self.base._log_total(), 0.0)

    def log_normalizer(self) -> FloatArray:
        if not self.normalized:
            raise IntractableError(
                f"A {type(self.base).__name__} of {self.n_labels} labels with rules is known up to "
                "a constant. Use log_score, or restrict(support) for probabilities among sets."
            )
        return self._log_sum()

    def _log_sum(self) -> FloatArray:
        """Return the log of the sum of scores over all sets that keep the rules, estimated: (n,).

        No less than the sum over the different sets at hand.
        """

        def estimate(joint: DrawnJoint) -> FloatArray:
            sets, log_weights = joint._draw()
            mean: FloatArray = logsumexp(log_weights, axis=1) - np.log(joint.n_draws)
            log_score = np.where(repeated(sets), -np.inf, joint._log_scores(sets))
            at_hand: FloatArray = logsumexp(log_score, axis=1)
            larger: FloatArray = np.maximum(mean, at_hand)
            return larger

        return self._by_blocks(estimate, (), self._working_bytes(self.n_draws))

    def _draw(self) -> tuple[LabelArray, FloatArray]:
        """Draw sets (n, m, L) that keep the rules, and return the logs of their weights (n, m)."""
        shared = cast(np.random.Generator, _SharedNumbers(self.random_state))
        sets = self._proposal._sample(self.n_draws, shared)
        return sets, self.base.log_score(sets) - self._proposal.log_prob(sets)

    def _average(
        self, of_draws: Callable[[FloatArray, FloatArray], FloatArray], shape: tuple[int, ...]
    ) -> FloatArray:
        """Return an average (n, *shape) over the draws by their weights."""

        def average(joint: DrawnJoint) -> FloatArray:
            sets, log_weights = joint._draw()
            total = logsumexp(log_weights, axis=1)
            require_possible(np.isneginf(total))
            answer = of_draws(sets.astype(float), np.exp(log_weights - total[:, None]))
            return np.minimum(answer, 1.0)

        memory = self._working_bytes(self.n_draws) + 16.0 * self.n_draws * self.n_labels
        return self._by_blocks(average, shape, memory)

    def marginals(self) -> FloatArray:
        return self._average(lambda sets, w: np.einsum("nm,nml->nl", w, sets), (self.n_labels,))

    def pair_marginals(self) -> FloatArray:
        return self._average(
            lambda sets, w: (sets * w[..., None]).swapaxes(1, 2) @ sets,
            (self.n_labels, self.n_labels),
        )

    def size_marginals(self, max_size: int | None = None) -> FloatArray:
        n_sizes = self._n_sizes(max_size)

        def by_size(sets: FloatArray, w: FloatArray) -> FloatArray:
            is_size = sets.sum(axis=2)[..., None] == np.arange(1, n_sizes + 1)
            answer: FloatArray = sets.swapaxes(1, 2) @ (is_size * w[..., None])
            return answer

        return self._average(by_size, (self.n_labels, n_sizes))

    def _sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        draws = np.empty((len(self), n_draws, self.n_labels), dtype=np.uint8)
        for rows, block in self.blocks(self._working_bytes(max(n_draws, self.n_draws))):
            sets, log_weights = block._draw()
            weights = np.exp(log_weights - logsumexp(log_weights, axis=1)[:, None])
            levels = weights.cumsum(axis=1)
            for row in range(len(block)):
                chosen = np.searchsorted(levels[row, :-1], rng.random(n_draws), side="right")
                draws[rows][row] = sets[row, chosen]
        return draws

    def top_k(self, k: int, allow_empty: bool = True) -> tuple[LabelArray, FloatArray]:
        sets, log_score, _ = self._search(k, allow_empty)
        if self.normalized:
            log_score = log_score - self.log_normalizer()[:, None]
        return sets, log_score

    def certified(self, k: int = 1, allow_empty: bool = True) -> BoolArray:
        return self._search(k, allow_empty)[2]

    def _ranked(self, k: int, allow_empty: bool) -> Ranked:
        sets, log_score, proven = self._search(k, allow_empty)
        log_prob = log_score - self.log_normalizer()[:, None]
        return self._as_ranked(sets, log_prob, proven, allow_empty)

    def _search(self, k: int, allow_empty: bool) -> tuple[LabelArray, FloatArray, BoolArray]:
        """Return the k best sets found, their scores and which rows are proven."""
        k = self._n_best(k, allow_empty)
        length = max(2 * k, N_LISTED)
        own, _ = self.base.top_k(length, allow_empty)
        kept = self.rules.keeps(own)
        proven = self.base.certified(length, allow_empty) & (kept.sum(axis=1) >= k)
        near, _ = self._proposal.top_k(length, allow_empty)
        drawn = np.concatenate([block._draw()[0] for _, block in self._draw_blocks()])
        sets = np.concatenate([own, near, drawn], axis=1)
        scores = self.log_score(sets)
        barred = repeated(sets) | ~self.rules.keeps(sets)
        if not allow_empty:
            barred |= ~sets.any(axis=2)
        order = np.where(barred, -np.inf, np.maximum(scores, np.finfo(float).min))
        best = largest(order, min(k, int((~barred).sum(axis=1).min(initial=k))))
        chosen = np.take_along_axis(sets, best[..., None], axis=1)
        return chosen, np.take_along_axis(scores, best, axis=1), proven

    def _draw_blocks(self) -> list[tuple[slice, Self]]:
        blocks = list(self.blocks(self._working_bytes(self.n_draws)))
        return blocks or [(slice(0, 0), self)]

    def condition(self, known: FloatArray) -> Joint:
        return self.base.condition(known).given_rules(self.rules)

    def tilt(self, log_odds: FloatArray) -> Joint:
        return self.base.tilt(log_odds).given_rules(self.rules)

    def log_evidence(self, known: FloatArray) -> FloatArray:
        both = self.base.condition(known).log_rules(self.rules)
        return self.base.log_evidence(known) + both - self.log_kept()

    def log_tilt(self, log_odds: FloatArray) -> FloatArray:
        log_odds = as_tilt(log_odds, (len(self), self.n_labels))
        both = self.base.tilt(log_odds).log_rules(self.rules)
        return self.base.log_tilt(log_odds) + both - self.log_kept()


class _SharedNumbers:
    """Random numbers that all rows share: none depends on the rows next to it."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._numbers: FloatArray = np.empty((0, 0))

    def random(self, shape: tuple[int, ...]) -> FloatArray:
        if self._numbers.shape != shape[1:]:
            self._numbers = self._rng.random(shape[1:])
        return np.broadcast_to(self._numbers, shape).copy()
