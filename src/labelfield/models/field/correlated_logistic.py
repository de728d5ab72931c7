"""Logistic regressions of all labels, coupled in pairs."""

from functools import partial

import numpy as np

from labelfield._parameters import at_least, declare, share
from labelfield.models.field.field_problem import FieldProblem
from labelfield.models.field.pairwise_field import PairwiseField
from labelfield.models.field.strengths import COUPLING_ALPHA
from labelfield.models.field.terms import ConstantTerms
from labelfield.optim import ElasticNet, fista, fixed_step_fista, orthant_lbfgs

__all__ = ["CorrelatedLogistic"]


class CorrelatedLogistic(PairwiseField):
    """CorrLog: logistic regressions whose labels pull at each other in pairs.

    p(y | x) ~ exp 1/2 [sum_l z_l(x) s_l + sum_lm c_lm s_l s_m] with s = 2 y - 1 in -1, +1: given
    the others, label l has log-odds z_l(x) + sum_m c_lm s_m. z is linear in the features, or a
    scale and a shift per label of the log-odds of any classifier: then the field corrects that
    classifier for the dependence of the labels.

    Parameters
    ----------
    estimator : classifier with `predict_proba`, optional
        A classifier, of ours or of scikit-learn, whose out-of-fold log-odds take the place of the
        features; one of single labels is cloned for every label. `PrecomputedProbabilities()` for
        those of a model elsewhere.
    objective : {"auto", "exact", "support", "pseudo", "mean_field"}, default="auto"
        What is minimised. "exact": minus the log-likelihood, which lists all 2^L sets; "support":
        the same on the label sets of the training data, outside which nothing is predicted then;
        "pseudo": the labels' losses given all others, the thesis's choice; "mean_field": minus
        the log-likelihood with a bound in place of the normalising constant. "auto": exact while
        rows times sets stay below 2^23, else support.
    alpha : float or "auto", default="auto"
        Strength of the penalty of the features' weights against the summed loss. It draws the
        scales of log-odds to one. "auto" is the best strength of logistic regressions without
        couplings, see `BinaryRelevance`, and 1 with an `estimator`.
    edge_alpha : float, optional
        Strength of the penalty of the couplings, by default `alpha`, or 1 if that is "auto".
    l1_ratio : float, default=0.0
        Share of the l1 norm in the penalty of the weights: alpha [l1_ratio |w| + (1 - l1_ratio) / 2
        w^2]. A share slows the fit down.
    edge_l1_ratio : float, default=0.5
        The same for the couplings, where it makes the graph sparse.
    penalize_intercept : bool, default=False
        Whether the constants are penalised like the weights.
    inference : str, default="auto"
        How the joint is computed, see `IsingJoint`.
    cv : int, splitter or list of (train, test), default=4
        Folds for the log-odds of `estimator`.
    max_iter, tol : int, float
        The solver (OWL-QN; FISTA if `l1_ratio` is not zero) stops when no entry of the steepest
        descent exceeds `tol` times the largest entry of the gradient without features and
        couplings.
    decoder : str or Decoder, default="subset"
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (L, d) and (L,)
        Weights and constants of z; with an `estimator` scales (L, 1) and shifts of its log-odds.
    edges_, coupling_ : arrays of shape (E, 2) and (E,)
        Coupled labels and their c, where it is not zero.
    label_graph_ : LabelGraph
        The same with names.
    objective_ : str
        What was minimised.
    sets_ : uint8 array of shape (M, L)
        The label sets of the training data, with the objective "support".
    alpha_, strength_path_ : float, StrengthPath
        The strength and how it was chosen (None where it was not).
    trace_ : Trace

    References
    ----------
    Q. Li (2017): Learning sparse graphical models for data restoration and multi-label
    classification, chapter 3. Its lambda_1, lambda_2 and eps = 1 against the mean loss are
    alpha = n lambda_1, edge_alpha = n lambda_2 and both ratios 1/2 here; for any eps,
    alpha = n lambda (1 + eps) / 2 and ratios eps / (1 + eps).

    Examples
    --------
    >>> from labelfield import BinaryRelevance, CorrelatedLogistic
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> model = CorrelatedLogistic().fit(X, Y)
    >>> model.predict_joint(X[:2]).marginals().shape
    (2, 4)
    >>> len(model.label_graph_.edges()) == len(model.edges_)
    True
    >>> CorrelatedLogistic(BinaryRelevance(alpha=3.0)).fit(X, Y).coef_.shape
    (4, 1)
    """

    _parameter_constraints = PairwiseField._parameter_constraints | declare(
        "l1_ratio", edge_alpha=[at_least(0), None], edge_l1_ratio=[share]
    )

    def __init__(
        self,
        estimator=None,
        *,
        objective="auto",
        alpha="auto",
        edge_alpha=None,
        l1_ratio=0.0,
        edge_l1_ratio=0.5,
        penalize_intercept=False,
        inference="auto",
        cv=4,
        max_iter=2000,
        tol=1e-6,
        decoder="subset",
        rules=None,
        on_violation="error",
    ):
        self.estimator = estimator
        self.objective = objective
        self.alpha = alpha
        self.edge_alpha = edge_alpha
        self.l1_ratio = l1_ratio
        self.edge_l1_ratio = edge_l1_ratio
        self.penalize_intercept = penalize_intercept
        self.inference = inference
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation

    _takes_blocks = True

    def _blocks_need(self):
        if self.estimator is not None:
            return "leave out `estimator`"
        if self.objective in ("pseudo", "mean_field"):
            return "choose objective='exact' or 'support'"
        if self.l1_ratio > 0.0:
            return "set l1_ratio=0"
        return "give an alpha above 0" if self.alpha == 0.0 else None

    @property
    def label_graph_(self):
        """The learned graph."""
        return self._graph(
            self.coupling_,
            "A link is how far one label moves the log-odds of the other by its presence, and "
            "back by its absence.",
        )

    def _fit(self, X, Y, sample_weight=None, problem=None):
        if problem is None:
            problem = FieldProblem(
                X,
                Y,
                ConstantTerms,
                estimator=self.estimator,
                cv=self.cv,
                objective=self.objective,
                many_labels="support",
                free_constants=not self.penalize_intercept,
                weight=sample_weight,
            )
        self._settle_strength(X, Y, sample_weight, problem)
        edge_alpha = self._edge_strength()
        self.trace_ = problem.solve(
            self._solver(problem, edge_alpha),
            ElasticNet(self.alpha_, self.l1_ratio, problem.n_free),
            ElasticNet(edge_alpha, self.edge_l1_ratio),
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self._store(problem)
        coupling = problem.coupling_weights()[0]
        kept = np.flatnonzero(coupling)
        self.edges_, self.coupling_ = problem.candidates[kept], coupling[kept]
        return problem

    def _solver(self, problem, edge_alpha):
        if problem.objective == "mean_field":
            return fixed_step_fista
        if self.l1_ratio > 0.0:
            return fista
        edge_ridge = edge_alpha * (1.0 - self.edge_l1_ratio)
        key = f"{self.alpha_} {edge_alpha} {self.edge_l1_ratio} {self.tol} {problem.objective}"
        return partial(
            orthant_lbfgs,
            metric=problem.loss.metric(self.alpha_, edge_ridge),
            watch=problem.loss.unary.watch(key),
        )

    def _edge_strength(self):
        if self.edge_alpha is not None:
            return self.edge_alpha
        return COUPLING_ALPHA if self.alpha == "auto" else self.alpha

    def _joint(self, X):
        return self._joint_of(X, self.coupling_[None])

    def _feature_weights(self):
        listed = self.objective_ == "support"
        return None if listed or self.source_ is not None else self.coef_
