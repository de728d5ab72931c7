"""The problem that a pairwise field solves: its labels, its loss, its solution."""

import numpy as np
import scipy.sparse as sp

from labelfield._exceptions import IntractableError
from labelfield._gate.indicator import list_sets
from labelfield.kernels.sets.bits import MAX_LISTED as MAX_LABELS
from labelfield.learners import LogOddsSource
from labelfield.learners.rows import as_rows, find_center
from labelfield.models.field.likelihoods import (
    LIKELIHOODS,
    pairs_seen,
    pulls_of_others,
    signs,
)
from labelfield.models.field.rows import (
    constant_log_odds,
    row_mean,
    row_weights,
    weights_of_all,
)
from labelfield.models.field.terms import FeatureTerms, LogOddsTerms
from labelfield.optim import Blocks, Trace

__all__ = ["MAX_LISTED", "FieldProblem", "PairwiseLoss"]

MAX_LISTED = 2**23  # rows times label sets that "auto" goes through at every step


class FieldProblem:
    """Minimise the loss of a pairwise field, again and again from where the last time ended.

    Labels that do not vary stay outside the field, with the log-odds of their counts.

    Parameters
    ----------
    X : array or CSR matrix (n, d), or BlockSource
    Y : uint8 array or CSR matrix (n, L)
    coupling_terms : ConstantTerms or FeatureTerms
        What couplings are made of.
    estimator, cv :
        Where the unary terms come from, if not from the features; see `CorrelatedLogistic`.
    objective, many_labels : str
        One of `LIKELIHOODS`, or "auto", which is "exact" for few labels, else `many_labels`.
    free_constants : bool
        Whether the constants of the labels are not penalised.
    weight : array (n,), optional
        Of the rows, positive.

    Attributes
    ----------
    varying : array (V,)
        The labels of the field.
    candidates : array (E, 2)
        Pairs of labels that may be coupled.
    sets : uint8 array (M, L) or None
        The label sets of the rows, with the objective "support".
    source : LogOddsSource or None
    loss : PairwiseLoss
    theta : array (p,)
        The parameters where the problem stands.
    strength : (float, StrengthPath or None) or None
        Of the penalty of the unary terms, once it is settled.
    """

    def __init__(
        self,
        X,
        Y,
        coupling_terms,
        *,
        estimator,
        cv,
        objective,
        many_labels,
        free_constants,
        weight=None,
    ):
        self.X = X
        self.constants, self.varying = constant_log_odds(Y, weight)
        labels = Y[:, self.varying]
        labels = labels if sp.issparse(Y) else np.ascontiguousarray(labels)
        n_rows = Y.shape[0] if weight is None else np.count_nonzero(weight)
        self.objective = _choose_objective(objective, many_labels, n_rows, labels.shape[1])
        if estimator is None:
            self.source = None
            rows = as_rows(X, weight=weight)
            center = find_center(rows) if free_constants else None
            unary = FeatureTerms(rows, labels.shape[1], center, weight)
        else:
            self.source = LogOddsSource(estimator, cv)
            log_odds = self.source.fit_transform(X, Y, weight)[:, self.varying]
            unary = LogOddsTerms(log_odds, weight)
        if self.objective == "support":
            self.sets = list_sets(Y, weight)[0]
            edges = pairs_seen(labels, 1)
        else:
            self.sets = None
            edges = np.column_stack(np.triu_indices(labels.shape[1], k=1))
        self.candidates = self.varying[edges]
        self.n_free = len(self.varying) if free_constants else 0
        likelihood = LIKELIHOODS[self.objective](labels, edges, weight)
        couplings = coupling_terms(X, len(edges), weight=weight)
        self.loss = PairwiseLoss(likelihood, unary, couplings, labels, free_constants, weight)
        self.theta = self.loss.reference
        self.strength = None

    def solve(self, solver, unary_penalty, coupling_penalty, *, tol, max_iter):
        """Move `theta` to the least penalised loss; return the Trace."""
        if not len(self.varying):
            return Trace([0.0], "converged")
        penalty = Blocks(self.loss.sizes, (unary_penalty, coupling_penalty))
        self.theta, trace = solver(self.loss, penalty, self.theta, tol=tol, max_iter=max_iter)
        return trace

    def label_weights(self):
        """Return the weights (L, d) and constants (L,) of all labels."""
        weights, constants = self.loss.unary.weights(self.loss.split(self.theta)[0])
        weights = weights_of_all(weights, self.X)
        coef, intercept = np.zeros((len(self.constants), weights.shape[1])), self.constants.copy()
        coef[self.varying] = weights
        intercept[self.varying] = constants - self.loss.pulls_of_means(self.theta)
        return coef, intercept

    def coupling_weights(self):
        """Return the parameters of all couplings, a column each, zeros where there is none."""
        return self.loss.split(self.theta)[1]


def _choose_objective(objective, many_labels, n_rows, n_labels):
    if objective == "exact" and n_labels > MAX_LABELS:
        raise IntractableError(
            f"objective='exact' lists all sets of up to {MAX_LABELS} labels, here are "
            f"{n_labels}. Use 'support' or 'pseudo'."
        )
    if objective != "auto":
        return objective
    return "exact" if n_rows * 2.0**n_labels <= MAX_LISTED else many_labels


class PairwiseLoss:
    """The likelihood of a field as a function of all its parameters in one vector.

    Parameters of the labels come first, then those of the couplings.

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
    weight : array (n,), optional
        Of the rows.
    """

    def __init__(self, likelihood, unary, couplings, Y, free_constants=False, weight=None):
        self.weight = row_weights(weight, Y.shape[0])
        self.likelihood = likelihood
        self.unary = unary
        self.couplings = couplings
        self.labels = Y
        self.sizes = tuple(int(np.prod(terms.shape)) for terms in (unary, couplings))
        self.rounding = max(1e-13, unary.rounding, couplings.rounding)
        self.means = signs(row_mean(Y, weight))
        if not (free_constants and couplings.shared):
            self.means = np.zeros(len(self.means))
        self._in_blocks = couplings.shared and hasattr(likelihood, "shared_terms")
        self.reference = np.append(unary.reference(Y).ravel(), np.zeros(self.sizes[1]))

    def split(self, theta):
        """Return the parameters of the labels and of the couplings as their terms want them."""
        unary, couplings = np.split(theta, [self.sizes[0]])
        return unary.reshape(self.unary.shape), couplings.reshape(self.couplings.shape)

    def value(self, theta):
        """Return the negative log-likelihood: (p,) -> ()."""
        if self._in_blocks:
            return self._shared_terms(theta)[0]
        return self.likelihood.evaluate(*self._terms(theta))[0]

    def value_and_gradient(self, theta):
        """Return the negative log-likelihood and its gradient (p,)."""
        if self._in_blocks:
            return self._shared_terms(theta)
        value, slope, pair_slope = self.likelihood.evaluate(*self._terms(theta))
        if self.means.any():
            pair_slope = pair_slope - self._slope_of_means(slope.sum(axis=0))
        gradient = self.unary.gradient(slope), self.couplings.gradient(pair_slope)
        return value, np.concatenate([part.ravel() for part in gradient])

    def _shared_terms(self, theta):
        """Return value and gradient of couplings that all rows share, with no terms (n, L)."""
        unary, couplings = self.split(theta)
        value, gradient, pair_slope = self.likelihood.shared_terms(
            self.unary, unary, -self.pulls_of_means(theta), couplings[0]
        )
        pair_slope = pair_slope - self._slope_of_means(gradient[-1])
        return value, np.concatenate([gradient.ravel(), pair_slope])

    def _slope_of_means(self, total):
        """Return the derivatives (E,) by couplings through the constants, which have `total`."""
        first, second = self.likelihood.edges.T
        return total[first] * self.means[second] + total[second] * self.means[first]

    def separated(self, theta):
        """Return which labels all rows are on the right side of, given the others: (L,)."""
        field, coupling = self._terms(theta)
        s = signs(self.labels)
        log_odds = field + pulls_of_others(s, self.likelihood.edges, coupling)
        return (s * log_odds > 0.0).all(axis=0)

    def pulls_of_means(self, theta):
        """Return the part of the constants that stands for neighbours at their means: (L,)."""
        ends = self.likelihood.edges.T
        pulls = np.zeros(len(self.means))
        for end, other in (ends, ends[::-1]):
            np.add.at(pulls, end, self.split(theta)[1][0] * self.means[other])
        return pulls

    def _terms(self, theta):
        unary, couplings = self.split(theta)
        field = self.unary.field(unary) - self.pulls_of_means(theta)
        return field, self.couplings.field(couplings)

    def metric(self, ridge, edge_ridge):
        """Return an approximate inverse Hessian: the one of labels without couplings."""
        share = row_mean(self.labels, self.weight)
        curvature = self.weight.sum() * share * (1.0 - share)
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
