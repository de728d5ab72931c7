"""Mixtures of independent labels: p(y) = sum_k pi_k prod_l p_k(y_l)."""

import warnings
from typing import Any

import numpy as np

from labelfield import kernels
from labelfield._namespaces import namespace
from labelfield._typing import BoolArray, FloatArray, LabelArray
from labelfield.joints._parts.arrays import (
    as_known,
    as_log_weights,
    as_logits,
    as_tilt,
    log_mean_exp,
    require_possible,
    with_diagonal,
    with_known,
)
from labelfield.joints._parts.options import check_options
from labelfield.joints._parts.places import on_host
from labelfield.joints.base import Joint, Ranked
from labelfield.joints.independent import IndependentJoint
from labelfield.joints.pooled import PooledJoint
from labelfield.kernels.sets.bits import all_sets
from labelfield.kernels.sets.logspace import expit, log_product, logsumexp
from labelfield.rules import LabelRules

__all__ = ["MixtureJoint"]

LISTED = 7  # labels up to which scoring all sets is as fast as a search, with nothing to compile


class MixtureJoint(Joint):
    """A mixture of K products of Bernoulli distributions per row.

    Parameters
    ----------
    log_weights : (n, K) array
        Log-probabilities of the components, normalised per row; -inf switches one off.
    logits : (n, K, L) array
        Log-odds of each label in each component; infinite where a label is certain, as those
        beyond 1e6 count.
    max_visits : int, default=10_000
        The best sets of more than 7 labels come from the exact threshold algorithm, which on
        contrived mixtures may need exponential time. A row that visits this many sets returns
        the best of them with a RuntimeWarning; `certified` says which rows.

    Examples
    --------
    Either both labels or none:

    >>> import numpy as np
    >>> from labelfield.joints import MixtureJoint
    >>> joint = MixtureJoint(np.log([[0.6, 0.4]]), [[[3.0, 3.0], [-3.0, -3.0]]])
    >>> joint.mode()
    array([[1, 1]], dtype=uint8)
    >>> joint.pair_marginals()[0].round(3).tolist()
    [[0.591, 0.545], [0.545, 0.591]]
    """

    follows_device = True
    _row_arrays = ("logits", "log_weights")
    _quick_to_condition = True
    _sizes_first = True

    def __init__(self, log_weights: Any, logits: Any, *, max_visits: int = 10_000) -> None:
        self.logits = as_logits(logits, "(n, K, L)")
        n_rows, self._n_terms, self.n_labels = self.logits.shape
        self.log_weights = as_log_weights(log_weights, (n_rows, self._n_terms))
        check_options("MixtureJoint", max_visits=max_visits)
        self.max_visits = max_visits

    @property
    def n_components(self) -> int:
        """The number of components K."""
        return self._n_terms

    def _log_scores(self, Y: LabelArray) -> FloatArray:
        return logsumexp(log_product(Y, self.logits) + self.log_weights[:, None, :], axis=2)

    def marginals(self) -> FloatArray:
        def average(joint: MixtureJoint) -> FloatArray:
            p = joint._weights()[:, None, :] @ expit(joint.logits)
            averages: FloatArray = self.place.xp.clip(p[:, 0, :], max=1.0)  # sums round above 1
            return averages

        return self._by_blocks(average, (self.n_labels,), self._working_bytes(1))

    def pair_marginals(self) -> FloatArray:
        xp = self.place.xp

        def average(joint: MixtureJoint) -> FloatArray:
            means = expit(joint.logits)
            pairs = (joint._weights()[:, None, :] * xp.matrix_transpose(means)) @ means
            return with_diagonal(pairs, joint.marginals())

        shape = (self.n_labels, self.n_labels)
        return self._by_blocks(average, shape, self._working_bytes(self.n_labels))

    @on_host
    def top_k(self, k: int, allow_empty: bool = True) -> tuple[LabelArray, FloatArray]:
        sets, log_prob, proven = self._search(k, allow_empty)
        if not proven.all():
            warnings.warn(
                f"{(~proven).sum()} of {len(self)} rows stopped after max_visits="
                f"{self.max_visits} sets; their best sets are not proven best. Raise max_visits.",
                RuntimeWarning,
                stacklevel=2,
            )
        return sets, log_prob

    @on_host
    def certified(self, k: int = 1, allow_empty: bool = True) -> BoolArray:
        return self._search(k, allow_empty)[2]

    @on_host
    def _ranked(self, k: int, allow_empty: bool) -> Ranked:
        return self._as_ranked(*self._search(k, allow_empty), allow_empty)

    def _search(self, k: int, allow_empty: bool) -> tuple[LabelArray, FloatArray, BoolArray]:
        k = self._n_best(k, allow_empty)
        if self.n_labels > LISTED:
            return kernels.sets.threshold.best_sets(
                self.log_weights, self.logits, k, allow_empty, self.max_visits
            )
        sets = all_sets(self.n_labels)[0 if allow_empty else 1 :]
        scores = self._log_scores_of(sets)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        proven = np.ones(len(self), dtype=bool)
        return sets[best], np.take_along_axis(scores, best, axis=1), proven

    def _sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        draws = np.empty((len(self), n_draws, self.n_labels), dtype=np.uint8)
        uniform = rng.random((len(self), n_draws, 1))
        for rows, block in self.blocks(self._working_bytes(n_draws)):
            levels = block._weights()[:, None, :-1].cumsum(axis=2)
            component = (uniform[rows] >= levels).sum(axis=2)
            p = np.take_along_axis(expit(block.logits), component[..., None], axis=1)
            draws[rows] = rng.random(p.shape) < p
        return draws

    def size_marginals(self, max_size: int | None = None) -> FloatArray:
        n_sizes = self._n_sizes(max_size)

        def marginals(joint: MixtureJoint) -> FloatArray:
            means = expit(joint.logits)
            return kernels.sets.poisson_binomial.size_marginals(joint._weights(), means, n_sizes)

        return self._by_blocks(marginals, (self.n_labels, n_sizes), self._working_bytes(n_sizes))

    def size_distribution(self) -> FloatArray:
        def distribution(joint: MixtureJoint) -> FloatArray:
            means = expit(joint.logits)
            return kernels.sets.poisson_binomial.size_distribution(joint._weights(), means)

        return self._by_blocks(distribution, (self.n_labels + 1,), self._working_bytes(1))

    def condition(self, known: FloatArray) -> "MixtureJoint":
        known = as_known(known, (len(self), self.n_labels), self.place)
        log_evidence, logits = with_known(known[:, None, :], self.logits)
        log_weights = self.log_weights + log_evidence
        total = logsumexp(log_weights, axis=1)
        require_possible(total == -np.inf)
        return MixtureJoint(log_weights - total[:, None], logits, max_visits=self.max_visits)

    def tilt(self, log_odds: FloatArray) -> "MixtureJoint":
        log_odds = as_tilt(log_odds, (len(self), self.n_labels), self.place)
        logits = self.logits + log_odds[:, None, :]
        log_weights = self.log_weights + log_mean_exp(self.logits, log_odds[:, None, :])
        total = logsumexp(log_weights, axis=1)
        return MixtureJoint(log_weights - total[:, None], logits, max_visits=self.max_visits)

    def log_evidence(self, known: FloatArray) -> FloatArray:
        known = as_known(known, (len(self), self.n_labels), self.place)
        by_component = with_known(known[:, None, :], self.logits)[0]
        return logsumexp(self.log_weights + by_component, axis=1)

    def log_tilt(self, log_odds: FloatArray) -> FloatArray:
        log_odds = as_tilt(log_odds, (len(self), self.n_labels), self.place)
        return logsumexp(self.log_weights + log_mean_exp(self.logits, log_odds[:, None, :]), axis=1)

    def _under(self, rules: LabelRules) -> tuple[Joint, FloatArray]:
        components: list[Joint] = [
            IndependentJoint(self.logits[:, k]) for k in range(self.n_components)
        ]
        names = [f"component {k}" for k in range(self.n_components)]
        return PooledJoint(components, self._weights(), names=names)._under(rules)

    def _weights(self) -> FloatArray:
        weights: FloatArray = namespace(self.log_weights).exp(self.log_weights)
        return weights
