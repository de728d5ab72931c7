"""What a pairwise field can be fitted by: four negative log-likelihoods of its terms.

The field scores a label set by 1/2 [sum_l z_l s_l + sum_e c_e s_l s_m], s = 2 y - 1 in -1, +1: the
log-odds of a label given all others are z_l + sum_m c_lm s_m. Every likelihood has
`evaluate(field, coupling)`, which returns the value summed over rows and its gradients: field z
(n, L); coupling c (n, E), or (1, E) where all rows share it.
"""

from functools import cached_property

import numpy as np

from labelfield import kernels
from labelfield.kernels.sets.bits import all_sets, pack, unique_sets
from labelfield.models.field import sign_means
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
    incident = np.zeros((len(edges), n_labels))
    incident[np.arange(len(edges))[:, None], edges] = 1.0
    return values @ incident


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
        loss, surplus, _ = kernels.losses.logistic.logistic_terms(
            scores, self.targets, self.weights
        )
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


class ListedLikelihood:
    """-log p(y), normalised over listed label sets (M, L), each row's own among them."""

    def __init__(self, Y, edges, sets):
        self.edges = edges
        self.indicators = pair_indicators(sets, edges)
        self.sets = sets
        self.codes = np.searchsorted(pack(sets), pack(Y))
        self.by_labels = SupportLikelihood(sets, self.codes)

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
        return SupportLikelihood(with_pairs, self.codes)


def exact_likelihood(Y, edges):
    """Return minus the log-likelihood, normalised over all 2^L sets."""
    sets = all_sets(Y.shape[1]) if Y.shape[1] else Y[:1]  # of no labels there is the empty set
    return ListedLikelihood(Y, edges, sets)


def support_likelihood(Y, edges):
    """Return minus the log-likelihood, normalised over the label sets of the rows."""
    return ListedLikelihood(Y, edges, unique_sets(Y))


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
        bound, means = sign_means.sign_means(0.5 * field, self.edges, 0.5 * coupling)
        held = np.vdot(field, self.signs) + np.sum(coupling * self.products)
        slope = means[:, first] * means[:, second] - self.products
        if len(coupling) < len(field):
            slope = slope.sum(axis=0, keepdims=True)
        return float(bound.sum() - 0.5 * held), 0.5 * (means - self.signs), 0.5 * slope


LIKELIHOODS = {
    "exact": exact_likelihood,
    "mean_field": MeanFieldLikelihood,
    "pseudo": PseudoLikelihood,
    "support": support_likelihood,
}
