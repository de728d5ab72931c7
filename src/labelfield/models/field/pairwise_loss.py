"""The likelihood of a pairwise field as a function of all its parameters in one vector."""

import numpy as np

from labelfield.models.field.likelihoods import pulls_of_others, signs

__all__ = ["PairwiseLoss"]


class PairwiseLoss:
    """Parameters of the labels first, then those of the couplings.

    With free constants and couplings that all rows share, the constants are those of labels whose
    neighbours are at their means: log-odds z_l + sum_m c_lm (s_m - mean s_m). Otherwise constants
    and couplings pull in nearly the same direction, which solvers are slow to tell apart.

    Parameters
    ----------
    likelihood : one of `likelihoods.LIKELIHOODS`, made
    unary, couplings : FeatureTerms, LogOddsTerms or ConstantTerms
        What the terms of labels and of pairs are made of.
    Y : uint8 array (n, L)
    free_constants : bool
        Whether the constants of the labels are not penalised.
    """

    def __init__(self, likelihood, unary, couplings, Y, free_constants=False):
        self.likelihood = likelihood
        self.unary = unary
        self.couplings = couplings
        self.labels = Y
        self.sizes = tuple(int(np.prod(terms.shape)) for terms in (unary, couplings))
        self.rounding = max(1e-13, unary.rounding, couplings.rounding)
        self.means = signs(Y).mean(axis=0)
        if not (free_constants and couplings.shared):
            self.means = np.zeros(len(self.means))
        self.reference = np.append(unary.reference(Y).ravel(), np.zeros(self.sizes[1]))

    def split(self, theta):
        """Return the parameters of the labels and of the couplings as their terms want them."""
        unary, couplings = np.split(theta, [self.sizes[0]])
        return unary.reshape(self.unary.shape), couplings.reshape(self.couplings.shape)

    def value(self, theta):
        """Return the negative log-likelihood: (p,) -> ()."""
        return self._evaluate(theta)[0]

    def value_and_gradient(self, theta):
        """Return the negative log-likelihood and its gradient (p,)."""
        value, slope, pair_slope = self._evaluate(theta)
        gradient = self.unary.gradient(slope), self.couplings.gradient(pair_slope)
        return value, np.concatenate([part.ravel() for part in gradient])

    def separated(self, theta):
        """Return which labels all rows are on the right side of, given the others: (L,)."""
        field, coupling = self._terms(theta)
        s = signs(self.labels)
        log_odds = field + pulls_of_others(s, self.likelihood.edges, coupling)
        return (s * log_odds > 0.0).all(axis=0)

    def pulls_of_means(self, theta):
        """Return what the constants hold of neighbours at their means: (L,)."""
        ends = self.likelihood.edges.T
        pulls = np.zeros(len(self.means))
        for end, other in (ends, ends[::-1]):
            np.add.at(pulls, end, self.split(theta)[1][0] * self.means[other])
        return pulls

    def _terms(self, theta):
        unary, couplings = self.split(theta)
        field = self.unary.field(unary) - self.pulls_of_means(theta)
        return field, self.couplings.field(couplings)

    def _evaluate(self, theta):
        value, slope, pair_slope = self.likelihood.evaluate(*self._terms(theta))
        if self.means.any():
            total = slope.sum(axis=0)
            first, second = self.likelihood.edges.T
            pair_slope = pair_slope - (
                total[first] * self.means[second] + total[second] * self.means[first]
            )
        return value, slope, pair_slope

    def metric(self, ridge, edge_ridge):
        """Return an approximate inverse Hessian: the one of labels without couplings."""
        share = self.labels.mean(axis=0)
        curvature = len(self.labels) * share * (1.0 - share)
        first, second = self.likelihood.edges.T
        spread = 1.0 - self.means**2
        at_ends = curvature[first] * spread[second] + curvature[second] * spread[first]
        parts = (
            self.unary.metric(curvature, ridge),
            self.couplings.metric(at_ends, edge_ridge),
        )

        def solve(theta):
            return np.concatenate(
                [metric(part).ravel() for metric, part in zip(parts, self.split(theta))]
            )

        return solve

    def lipschitz(self):
        """Return about the largest curvature."""
        return max(self.unary.curvature(), self.couplings.curvature())

    def scale(self):
        """Return the largest entry of the gradient of labels without features and couplings."""
        gradient = self.value_and_gradient(self.reference)[1]
        return float(np.abs(gradient).max())
