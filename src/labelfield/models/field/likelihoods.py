"""Negative log-likelihoods of label fields, as functions of their terms.

A pairwise field scores a label set by 1/2 [sum_l z_l s_l + sum_e c_e s_l s_m], s = 2 y - 1 in
-1, +1: the log-odds of a label given all others are z_l + sum_m c_lm s_m. Each of `LIKELIHOODS` has
`evaluate(field, coupling)`, which returns the value summed over rows and its gradients: field z
(n, L); coupling c (n, E), or (1, E) where all rows share it. Rows may have weights (n,).

`SupportLikelihood` and `KnownLikelihood` are of fields that score a listed set of 0/1 labels by
s . field + set_score.
"""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp

from labelfield import kernels
from labelfield._gate.indicator import list_sets
from labelfield._namespaces import is_tensor, namespace, place_of, to_host
from labelfield.joints.base import block_rows
from labelfield.kernels.sets.bits import all_sets, pack
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.kernels.tensors.support import support_terms
from labelfield.learners.logistic_loss import columns_of_labels
from labelfield.learners.rows import Targets
from labelfield.models.field import sign_means
from labelfield.models.field.rows import row_weights

__all__ = [
    "LIKELIHOODS",
    "KnownLikelihood",
    "SupportLikelihood",
    "field_of_bits",
    "pair_indicators",
    "pairs_seen",
    "pulls_of_others",
    "signs",
    "support_log_weights",
]


def signs(Y):
    """Return labels as -1 and +1."""
    return 2.0 * Y - 1.0


def field_of_bits(field, edges, coupling):
    """Return unary terms (n, L) and couplings that say the same in terms of 0/1 labels."""
    return field - sum_at_ends(coupling, edges, field.shape[1]), 2.0 * coupling


def sum_at_ends(values, edges, n_labels):
    """Return for every label the sum over its edges: (n, E) -> (n, L)."""
    return values @ incidence(edges, n_labels)


def incidence(edges, n_labels):
    """Return which labels are the ends of which edges: (E, L), 0 and 1."""
    incident = np.zeros((len(edges), n_labels))
    incident[np.arange(len(edges))[:, None], edges] = 1.0
    return incident


def pulls_of_others(signs, edges, coupling):
    """Return what the other labels add to each label's log-odds: (n, L).

    An edge's s_l s_m, summed at l and times s_l, is the sign s_m of the other end.
    """
    products = coupling * signs[:, edges[:, 0]] * signs[:, edges[:, 1]]
    return signs * sum_at_ends(products, edges, signs.shape[1])


def pairs_seen(Y, min_count, weight=None):
    """Return the label pairs (E, 2) present together in at least `min_count` rows of Y (n, L)."""
    Y = sp.csr_matrix(Y, dtype=np.float64)
    counted = Y if weight is None else sp.diags(weight) @ Y
    together = (Y.T @ counted).toarray()
    first, second = np.nonzero(np.triu(together >= min_count, k=1))
    return np.stack([first, second], axis=1)


def pair_indicators(sets, pairs):
    """Return which listed set (M, L) has which pair (E, 2): CSR matrix (M, E)."""
    both = sets[:, pairs[:, 0]] & sets[:, pairs[:, 1]]
    return sp.csr_matrix(both, dtype=np.float64)


def pair_means(labels, pairs, weight):
    """Return the weighted share of rows (n, L) that have both labels of each pair (E, 2): (E,)."""
    labels = sp.csr_matrix(labels, dtype=np.float64)
    together = (labels.T @ (sp.diags(weight / weight.sum()) @ labels)).toarray()
    return together[pairs[:, 0], pairs[:, 1]]


def support_log_weights(sets, field, set_score):
    """Return log p(set) of every listed set under score = set . field_n + set_score: (n, M).

    sets (M, L); field (n, L); set_score (M,), or (n, M) where it differs by row.
    """
    if is_tensor(field):
        place = place_of(field)
        field = place.xp.astype(field, place.xp.float64)
        sets, set_score = place.asarray(sets), place.asarray(set_score)
    scores = field @ namespace(field).astype(sets.T, field.dtype) + set_score
    return scores - logsumexp(scores, axis=1)[:, None]


class PseudoLikelihood:
    """Sum over labels of -log p(label | all other labels): one logistic loss per label.

    Parameters
    ----------
    Y : uint8 array (n, L)
    edges : int array (E, 2)
    weight : array (n,), optional
    """

    def __init__(self, Y, edges, weight=None):
        self.targets = Targets.of(Y)
        self.columns = columns_of_labels(np.arange(Y.shape[1]), Y.shape[1])
        self.signs = signs(np.asarray(Y, dtype=np.float64))
        self.edges = edges
        self.weights = row_weights(weight, len(Y))[:, None]

    def evaluate(self, field, coupling):
        first, second = self.edges.T
        shared = len(coupling) < len(field)
        if shared:
            scores = field + self._shared_pulls(coupling[0])
        else:
            scores = field + self.signs * ((coupling * self._products) @ self._incident)
        targets, residual = self.targets, np.ascontiguousarray(scores)
        loss, _ = kernels.losses.logistic.logistic_terms(
            residual,
            self.weights,
            self.columns[1],
            targets.starts,
            targets.labels,
            targets.values,
            *self.columns,
        )
        if shared:
            products = self.signs.T @ residual
            slope = (products[first, second] + products[second, first])[None]
        else:
            slope = (residual * self.signs) @ self._incident.T
            slope *= self._products
        return float(loss.sum()), residual, slope

    @cached_property
    def _products(self):
        """s_l s_m of every edge (n, E): times s_l it is s_m, the sign of the other end."""
        first, second = self.edges.T
        return self.signs[:, first] * self.signs[:, second]

    @cached_property
    def _incident(self):
        return incidence(self.edges, self.signs.shape[1])

    def _shared_pulls(self, coupling):
        first, second = self.edges.T
        matrix = np.zeros((self.signs.shape[1],) * 2)
        matrix[first, second] = matrix[second, first] = coupling
        return self.signs @ matrix


class ListedLikelihood:
    """-log p(y), normalised over listed label sets (M, L), each row's own (n,) among them."""

    def __init__(self, sets, codes, edges, weight=None):
        self.edges = edges
        self.weight = weight
        self.indicators = pair_indicators(sets, edges)
        self.sets, self.codes = sets, codes
        self.by_labels = SupportLikelihood(sets, codes, weight)

    def shared_terms(self, terms, theta, shift, coupling):
        """Return value, gradient by theta and by couplings (E,) that all rows share.

        terms : FeatureTerms or LogOddsTerms, with constants in the last row of theta
        shift (L,) : is added to the constants
        """
        moved = theta.copy()
        moved[-1] += shift - sum_at_ends(coupling[None], self.edges, theta.shape[1])[0]
        scores = self.indicators @ (2.0 * coupling)
        value, gradient, set_slope = terms.listed_terms(moved, self.by_labels, scores)
        first, second = self.edges.T
        at_ends = gradient[-1]
        pair_slope = 2.0 * (self.indicators.T @ set_slope) - at_ends[first] - at_ends[second]
        return value, gradient, pair_slope

    def evaluate(self, field, coupling):
        unary, weights = field_of_bits(field, self.edges, coupling)
        first, second = self.edges.T
        if len(coupling) < len(field):
            scores = self.indicators @ weights[0]
            value, slope, set_slope = self.by_labels.evaluate(unary, scores)
            at_ends = slope.sum(axis=0)
            pair_slope = 2.0 * (self.indicators.T @ set_slope) - at_ends[first] - at_ends[second]
            return value, slope, pair_slope[None]
        terms = np.concatenate([unary, weights], axis=1)
        value, slope, _ = self.by_pairs.evaluate(terms, np.zeros(len(self.sets)))
        slope, pair_slope = np.split(slope, [unary.shape[1]], axis=1)
        return value, slope, 2.0 * pair_slope - slope[:, first] - slope[:, second]

    @cached_property
    def by_pairs(self):
        """The likelihood with pairs as further labels, whose terms differ by row."""
        with_pairs = np.concatenate([self.sets, self.indicators.toarray()], axis=1)
        return SupportLikelihood(with_pairs, self.codes, self.weight)


def exact_likelihood(Y, edges, weight=None):
    """Return minus the log-likelihood, normalised over all 2^L sets."""
    sets = all_sets(Y.shape[1]) if Y.shape[1] else Y[:1]  # of no labels there is the empty set
    seen, codes = list_sets(Y, weight)
    return ListedLikelihood(sets, np.searchsorted(pack(sets), pack(seen))[codes], edges, weight)


def support_likelihood(Y, edges, weight=None):
    """Return minus the log-likelihood, normalised over the label sets of the rows."""
    return ListedLikelihood(*list_sets(Y, weight), edges, weight)


class MeanFieldLikelihood:
    """-log p(y) with the mean-field bound in place of log Z, which is larger; never negative.

    The largest bound is a convex function of the terms, with kinks where two sets of means give the
    same bound. A search that misses the largest makes jumps of them, see `sign_means`. Going on
    from the means of the last evaluation misses it more and more often, until nothing fits.
    """

    def __init__(self, Y, edges, weight=None):
        self.weight = row_weights(weight, len(Y))
        self.signs = signs(np.asarray(Y, dtype=np.float64))
        self.edges = np.ascontiguousarray(edges)
        self.products = self.signs[:, edges[:, 0]] * self.signs[:, edges[:, 1]]

    def evaluate(self, field, coupling):
        first, second = self.edges.T
        terms = 0.5 * field, self.edges, 0.5 * coupling
        bound, means = sign_means.sign_means(*terms, self.signs)
        score = (field * self.signs).sum(axis=1) + (coupling * self.products).sum(axis=1)
        slope = means[:, first] * means[:, second] - self.products
        slope *= self.weight[:, None]
        if len(coupling) < len(field):
            slope = slope.sum(axis=0, keepdims=True)
        value = float(self.weight @ (bound - 0.5 * score))
        return value, 0.5 * self.weight[:, None] * (means - self.signs), 0.5 * slope


LIKELIHOODS = {
    "exact": exact_likelihood,
    "mean_field": MeanFieldLikelihood,
    "pseudo": PseudoLikelihood,
    "support": support_likelihood,
}


@dataclass(frozen=True, eq=False)
class Codes:
    """Which listed set each row has (n,): the targets of rows with n_labels labels."""

    codes: np.ndarray
    n_labels: int

    def __getitem__(self, rows):
        """Return the codes of a slice of the rows."""
        return Codes(self.codes[rows], self.n_labels)


def _support_block_terms(block, coef, shift, set_score, labels, starts):
    """Return value and derivatives by weights (d, L), constants (L,) and set_score (M,)."""
    field = block.design.scores(coef, shift)
    weight = np.ascontiguousarray(block.weight[:, 0])
    value, slope, set_slope = kernels.losses.support.support_terms(
        field, set_score, labels, starts, block.targets.codes, weight
    )
    return value, block.design.rmatmul(slope), slope.sum(axis=0), set_slope


class SupportLikelihood:
    """Negative log-likelihood of rows that each have one of M listed sets.

    The score of set s in row n is s . field_n + set_score_s, normalised over the listed sets. Sets
    are sparse, so that a pass costs about n times the labels of all sets together, and n x M
    exponentials; n x M numbers are never stored at once.

    Parameters
    ----------
    sets : uint8 array (M, L)
    codes : int array (n,)
        Which set each row has.
    weight : array (n,), optional
    """

    def __init__(self, sets, codes, weight=None):
        self.weight = row_weights(weight, len(codes))
        rows, self.labels = np.nonzero(sets)
        self.starts = np.searchsorted(rows, np.arange(len(sets) + 1))
        self.sets, self.codes = sets, codes
        self.targets = Codes(codes, sets.shape[1])

    def block_terms(self):
        """Return what computes the terms of a block of rows; it can be sent elsewhere."""
        return partial(_support_block_terms, labels=self.labels, starts=self.starts)

    def evaluate(self, field, set_score):
        """Return the value and its gradients with respect to field (n, L) and set_score (M,)."""
        if is_tensor(field):
            return self._evaluate_tensor(field, set_score)
        return kernels.losses.support.support_terms(
            field, set_score, self.labels, self.starts, self.codes, self.weight
        )

    def _evaluate_tensor(self, field, set_score):
        """Return what `evaluate` does; the gradient by set_score comes to main memory."""
        place, parts = place_of(field), []
        xp, size = place.xp, 64.0 * len(self.sets)
        members, score, weight = (
            xp.astype(place.asarray(values), field.dtype)
            for values in (self.sets, set_score, self.weight)
        )
        codes = place.asarray(self.codes, "int64")
        for rows in block_rows(field.shape[0], size, place):
            given = score, members, codes[rows], weight[rows]
            parts.append(support_terms(field[rows, :], *given))
        values, slopes, masses = zip(*parts)
        mass = sum(map(to_host, masses)) - np.bincount(self.codes, self.weight, len(self.sets))
        return sum(map(float, values)), xp.concat(slopes), mass


class KnownLikelihood:
    """Negative log-likelihood of the known labels of rows, the others summed out.

    As `SupportLikelihood`, but a row has any of the listed sets that agree with its known labels;
    there must be one.

    Parameters
    ----------
    sets : uint8 array (M, L)
    labels : uint8 array (n, L)
    known : bool array (n, L)
    weight : array (n,), optional
    """

    targets = None  # is not summed over blocks of rows

    def __init__(self, sets, labels, known, weight=None):
        self.weight = row_weights(weight, len(labels))
        self.sets = sp.csr_matrix(sets, dtype=np.float64)
        self.members = self.sets.T.tocsr()
        self.absent = (known & (labels == 0)).astype(np.float64)
        self.present = (known & (labels == 1)).astype(np.float64)

    def _agrees(self, rows):
        """Return which sets agree with which of the rows: bool (M, b)."""
        conflicts = self.sets @ (self.absent[rows] - self.present[rows]).T
        conflicts += self.present[rows].sum(axis=1)
        return conflicts < 0.5

    def evaluate(self, field, set_score):
        """Return the value and its gradients with respect to field (n, L) and set_score (M,)."""
        place, field = place_of(field), to_host(field)
        gradient = np.empty_like(field)
        set_gradient = np.zeros(len(set_score))
        value = 0.0
        for rows in block_rows(len(field), 48.0 * len(set_score)):
            scores = self.sets @ np.ascontiguousarray(field[rows].T)
            scores += set_score[:, None]
            agreeing = np.where(self._agrees(rows), scores, -np.inf)
            log_total, log_known = logsumexp(scores, axis=0), logsumexp(agreeing, axis=0)
            value += float((log_total - log_known) @ self.weight[rows])
            residual = np.exp(scores - log_total) - np.exp(agreeing - log_known)
            residual *= self.weight[rows]
            set_gradient += residual.sum(axis=1)
            gradient[rows] = (self.members @ residual).T
        return value, place.asarray(gradient), set_gradient
