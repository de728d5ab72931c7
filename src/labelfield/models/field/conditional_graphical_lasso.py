"""A pairwise field whose couplings depend on the features, most of them zero."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelfield._parameters import at_least
from labelfield.models.field.field_problem import FieldProblem
from labelfield.models.field.pairwise_field import PairwiseField
from labelfield.models.field.rows import row_mean
from labelfield.models.field.terms import FeatureTerms
from labelfield.optim import ElasticNet, GroupLasso, fista, fixed_step_fista

__all__ = ["ConditionalGraphicalLasso"]


class ConditionalGraphicalLasso(PairwiseField):
    """CGL: a graph of labels whose links depend on the features; a group lasso drops links.

    p(y | x) ~ exp 1/2 [sum_l z_l(x) s_l + sum_lm c_lm(x) s_l s_m] with s = 2 y - 1 in -1, +1, and
    both z_l and c_lm linear in the features: given the others, label l has log-odds
    z_l(x) + sum_m c_lm(x) s_m. A link is kept or dropped with all its weights.

    Parameters
    ----------
    estimator : classifier with `predict_proba`, optional
        Its out-of-fold log-odds, scaled and shifted per label, take the place of z; couplings
        still depend on the features.
    objective : {"auto", "exact", "pseudo", "mean_field", "support"}, default="auto"
        What is minimised, see `CorrelatedLogistic`. "auto": exact while rows times sets stay below
        2^23, else pseudo; "mean_field" is the thesis's choice.
    alpha : float or "auto", default="auto"
        Strength of the l2 penalty alpha / 2 ||w_l||^2 of z against the summed loss; "auto" as in
        `CorrelatedLogistic`.
    edge_alpha : float, default=10.0
        Strength of the penalty edge_alpha ||w_lm|| of a coupling, its constant included.
    penalize_intercept : bool, default=False
        Whether the constants of z are penalised like the weights.
    inference : str, default="auto"
        How the joint is computed, see `IsingJoint`.
    cv : int, splitter or list of (train, test), default=4
        Folds for the log-odds of `estimator`.
    max_iter, tol : int, float
        FISTA stops when no entry of the proximal gradient exceeds `tol` times the largest entry of
        the gradient without features and couplings.
    decoder : str or Decoder, default="subset"
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (L, d) and (L,)
        Weights and constants of z; with an `estimator` scales (L, 1) and shifts of its log-odds.
    edges_ : array of shape (E, 2)
        Labels that are linked.
    edge_coef_, edge_intercept_ : arrays of shape (E, d) and (E,)
        Weights and constants of their couplings.
    coupling_ : array of shape (E,)
        Mean couplings over the training rows.
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
    classification, chapter 4. Its lambda_1 and lambda_2, without the printed 1 / n, are
    alpha = n lambda_1 / 2 and edge_alpha = n lambda_2 / 2 here.

    Examples
    --------
    >>> from labelfield import ConditionalGraphicalLasso
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> model = ConditionalGraphicalLasso(edge_alpha=20.0).fit(data.X, data.Y)
    >>> model.edge_coef_.shape == (len(model.edges_), data.X.shape[1])
    True
    >>> model.label_graph(data.X[0]).names
    ('y0', 'y1', 'y2', 'y3')
    """

    _wants_centred = True
    _parameter_constraints = PairwiseField._parameter_constraints | {"edge_alpha": [at_least(0)]}

    def __init__(
        self,
        estimator=None,
        *,
        objective="auto",
        alpha="auto",
        edge_alpha=10.0,
        penalize_intercept=False,
        inference="auto",
        cv=4,
        max_iter=2000,
        tol=1e-4,
        decoder="subset",
        rules=None,
        on_violation="error",
    ):
        self.estimator = estimator
        self.objective = objective
        self.alpha = alpha
        self.edge_alpha = edge_alpha
        self.penalize_intercept = penalize_intercept
        self.inference = inference
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation

    @property
    def label_graph_(self):
        """The average graph of the training rows."""
        return self._graph(self.coupling_, "Links are mean couplings over the training rows.")

    def label_graph(self, x):
        """Return the graph of one row.

        Parameters
        ----------
        x : array of shape (d,) or (1, d), or one row of a CSR matrix

        Returns
        -------
        graph : LabelGraph
        """
        check_is_fitted(self)
        row = np.asarray(x)[None] if getattr(x, "ndim", 1) == 1 else x
        couplings = self._couplings(self._enter_new(row))
        if len(couplings) != 1:
            raise ValueError(f"label_graph shows the graph of one row; x has {len(couplings)}.")
        return self._graph(couplings[0], "Links are the couplings at this row.")

    def _inner_estimators(self):
        return []  # couplings depend on X

    def _fit(self, X, Y, sample_weight=None, problem=None):
        if problem is None:
            problem = FieldProblem(
                X,
                Y,
                FeatureTerms,
                estimator=self.estimator,
                cv=self.cv,
                objective=self.objective,
                many_labels="pseudo",
                free_constants=not self.penalize_intercept,
                weight=sample_weight,
            )
        self._settle_strength(X, Y, sample_weight, problem)
        couplings = problem.loss.couplings
        n_terms, n_edges = couplings.shape
        self.trace_ = problem.solve(
            fixed_step_fista if problem.objective == "mean_field" else fista,
            ElasticNet(self.alpha_, 0.0, problem.n_free),
            GroupLasso(self.edge_alpha, np.tile(np.arange(n_edges), n_terms)),
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self._store(problem)
        weights = problem.coupling_weights()
        kept = np.flatnonzero(weights.any(axis=0))
        self.edges_ = problem.candidates[kept]
        self.edge_coef_, self.edge_intercept_ = couplings.weights(weights[:, kept])
        self.coupling_ = self.edge_coef_ @ row_mean(X, sample_weight) + self.edge_intercept_
        return problem

    def _couplings(self, X):
        return np.asarray(X @ self.edge_coef_.T) + self.edge_intercept_

    def _joint(self, X):
        return self._joint_of(X, self._couplings(X))
