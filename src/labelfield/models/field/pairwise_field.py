"""What the pairwise fields share: constant labels, unary terms, the fit and the joint."""

import warnings
from abc import abstractmethod

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from labelfield._exceptions import IntractableError
from labelfield._parameters import choice, declare
from labelfield._validation import validate_fit
from labelfield.base import JointClassifier
from labelfield.joints import IsingJoint, SupportJoint
from labelfield.kernels.sets.bits import MAX_LISTED as MAX_LABELS
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.label_graph import LabelGraph
from labelfield.learners import LogOddsSource, check_source
from labelfield.models.field.likelihoods import LIKELIHOODS, field_of_bits
from labelfield.models.field.pairwise_loss import PairwiseLoss
from labelfield.models.field.support_likelihood import pair_indicators, pairs_seen
from labelfield.models.field.terms import FeatureTerms, LogOddsTerms
from labelfield.optim import Blocks, ElasticNet, Trace, fista, fixed_step_fista

__all__ = ["PairwiseField"]

# what `_prepare` sets, the same for every penalty
PREPARED = (
    "_candidates",
    "_constants",
    "_mean_row",
    "_varying",
    "objective_",
    "sets_",
    "source_",
)
MAX_LISTED = 2**23  # rows times label sets that "auto" goes through at every step


class PairwiseField(JointClassifier):
    """Base of models with p(y | x) ~ exp 1/2 [sum_l z_l(x) s_l + sum_lm c_lm(x) s_l s_m].

    A subclass gives `_coupling_terms` and `_coupling_penalty`, keeps what was learned of the
    couplings in `_keep_couplings` and returns couplings of rows in `_couplings`. Labels that do
    not vary stay outside the field, with the log-odds of their counts.
    """

    _many_labels = "support"  # the objective of "auto" where all sets are too many
    _l1_ratio = 0.0  # of the features' weights

    _parameter_constraints = declare(
        "estimator",
        "alpha",
        "cv",
        "max_iter",
        "tol",
        "decoder",
        objective=[choice("auto", *LIKELIHOODS)],
        penalize_intercept=["boolean"],
        inference=[str],
    )

    def _fit(self, X, Y):
        loss = self._prepare(X, Y)
        self._solve(loss, loss.reference)

    def path(self, X, y, *, edge_alphas):
        """Fit the field for several strengths of the edge penalty, each from the one before.

        Parameters
        ----------
        X, y : as in `fit`
        edge_alphas : sequence of float

        Returns
        -------
        models : list of fitted models like this one, the strongest penalty first
        """
        models, loss, theta = [], None, None
        for edge_alpha in sorted(edge_alphas, reverse=True):
            model = clone(self).set_params(edge_alpha=edge_alpha)
            model._validate_params()
            valid_X, Y = validate_fit(model, X, y)
            if loss is None:
                loss = model._prepare(valid_X, Y)
                first, theta = model, loss.reference
            else:
                model._share_preparation(first)
            theta = model._solve(loss, theta)
            model._learn_decoder(valid_X, Y)
            models.append(model)
        return models

    @abstractmethod
    def _coupling_terms(self, X, n_edges):
        """Return what the couplings are made of."""

    @abstractmethod
    def _coupling_penalty(self, terms):
        """Return the penalty of the couplings' parameters."""

    @abstractmethod
    def _keep_couplings(self, terms, theta):
        """Store the parameters theta of the couplings; sets `edges_` among `_candidates`."""

    @abstractmethod
    def _couplings(self, X):
        """Return the couplings of the edges: (n, E), or (1, E) if all rows share them."""

    def _prepare(self, X, Y):
        """Return the loss; sets everything that the penalties do not change."""
        counts = Y.sum(axis=0, dtype=np.float64)
        self._constants = np.log((counts + 0.5) / (len(Y) - counts + 0.5))
        self._varying = np.flatnonzero((counts > 0) & (counts < len(Y)))
        varying = np.ascontiguousarray(Y[:, self._varying])
        self.objective_ = self._choose_objective(*varying.shape)
        if self.estimator is None:
            center = None if self.penalize_intercept else np.asarray(X.mean(axis=0)).ravel()
            unary = FeatureTerms(X, varying.shape[1], center)
        else:
            check_source(self.estimator)
            self.source_ = LogOddsSource(self.estimator, self.cv)
            unary = LogOddsTerms(self.source_.fit_transform(X, Y)[:, self._varying])
        if self.objective_ == "support":
            self.sets_ = np.unique(Y, axis=0)
            edges = pairs_seen(varying, 1)
        else:
            edges = np.column_stack(np.triu_indices(varying.shape[1], k=1))
        self._candidates = self._varying[edges]
        likelihood = LIKELIHOODS[self.objective_](varying, edges)
        couplings = self._coupling_terms(X, len(edges))
        return PairwiseLoss(likelihood, unary, couplings, varying, not self.penalize_intercept)

    def _share_preparation(self, other):
        for name in PREPARED:
            if hasattr(other, name):
                setattr(self, name, getattr(other, name))

    def _choose_objective(self, n_rows, n_labels):
        if self.objective == "exact" and n_labels > MAX_LABELS:
            raise IntractableError(
                f"objective='exact' lists all sets of up to {MAX_LABELS} labels, here are "
                f"{n_labels}. Use 'support' or 'pseudo'."
            )
        if self.objective != "auto":
            return self.objective
        return "exact" if n_rows * 2.0**n_labels <= MAX_LISTED else self._many_labels

    def _solve(self, loss, start):
        """Minimise, store and return the parameters."""
        self.trace_, self.n_iter_ = Trace([0.0], "converged"), 1
        theta = self._minimise(loss, start) if len(self._varying) else start
        unary, couplings = loss.split(theta)
        weights, constants = loss.unary.weights(unary)
        self.coef_ = np.zeros((len(self._constants), weights.shape[1]))
        self.coef_[self._varying] = weights
        self.intercept_ = self._constants.copy()
        self.intercept_[self._varying] = constants - loss.pulls_of_means(theta)
        self._keep_couplings(loss.couplings, couplings)
        return theta

    def _minimise(self, loss, start):
        """Return the parameters of the least penalised loss; sets `trace_` and `n_iter_`."""
        n_constants = 0 if self.penalize_intercept else len(self._varying)
        penalty = Blocks(
            loss.sizes,
            (
                ElasticNet(self.alpha, self._l1_ratio, n_constants),
                self._coupling_penalty(loss.couplings),
            ),
        )
        solver = fixed_step_fista if self.objective_ == "mean_field" else self._solver(loss)
        theta, self.trace_ = solver(loss, penalty, start, tol=self.tol, max_iter=self.max_iter)
        self.n_iter_ = max(1, self.trace_.n_iter)
        if self.trace_.reason == "max_iter":
            self._warn(
                f"did not reach tol={self.tol} within max_iter={self.max_iter} iterations; raise "
                f"either, scale the features, or raise alpha={self.alpha}."
            )
        if self.alpha == 0.0 and loss.separated(theta).any():
            names = self.label_names_[self._varying][loss.separated(theta)]
            self._warn(
                f"separates {', '.join(names[:5])} from the rest without error: with alpha=0 the "
                "weights have no optimum and are those where the solver stopped; raise alpha."
            )
        return theta

    def _warn(self, message):
        warnings.warn(f"{type(self).__name__} {message}", ConvergenceWarning, stacklevel=6)

    def _solver(self, loss):
        """Return what minimises objectives whose values can be trusted."""
        del loss
        return fista

    def _field(self, X):
        """Return the log-odds of the labels where couplings pull to neither side: (n, L)."""
        if self.estimator is not None:
            return self.source_.transform(X) * self.coef_[:, 0] + self.intercept_
        return np.asarray(X @ self.coef_.T) + self.intercept_

    def _joint(self, X):
        coupling = self._couplings(X)
        unary, weights = field_of_bits(self._field(X), self.edges_, coupling)
        if self.objective_ != "support":
            shared = len(weights) < len(unary)
            return IsingJoint(
                unary, self.edges_, weights[0] if shared else weights, inference=self.inference
            )
        scores = unary @ self.sets_.T.astype(np.float64)
        scores += (pair_indicators(self.sets_, self.edges_) @ weights.T).T
        return SupportJoint(self.sets_, scores - logsumexp(scores, axis=1)[:, None])

    def _bytes_per_row(self):
        listed = len(self.sets_) if self.objective_ == "support" else 0
        return 32.0 * (listed + len(self._constants) + len(self.edges_))

    def _graph(self, weights, explanation):
        return LabelGraph(tuple(self.label_names_), self.edges_, weights, explanation=explanation)
