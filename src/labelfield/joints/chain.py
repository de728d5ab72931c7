"""Chains: p(y) = prod_j p(y_o(j) | y_o(1), ..., y_o(j - 1)) along an order o of the labels."""

from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np
from scipy.special import expit

from labelfield._exceptions import IntractableError
from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.joints._parts.arrays import (
    as_known,
    as_logits,
    as_numbers,
    as_order,
    as_tilt,
    require_possible,
)
from labelfield.joints._parts.options import check_options
from labelfield.joints._parts.resampling import LOWEST, resample
from labelfield.joints._parts.sizes import drop_empty
from labelfield.joints.base import MAX_ENUMERATED, Joint, Ranked
from labelfield.joints.conditionals import Conditionals, LinearConditionals
from labelfield.joints.support import SupportJoint
from labelfield.kernels.sets.bits import all_sets, pack
from labelfield.kernels.sets.logspace import largest, log_bernoulli, logsumexp

__all__ = ["ChainJoint"]

FIRST_BEAM = 8
ABSENT_PRESENT = np.array([[0], [1]], dtype=np.uint8)


class ChainJoint(Joint):
    """A chain of conditional distributions of one label each.

    The best sets come from a beam search that proves its answer: a completion is at most as
    probable as its prefix times what the conditionals promise as ceiling of the rest, so sets
    no less probable than this bound of every pruned prefix are the best. Rows without proof are
    searched again with twice the beam, up to `max_beam`; `certified` says which rows are proven.
    Up to 12 labels everything is exact; with more, marginals and sizes are averages over
    `n_draws` draws and `exact` is False. Evidence (`condition`, `tilt`) then steers every draw
    label by label and weighs it by what the steering changed; lopsided weights are levelled by
    drawing again among them. The distribution given evidence is known up to a constant only.

    Parameters
    ----------
    conditionals : Conditionals
        The log-odds of each label given the earlier ones.
    order : (L,) array of int
        The label at each position of the chain.
    max_beam : int, default=1024
        The widest beam tried; 1 for the greedy search of a plain classifier chain.
    n_draws : int, default=1000
        Draws per row behind the averages. All rows share their uniform random numbers, so that a
        row's answer does not depend on the rows next to it.
    random_state : int, default=0
        Seed of those draws.

    Examples
    --------
    The second label follows the first:

    >>> import numpy as np
    >>> from labelfield.joints import ChainJoint
    >>> joint = ChainJoint.linear([[0.5, -2.0]], coupling=[[0.0, 0.0], [4.0, 0.0]])
    >>> joint.mode()
    array([[1, 1]], dtype=uint8)
    >>> joint.marginals().round(3).tolist()
    [[0.622, 0.593]]
    """

    _row_arrays = ("_rows", "_evidence")

    def __init__(
        self,
        conditionals: Conditionals,
        order: Any,
        *,
        max_beam: int = 1024,
        n_draws: int = 1000,
        random_state: int = 0,
    ) -> None:
        self.n_labels = np.size(order)
        if self.n_labels == 0:
            raise ValueError("order is empty; give at least one label.")
        self.order = as_order(order, self.n_labels)
        check_options("ChainJoint", max_beam=max_beam, n_draws=n_draws, random_state=random_state)
        self.conditionals = conditionals
        self.max_beam, self.n_draws, self.random_state = max_beam, n_draws, random_state
        self._rows = np.arange(len(conditionals))
        # log weight of a label's absence and presence by position, (n, L, 2), or nothing
        self._evidence: FloatArray = np.zeros((len(conditionals), 0, 2))

    @classmethod
    def linear(cls, logits: Any, coupling: Any, order: Any = None, **options: int) -> Self:
        """Return the chain with log-odds logits_il + sum_m coupling_lm y_m over earlier labels m.

        logits (n, L) and coupling (L, L) are numbered by label; couplings with later labels are
        not looked at. `order` is that of the labels by default; `options` are those of the class.
        """
        logits = as_logits(logits, "(n, L)")
        coupling = as_numbers(coupling, "coupling").astype(float)
        n_labels = logits.shape[1]
        if coupling.shape != (n_labels, n_labels) or not np.isfinite(coupling).all():
            raise ValueError(
                f"coupling must be finite of shape {(n_labels, n_labels)}, got {coupling.shape}."
            )
        order = np.arange(n_labels) if order is None else as_order(order, n_labels)
        conditionals = LinearConditionals(logits[:, order], coupling[np.ix_(order, order)])
        return cls(conditionals, order, **options)

    @property
    def exact(self) -> bool:
        """Whether all numbers are exact: up to 12 labels. See `certified` for the best sets."""
        return self._listable and self.max_beam > 1

    @property
    def normalized(self) -> bool:
        return not self._tilted

    @property
    def label_order(self) -> IntArray:
        return self.order

    @property
    def _tilted(self) -> bool:
        return bool(self._evidence.shape[1])

    @property
    def _listable(self) -> bool:
        return self.n_labels <= MAX_ENUMERATED

    def _log_odds(self, position: int, rows: IntArray, earlier: LabelArray) -> FloatArray:
        answer = np.asarray(self.conditionals.log_odds(position, rows, earlier), dtype=float)
        if answer.shape != rows.shape or np.isnan(answer).any():
            raise ValueError(
                f"conditionals.log_odds must return {len(rows)} numbers without NaN for position "
                f"{position}, got shape {answer.shape}."
            )
        return answer

    def _log_scores(self, Y: LabelArray) -> FloatArray:
        n_rows, n_sets, _ = Y.shape
        chain = Y[..., self.order].reshape(n_rows * n_sets, self.n_labels)
        rows = np.repeat(self._rows, n_sets)
        total = np.zeros(len(rows))
        for j in range(self.n_labels):
            total += log_bernoulli(chain[:, j], self._log_odds(j, rows, chain[:, :j]))
            if self._tilted:
                total += self._evidence[np.repeat(np.arange(n_rows), n_sets), j, chain[:, j]]
        return total.reshape(n_rows, n_sets)

    def _log_scores_of(self, sets: LabelArray) -> FloatArray:
        chain = sets[:, self.order]
        prefixes = [
            np.unique(pack(chain[:, :j]), return_index=True, return_inverse=True)[1:]
            for j in range(self.n_labels)
        ]

        def scores(joint: ChainJoint) -> FloatArray:
            total = np.zeros((len(joint), len(sets)))
            for j, (first, inverse) in enumerate(prefixes):
                earlier = np.tile(chain[first, :j], (len(joint), 1))
                log_odds = joint._log_odds(j, np.repeat(joint._rows, len(first)), earlier)
                by_prefix = log_odds.reshape(len(joint), len(first))
                total += log_bernoulli(chain[:, j], by_prefix[:, inverse])
                if joint._tilted:
                    total += joint._evidence[:, j, chain[:, j]]
            return total

        return self._by_blocks(scores, (len(sets),), self._working_bytes(len(sets)))

    def log_normalizer(self) -> FloatArray:
        if self._tilted:
            raise IntractableError(
                f"A chain of {self.n_labels} labels with evidence is known up to a constant. Use "
                "log_score to compare sets, or restrict(support) for probabilities among sets."
            )
        return super().log_normalizer()

    def condition(self, known: FloatArray) -> Joint:
        return super().condition(known) if self._listable else self._given(known)

    def tilt(self, log_odds: FloatArray) -> Joint:
        return super().tilt(log_odds) if self._listable else self._weighed(log_odds)

    def log_evidence(self, known: FloatArray) -> FloatArray:
        if self._listable:
            return super().log_evidence(known)
        chain = as_known(known, (len(self), self.n_labels))[:, self.order]
        n_known = (~np.isnan(chain[:1])).sum()
        if not self._tilted and np.array_equal(np.isnan(chain), _later(n_known, chain.shape)):
            return self._log_prefix(chain[:, :n_known].astype(np.uint8))
        return self._given(known)._log_constant() - self._log_constant()

    def log_tilt(self, log_odds: FloatArray) -> FloatArray:
        if self._listable:
            return super().log_tilt(log_odds)
        return self._weighed(log_odds)._log_constant() - self._log_constant()

    def _log_prefix(self, chain: LabelArray) -> FloatArray:
        """Return log p of the first labels (n, j) of the chain: (n,)."""
        steps = [
            log_bernoulli(chain[:, j], self._log_odds(j, self._rows, chain[:, :j]))
            for j in range(chain.shape[1])
        ]
        return np.sum(steps, axis=0) if steps else np.zeros(len(self))

    def _given(self, known: FloatArray) -> Self:
        """Return the chain in which what contradicts a known label is impossible."""
        known = as_known(known, (len(self), self.n_labels))
        return self._with_evidence(np.where(known[..., None] == [1.0, 0.0], -np.inf, 0.0))

    def _weighed(self, log_odds: FloatArray) -> Self:
        log_odds = as_tilt(log_odds, (len(self), self.n_labels))
        return self._with_evidence(np.stack([np.zeros_like(log_odds), log_odds], axis=2))

    def _log_total(self) -> FloatArray:
        return self._log_constant()

    def _log_constant(self) -> FloatArray:
        """Return an estimate of the log of what the evidence leaves: (n,), 0 without evidence."""
        if not self._tilted:
            return np.zeros(len(self))
        uniform = self._shared_numbers()
        memory = self._working_bytes(self.n_draws)
        return self._by_blocks(lambda joint: joint._draw(uniform)[2], (), memory)

    def _with_evidence(self, evidence: FloatArray) -> Self:
        """Return the chain weighed by evidence (n, L, 2) on the absence and presence of labels."""
        chosen = copy(self)
        evidence = evidence[:, self.order]
        chosen._evidence = evidence + self._evidence if self._tilted else evidence
        return chosen

    def marginals(self) -> FloatArray:
        return self._expect(
            lambda listed: listed.marginals(),
            lambda draws, weights: np.einsum("nm,nml->nl", weights, draws),
            (self.n_labels,),
        )

    def pair_marginals(self) -> FloatArray:
        return self._expect(
            lambda listed: listed.pair_marginals(),
            lambda draws, weights: (draws * weights[..., None]).swapaxes(1, 2) @ draws,
            (self.n_labels, self.n_labels),
        )

    def size_marginals(self, max_size: int | None = None) -> FloatArray:
        n_sizes = self._n_sizes(max_size)

        def average(draws: FloatArray, weights: FloatArray) -> FloatArray:
            is_size = draws.sum(axis=2)[..., None] == np.arange(1, n_sizes + 1)
            by_size: FloatArray = draws.swapaxes(1, 2) @ (is_size * weights[..., None])
            return by_size

        return self._expect(
            lambda listed: listed.size_marginals(n_sizes), average, (self.n_labels, n_sizes)
        )

    def mode(self, allow_empty: bool = True) -> LabelArray:
        best = self.top_k(1)[0][:, 0]
        if not allow_empty:  # only rows whose best set is empty need another one
            empty = np.flatnonzero(~best.any(axis=1))
            best[empty] = self.take(empty).top_k(1, allow_empty=False)[0][:, 0]
        return best

    def top_k(self, k: int, allow_empty: bool = True) -> tuple[LabelArray, FloatArray]:
        return self._search(k, allow_empty)[:2]

    def _ranked(self, k: int, allow_empty: bool) -> Ranked:
        return self._as_ranked(*self._search(k, allow_empty), allow_empty)

    def certified(self, k: int = 1, allow_empty: bool = True) -> BoolArray:
        return self._search(k, allow_empty)[2]

    def _sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        draws = np.empty((len(self), n_draws, self.n_labels), dtype=np.uint8)
        n_tried = max(n_draws, self.n_draws) if self._tilted else n_draws
        for rows, block in self.blocks(self._working_bytes(n_tried)):
            uniform = rng.random((len(block), n_tried, self.n_labels))
            sets, weights, log_mean = block._draw(uniform)
            require_possible(np.isneginf(log_mean))
            if self._tilted:
                chosen = [rng.choice(n_tried, n_draws, p=p) for p in weights]
                sets = np.take_along_axis(sets, np.array(chosen)[..., None], axis=1)
            draws[rows] = sets
        return draws

    def _draw(self, uniform: FloatArray) -> tuple[LabelArray, FloatArray, FloatArray]:
        """Draw sets (n, m, L) with weights (n, m) that sum to 1, and the log of their mean (n,).

        The uniform numbers are (n, m, L) or, shared by all rows, (1, m, L).
        """
        n_draws = uniform.shape[1]
        chain = np.zeros((len(self), n_draws, self.n_labels), dtype=np.uint8)
        log_weights, log_mean = np.zeros((len(self), n_draws)), np.zeros(len(self))
        for j in range(self.n_labels):
            if not self._tilted:
                chain[..., j] = uniform[..., j] < expit(self._log_odds_of(chain, j))
                continue
            absent, present = self._steps(chain, j).swapaxes(0, 1)
            total = np.logaddexp(absent, present)
            chain[..., j] = uniform[..., j] < np.exp(present - np.maximum(total, LOWEST))
            log_weights += total
            resample(chain, log_weights, log_mean)
        total = logsumexp(log_weights, axis=1)
        weights = np.exp(log_weights - np.maximum(total, LOWEST)[:, None])
        log_mean += total - np.log(n_draws)
        return chain[..., np.argsort(self.order)], weights, log_mean

    def _log_odds_of(self, chain: LabelArray, j: int) -> FloatArray:
        """Return the log-odds of position j after each of the prefixes (n, m, L): (n, m)."""
        n_rows, n_sets, _ = chain.shape
        rows = np.repeat(self._rows, n_sets)
        earlier = chain.reshape(n_rows * n_sets, self.n_labels)[:, :j]
        return self._log_odds(j, rows, earlier).reshape(n_rows, n_sets)

    def _steps(self, chain: LabelArray, j: int) -> FloatArray:
        """Return what absence and presence at position j add to each prefix: (n, 2, m)."""
        steps = log_bernoulli(ABSENT_PRESENT, self._log_odds_of(chain, j)[:, None])
        return steps + self._evidence[:, j, :, None] if self._tilted else steps

    def _expect(
        self,
        of_listed: Callable[[SupportJoint], FloatArray],
        of_draws: Callable[[FloatArray, FloatArray], FloatArray],
        shape: tuple[int, ...],
    ) -> FloatArray:
        """Return an expectation from the list of all sets, or from draws when that is too long."""
        if self._listable:
            sets = all_sets(self.n_labels)
            return self._by_blocks(
                lambda joint: of_listed(joint.restrict(sets)), shape, self._working_bytes(len(sets))
            )
        uniform = self._shared_numbers()

        def average(joint: ChainJoint) -> FloatArray:
            sets, weights, log_mean = joint._draw(uniform)
            require_possible(np.isneginf(log_mean))
            return np.minimum(of_draws(sets.astype(float), weights), 1.0)

        return self._by_blocks(average, shape, self._working_bytes(self.n_draws))

    def _shared_numbers(self) -> FloatArray:
        """Return the uniform numbers (1, n_draws, L) that all rows share."""
        return np.random.default_rng(self.random_state).random((1, self.n_draws, self.n_labels))

    def _search(self, k: int, allow_empty: bool) -> tuple[LabelArray, FloatArray, BoolArray]:
        """Return the k best sets found, their log-probabilities and which rows are proven."""
        k = self._n_best(k, allow_empty)
        n_wanted = k if allow_empty else k + 1
        limit = max(self.max_beam, n_wanted, 2**self.n_labels if self.exact else 0)
        sets = np.empty((len(self), k, self.n_labels), dtype=np.uint8)
        scores = np.empty((len(self), k))
        proven = np.zeros(len(self), dtype=bool)
        beam = min(max(n_wanted, FIRST_BEAM), limit)
        while True:
            waiting = np.flatnonzero(~proven)
            for part, block in self.take(waiting).blocks(self._working_bytes(beam)):
                rows = waiting[part]
                found, found_scores, pruned = block._beam_search(beam)
                found, found_scores = found[:, :n_wanted], found_scores[:, :n_wanted]
                if not allow_empty:
                    found, found_scores = drop_empty(found, found_scores)
                sets[rows], scores[rows] = found, found_scores
                proven[rows] = found_scores[:, -1] >= pruned
            if proven.all() or beam == limit:
                return sets, scores, proven
            beam = min(2 * beam, limit)

    def _beam_search(self, beam: int) -> tuple[LabelArray, FloatArray, FloatArray]:
        """Return the sets that survive, best first, their scores, and a bound on all others."""
        n_rows = len(self)
        chain = np.zeros((n_rows, 1, self.n_labels), dtype=np.uint8)
        scores = np.zeros((n_rows, 1))
        pruned = np.full(n_rows, -np.inf)
        ceiling = self.conditionals.log_ceiling(self._rows, self.n_labels)
        if self._tilted:
            ceiling = ceiling + self._evidence.max(axis=2)
        log_rest = ceiling[:, ::-1].cumsum(axis=1)[:, ::-1] - ceiling
        for j in range(self.n_labels):
            width = scores.shape[1]
            children = (scores[:, None] + self._steps(chain, j)).reshape(n_rows, 2 * width)
            kept = largest(children, min(beam + 1, 2 * width))
            scores = np.take_along_axis(children, kept, axis=1)
            if kept.shape[1] > beam:
                pruned = np.maximum(pruned, scores[:, -1] + log_rest[:, j])
                kept, scores = kept[:, :beam], scores[:, :beam]
            chain = chain[np.arange(n_rows)[:, None], kept % width]  # whole prefixes, not bits
            chain[..., j] = kept >= width
        return chain[..., np.argsort(self.order)], scores, pruned


def _later(n_known: int, shape: tuple[int, int]) -> BoolArray:
    """Return which positions (n, L) come after the first ones."""
    return np.broadcast_to(np.arange(shape[1]) >= n_known, shape)
