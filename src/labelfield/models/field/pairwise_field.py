"""What the pairwise fields share: several strengths in a row, and the joint of new rows."""

import warnings

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from labelfield._parameters import FOLDS, STRENGTH, choice, declare
from labelfield.base import WeightedJointClassifier
from labelfield.joints import IsingJoint, SupportJoint
from labelfield.label_graph import LabelGraph
from labelfield.models.field.likelihoods import (
    LIKELIHOODS,
    field_of_bits,
    pair_indicators,
    support_log_weights,
)
from labelfield.models.field.strengths import settle_field_strength
from labelfield.models.field.terms import field_of_rows
from labelfield.optim import warn_unless_converged

__all__ = ["PairwiseField"]

MEAN_FIELD = (
    " objective='mean_field' has kinks, at which no solver stops: what is kept is the best point "
    "met. The objectives 'exact', 'support' and 'pseudo' have a minimum that can be reached."
)


class PairwiseField(WeightedJointClassifier):
    """Base of models with p(y | x) ~ exp 1/2 [sum_l z_l(x) s_l + sum_lm c_lm(x) s_l s_m].

    `_fit(X, Y, sample_weight=None, problem=None)` of a subclass makes a `FieldProblem` unless it is
    given one, solves it, stores what it found and returns it.
    """

    _parameter_constraints = declare(
        "estimator",
        "max_iter",
        "tol",
        "decoder",
        "on_violation",
        "rules",
        alpha=STRENGTH,
        cv=FOLDS,
        objective=[choice("auto", *LIKELIHOODS)],
        penalize_intercept=["boolean"],
        inference=[str],
    )

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
        models, problem = [], None
        for edge_alpha in sorted(edge_alphas, reverse=True):
            model = clone(self).set_params(edge_alpha=edge_alpha)
            valid_X, Y = model._enter(X, y)
            problem = model._fit(valid_X, Y, problem=problem)
            model._learn_decoder(valid_X, Y)
            models.append(model)
        return models

    def _settle_strength(self, X, Y, sample_weight, problem):
        """Set `alpha_` and `strength_path_`, once for all fits of a problem."""
        if problem.strength is None:
            l1_ratio = getattr(self, "l1_ratio", 0.0)
            options = {"l1_ratio": l1_ratio, "sample_weight": sample_weight}
            problem.strength = settle_field_strength(self.alpha, self.estimator, X, Y, **options)
        self.alpha_, self.strength_path_ = problem.strength

    def _store(self, problem):
        """Keep what was learned of the labels, and warn where it is not the minimum."""
        self.objective_, self.sets_, self.source_ = problem.objective, problem.sets, problem.source
        self.coef_, self.intercept_ = problem.label_weights()
        self.n_iter_ = max(1, self.trace_.n_iter)
        warn_unless_converged(self, MEAN_FIELD if self.objective_ == "mean_field" else "")
        if self.alpha == 0.0:
            self._warn_of_separated(problem)

    def _warn_of_separated(self, problem):
        separated = problem.loss.separated(problem.theta)
        if separated.any():
            names = self.label_names_[problem.varying][separated]
            warnings.warn(
                f"{type(self).__name__} separates {', '.join(names[:5])} from the rest without "
                "error: with alpha=0 the weights have no optimum and are those where the solver "
                "stopped; raise alpha.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _joint_of(self, X, coupling):
        """Return the joint of rows X (n, d) with couplings (n, E), or (1, E) for all rows."""
        field = field_of_rows(X, self.coef_, self.intercept_, self.source_)
        unary, weights = field_of_bits(field, self.edges_, coupling)
        if self.objective_ != "support":
            shared = len(weights) < len(unary)
            return IsingJoint(
                unary, self.edges_, weights[0] if shared else weights, inference=self.inference
            )
        of_pairs = (pair_indicators(self.sets_, self.edges_) @ weights.T).T
        return SupportJoint(self.sets_, support_log_weights(self.sets_, unary, of_pairs))

    def _bytes_per_row(self):
        listed = len(self.sets_) if self.objective_ == "support" else 0
        return 32.0 * (listed + len(self.intercept_) + len(self.edges_))

    def _graph(self, weights, explanation):
        return LabelGraph(tuple(self.label_names_), self.edges_, weights, explanation=explanation)
