"""What a pairwise field can be fitted by: four negative log-likelihoods of its terms.

The field scores a label set by 1/2 [sum_l z_l s_l + sum_e c_e s_l s_m], s = 2 y - 1 in -1, +1: the
log-odds of a label given all others are z_l + sum_m c_lm s_m. Every likelihood has
`evaluate(field, coupling)`, which returns the value summed over rows and its gradients: field z
(n, L); coupling c (n, E), or (1, E) where all rows share it.
"""

import numpy as np

from labelfield import kernels
from labelfield.models.field.support_likelihood import SupportLikelihood, pair_indicators

__all__ = ["LIKELIHOODS", "field_of_bits", "pulls_of_others", "signs"]


def signs(Y):
    """Return labels as -1 and +1."""
    return 2.0 * Y - 1.0


def field_of_bits(field, edges, coupling):
    """Return the unary terms (n, L) and couplings of the same law in terms of 0/1 labels."""
    return field - sum_at_ends(coupling, edges, field.shape[1]), 2.0 * coupling


def sum_at_ends(values, edges, n_labels):
    """Return for every label the sum over its edges: (n, E) -> (n, L)."""
    sums = np.zeros((len(values), n_labels))
    for end in (0, 1):
        incident = np.zeros((len(edges), n_labels))
        incident[np.arange(len(edges)), edges[:, end]] = 1.0
        sums += values @ incident
    return sums


def pulls_of_others(signs, edges, coupling):
    """Return what the other labels add to each label's log-odds: (n, L).

    An edge's s_l s_m, summed at l and times s_l, is the sign s_m of the other end.
    """
    products = coupling * signs[:, edges[:, 0]] * signs[:, edges[:, 1]]
    return signs * sum_at_ends(products, edges, signs.shape[1])


class PseudoLikelihood:
    """Sum over labels of -log p(label | all other labels): one logistic loss per label.

    Parameters
    ----------
    Y : uint8 array (n, L)
    edges : int array (E, 2)
    """

    def __init__(self, Y, edges):
        self.targets = np.ascontiguousarray(Y, dtype=np.float64)
        self.signs = signs(self.targets)
        self.edges = edges
        self.weights = np.ones((len(Y), 1))

    def evaluate(self, field, coupling):
        first, second = self.edges.T
        shared = len(coupling) < len(field)
        if shared:
            scores = field + self._shared_pulls(coupling[0])
        else:
            scores = field + pulls_of_others(self.signs, self.edges, coupling)
        loss, surplus, _ = kernels.logistic.logistic_terms(scores, self.targets, self.weights)
        if shared:
            products = self.signs.T @ surplus
            slope = (products[first, second] + products[second, first])[None]
        else:
            slope = surplus[:, first] * self.signs[:, second]
            slope += surplus[:, second] * self.signs[:, first]
        return float(loss.sum()), surplus, slope

    def _shared_pulls(self, coupling):
        first, second = self.edges.T
        matrix = np.zeros((self.signs.shape[1],) * 2)
        matrix[first, second] = matrix[second, first] = coupling
        return self.signs @ matrix


class _LikelihoodOfBits:
    """A likelihood that knows log Z and the moments of the law in terms of 0/1 labels."""

    def __init__(self, Y, edges):
        self.labels = np.asarray(Y, dtype=np.float64)
        self.edges = edges

    def evaluate(self, field, coupling):
        unary, weights = field_of_bits(field, self.edges, coupling)
        value, slope, pair_slope = self._evaluate_bits(unary, weights)
        first, second = self.edges.T
        at_ends = slope[:, first] + slope[:, second]
        if len(coupling) < len(field):
            at_ends = at_ends.sum(axis=0, keepdims=True)
        return value, slope, 2.0 * pair_slope - at_ends


class ExactLikelihood(_LikelihoodOfBits):
    """-log p(y), normalised over all 2^L sets."""

    def __init__(self, Y, edges):
        super().__init__(Y, edges)
        self.pairs = self.labels[:, edges[:, 0]] * self.labels[:, edges[:, 1]]
        self.members = np.ascontiguousarray(edges).ravel()
        self.offsets = np.arange(0, 2 * len(edges) + 1, 2)

    def _evaluate_bits(self, unary, weights):
        log_partition, marginals, both = kernels.enumeration.beliefs(
            unary, self.members, self.offsets, weights
        )
        held = np.vdot(unary, self.labels) + np.sum(weights * self.pairs)
        pair_slope = both - self.pairs
        if len(weights) < len(unary):
            pair_slope = pair_slope.sum(axis=0, keepdims=True)
        return float(log_partition.sum() - held), marginals - self.labels, pair_slope


class ListedLikelihood(_LikelihoodOfBits):
    """-log p(y), normalised over the label sets of the training rows."""

    def __init__(self, Y, edges):
        super().__init__(Y, edges)
        self.sets, codes = np.unique(Y, axis=0, return_inverse=True)
        self.indicators = pair_indicators(self.sets, edges)
        self.codes = codes.ravel()
        self.by_labels = SupportLikelihood(self.sets, self.codes)
        self.by_pairs = None

    def _evaluate_bits(self, unary, weights):
        if len(weights) < len(unary):
            value, slope, set_slope = self.by_labels.evaluate(unary, self.indicators @ weights[0])
            return value, slope, (self.indicators.T @ set_slope)[None]
        if self.by_pairs is None:  # pairs count as further labels, whose terms differ by row
            with_pairs = np.concatenate([self.sets, self.indicators.toarray()], axis=1)
            self.by_pairs = SupportLikelihood(with_pairs, self.codes)
        field = np.concatenate([unary, weights], axis=1)
        value, slope, _ = self.by_pairs.evaluate(field, np.zeros(len(self.sets)))
        return value, *np.split(slope, [unary.shape[1]], axis=1)


class MeanFieldLikelihood:
    """-log p(y) with the mean-field bound in place of log Z, which is larger.

    The means start from those of labels without couplings at every evaluation: going on from the
    means of the last one lets the field drift into a corner of the bound where it fits nothing.
    """

    def __init__(self, Y, edges):
        self.signs = signs(np.asarray(Y, dtype=np.float64))
        self.edges = np.ascontiguousarray(edges)
        self.products = self.signs[:, edges[:, 0]] * self.signs[:, edges[:, 1]]

    def evaluate(self, field, coupling):
        first, second = self.edges.T
        bound, means = kernels.sign_means.sign_means(0.5 * field, self.edges, 0.5 * coupling)
        held = np.vdot(field, self.signs) + np.sum(coupling * self.products)
        slope = means[:, first] * means[:, second] - self.products
        if len(coupling) < len(field):
            slope = slope.sum(axis=0, keepdims=True)
        return float(bound.sum() - 0.5 * held), 0.5 * (means - self.signs), 0.5 * slope


LIKELIHOODS = {
    "exact": ExactLikelihood,
    "mean_field": MeanFieldLikelihood,
    "pseudo": PseudoLikelihood,
    "support": ListedLikelihood,
}
