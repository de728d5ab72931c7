"""The likelihood of a field of cliques as a function of all its parameters in one vector."""

import numpy as np

from labelfield import kernels
from labelfield.joints.factor_graph import FactorGraph
from labelfield.joints.factor_graph.products import bits_of_signs
from labelfield.models.field.rows import row_weights

__all__ = ["CliqueLikelihood", "CliqueLoss", "products_of"]


def products_of(n_labels, cliques):
    """Return the labels one by one, then the cliques."""
    return [(label,) for label in range(n_labels)] + list(cliques)


class CliqueLikelihood:
    """-log p(y) of a field of products of signs, normalised over all sets.

    Parameters
    ----------
    Y : uint8 array (n, L)
    cliques : list of tuples of labels, with all their parts of two or more labels
    weight : array (n,), optional
        Of the rows.
    """

    def __init__(self, Y, cliques, weight=None):
        self.weight = row_weights(weight, len(Y))
        self.n_labels = Y.shape[1]
        graph = FactorGraph(max(self.n_labels, 1), cliques)
        self.members, self.offsets = graph.members, graph.offsets
        self.to_bits = bits_of_signs(products_of(self.n_labels, cliques))
        labels = np.asarray(Y, dtype=np.float64)
        products = [labels[:, list(clique)].prod(axis=1) for clique in cliques]
        self.observed = np.column_stack([labels, *products])

    def evaluate(self, field, coupling):
        """Return the value and its gradients for weights (n, L) and (n, C) of sign products."""
        constant = np.concatenate([field, coupling], axis=1) @ self.to_bits
        unary, weights = np.split(constant, [self.n_labels], axis=1)
        log_partition, marginals, both = kernels.fields.enumeration.beliefs(
            np.ascontiguousarray(unary), self.members, self.offsets, np.ascontiguousarray(weights)
        )
        residual = np.concatenate([marginals, both], axis=1) - self.observed
        residual *= self.weight[:, None]
        score = np.einsum("ij,ij->i", constant, self.observed)
        value = float(self.weight @ (log_partition - score))
        return value, *np.split(residual @ self.to_bits.T, [self.n_labels], axis=1)


class CliqueLoss:
    """Parameters of the labels first, then those of the cliques.

    Parameters
    ----------
    likelihood : CliqueLikelihood
    labels, cliques : FeatureTerms
        What the weights of labels and of cliques are made of.
    Y : uint8 array (n, L)
    """

    def __init__(self, likelihood, labels, cliques, Y):
        self.likelihood = likelihood
        self.labels = labels
        self.cliques = cliques
        self.sizes = tuple(int(np.prod(terms.shape)) for terms in (labels, cliques))
        self.rounding = max(1e-13, labels.rounding)
        # A sign counts half a log-odds.
        self.reference = np.append(0.5 * labels.reference(Y).ravel(), np.zeros(self.sizes[1]))

    def split(self, theta):
        """Return the parameters of the labels and of the cliques as their terms want them."""
        labels, cliques = np.split(theta, [self.sizes[0]])
        return labels.reshape(self.labels.shape), cliques.reshape(self.cliques.shape)

    def value(self, theta):
        """Return the negative log-likelihood: (p,) -> ()."""
        return self._evaluate(theta)[0]

    def value_and_gradient(self, theta):
        """Return the negative log-likelihood and its gradient (p,)."""
        value, slope, clique_slope = self._evaluate(theta)
        gradient = self.labels.gradient(slope), self.cliques.gradient(clique_slope)
        return value, np.concatenate([part.ravel() for part in gradient])

    def lipschitz(self):
        """Return about the largest curvature."""
        return max(self.labels.curvature(), self.cliques.curvature())

    def scale(self):
        """Return the largest entry of the gradient of labels without features and cliques."""
        return float(np.abs(self.value_and_gradient(self.reference)[1]).max())

    def _evaluate(self, theta):
        labels, cliques = self.split(theta)
        return self.likelihood.evaluate(self.labels.field(labels), self.cliques.field(cliques))
