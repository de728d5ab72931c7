"""Independent labels: p(y) = prod_l p(y_l)."""

from typing import Any, Self

import numpy as np

from labelfield import kernels
from labelfield._namespaces import as_float, namespace
from labelfield._typing import FloatArray, IntArray, LabelArray
from labelfield.joints._parts.arrays import (
    as_known,
    as_logits,
    as_numbers,
    as_tilt,
    log_mean_exp,
    require_possible,
    with_diagonal,
    with_known,
)
from labelfield.joints._parts.places import on_host
from labelfield.joints._parts.sizes import best_of_size, drop_empty
from labelfield.joints.base import Joint, block_rows
from labelfield.joints.factor_graph import FactorGraph
from labelfield.kernels.sets.logspace import clipped_logit, expit, log_product
from labelfield.rules import LabelRules

__all__ = ["IndependentJoint"]


class IndependentJoint(Joint):
    """A product of Bernoulli distributions per row.

    Parameters
    ----------
    logits : (n, L) array
        Log-odds log(p / (1 - p)) of each label; infinite where a label is certain, as those
        beyond 1e6 count.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.joints import IndependentJoint
    >>> joint = IndependentJoint.from_probabilities([[0.9, 0.4, 0.2]])
    >>> joint.mode()
    array([[1, 0, 0]], dtype=uint8)
    >>> sets, log_prob = joint.top_k(2)
    >>> sets[0].tolist(), np.exp(log_prob[0]).round(3).tolist()
    ([[1, 0, 0], [1, 1, 0]], [0.432, 0.288])
    """

    follows_device = True
    _row_arrays = ("logits",)
    _quick_to_condition = True
    _sizes_first = True

    def __init__(self, logits: Any) -> None:
        self.logits = as_logits(logits, "(n, L)")
        self.n_labels = self.logits.shape[1]

    @classmethod
    def from_probabilities(cls, P: Any) -> Self:
        """Return the joint with marginals P (n, L), kept 1e-12 away from 0 and 1."""
        P = as_float(as_numbers(P, "P"))
        if not namespace(P).all((P >= 0.0) & (P <= 1.0)):
            raise ValueError("P must hold probabilities in [0, 1] without NaN.")
        return cls(clipped_logit(P))

    def _log_scores(self, Y: LabelArray) -> FloatArray:
        return log_product(Y, self.logits[:, None, :])[..., 0]

    def _log_scores_of(self, sets: LabelArray) -> FloatArray:
        return log_product(self.place.asarray(sets), self.logits).T

    def marginals(self) -> FloatArray:
        p: FloatArray = expit(self.logits)
        return p

    def pair_marginals(self) -> FloatArray:
        p = self.marginals()
        return with_diagonal(p[:, :, None] * p[:, None, :], p)

    def mode(self, allow_empty: bool = True) -> LabelArray:
        return best_of_size(self.logits, 0 if allow_empty else 1, self.n_labels)

    def sized_mode(self, min_size: int, max_size: int) -> LabelArray:
        return best_of_size(self.logits, min_size, max_size)

    @on_host
    def best_flips(self, k: int) -> tuple[IntArray, FloatArray]:
        """Return `top_k` in compact form: which labels of the mode each set flips.

        Labels (n, k, floor(log2(k))), filled up with -1, and log-probabilities (n, k).
        """
        flips, log_prob = kernels.sets.kbest.k_best(self.logits, self._n_best(k, allow_empty=True))
        return flips, log_prob

    @on_host
    def top_k(self, k: int, allow_empty: bool = True) -> tuple[LabelArray, FloatArray]:
        if not allow_empty:
            return drop_empty(*self.top_k(self._n_best(k, allow_empty) + 1))
        flips, log_prob = self.best_flips(k)
        sets = np.repeat(self.mode()[:, None], flips.shape[1], axis=1)
        row, rank, slot = np.nonzero(flips >= 0)
        sets[row, rank, flips[row, rank, slot]] ^= 1
        return sets, log_prob

    def _sample(self, n_draws: int, rng: np.random.Generator) -> LabelArray:
        p = self.marginals()[:, None]
        draws = np.empty((len(self), n_draws, self.n_labels), dtype=np.uint8)
        for rows in block_rows(len(self), 8.0 * n_draws * self.n_labels):
            draws[rows] = rng.random(draws[rows].shape) < p[rows]
        return draws

    def size_marginals(self, max_size: int | None = None) -> FloatArray:
        weights, means = self.constant(1.0)[:, None], self.marginals()[:, None, :]
        return kernels.sets.poisson_binomial.size_marginals(weights, means, self._n_sizes(max_size))

    def size_distribution(self) -> FloatArray:
        weights, means = self.constant(1.0)[:, None], self.marginals()[:, None, :]
        return kernels.sets.poisson_binomial.size_distribution(weights, means)

    def condition(self, known: FloatArray) -> "IndependentJoint":
        known = as_known(known, self.logits.shape, self.place)
        log_evidence, logits = with_known(known, self.logits)
        require_possible(log_evidence == -np.inf)
        return IndependentJoint(logits)

    def _under(self, rules: LabelRules) -> tuple[Joint, FloatArray]:
        from labelfield.joints.ising import IsingJoint

        bound, log_total = IsingJoint.where_possible(self.logits, FactorGraph.of_rules(rules))
        return bound, np.minimum(log_total - _log_total(self.logits), 0.0)

    def log_evidence(self, known: FloatArray) -> FloatArray:
        return with_known(as_known(known, self.logits.shape, self.place), self.logits)[0]

    def log_tilt(self, log_odds: FloatArray) -> FloatArray:
        return log_mean_exp(self.logits, as_tilt(log_odds, self.logits.shape, self.place))

    def tilt(self, log_odds: FloatArray) -> "IndependentJoint":
        return IndependentJoint(self.logits + as_tilt(log_odds, self.logits.shape, self.place))


def _log_total(logits: FloatArray) -> FloatArray:
    """Return sum_l log(1 + exp(logit_l)) over the labels that are not certain: (n, L) -> (n,).

    The factors 1 + e^-|logit| lie in [1, 2]: the product of a thousand is safe and takes one
    logarithm.
    """
    total = np.empty(len(logits))
    starts = np.arange(0, logits.shape[1], 1000)
    for rows in block_rows(len(logits), 1000.0 * logits.shape[1]):  # small blocks stay in the cache
        part = logits[rows]
        gain = np.where(np.isposinf(part), 0.0, np.maximum(part, 0.0)).sum(axis=1)
        factors = 1.0 + np.exp(-np.abs(part))
        total[rows] = gain + np.log(np.multiply.reduceat(factors, starts, axis=1)).sum(axis=1)
    return total
