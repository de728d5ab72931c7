"""A pairwise field of labels on the label sets of the training data."""

import numpy as np

from labelfield._parameters import at_least, declare, whole
from labelfield._validation import split_known
from labelfield.base import JointClassifier
from labelfield.joints import SupportJoint
from labelfield.kernels.sets.bits import all_sets
from labelfield.label_graph import LabelGraph
from labelfield.learners import LogisticLearner, LogOddsSource
from labelfield.models.field.likelihoods import (
    KnownLikelihood,
    SupportLikelihood,
    pair_indicators,
    pairs_seen,
    support_log_weights,
)
from labelfield.models.field.terms import FeatureTerms, LogOddsTerms, field_of_rows
from labelfield.optim import lbfgs, warn_unless_converged

__all__ = ["PairwiseCRF"]


class PairwiseCRF(JointClassifier):
    """CRF: p(y | x) ~ exp(sum_l u_l(x) y_l + sum_lm c_lm y_l y_m) on the sets seen in training.

    Normalised exactly, since only label sets of the training data have probability. With unknown
    labels (NaN in Y) the likelihood of the known ones is maximised; then all sets have probability
    if there are no more of them than rows, else those of rows completed label by label. The unary
    terms u are linear in the features, or a scale and a shift per label of the log-odds of any
    classifier: then the field corrects that classifier for the dependence of the labels.

    Parameters
    ----------
    estimator : classifier with `predict_proba`, optional
        A multi-label classifier, of ours or of scikit-learn, whose out-of-fold log-odds take the
        place of the features; `PrecomputedProbabilities()` for those of a model elsewhere.
    alpha : float, default=1.0
        Strength of the l2 penalty against the summed loss. It draws the weights and couplings to
        zero, the scales to one and the shifts to zero.
    min_count : int, default=5
        A pair of labels gets a coupling if so many training rows have both.
    set_alpha : float, optional
        Give every label set a weight of its own, with this strength of penalty.
    cv : int, default=4
        Folds for the log-odds of `estimator`.
    max_iter, tol : int, float
        L-BFGS stops when the objective falls by less than tol / 1000 of itself or its gradient to
        `tol` times that at the start.
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    sets_ : uint8 array of shape (M, L)
        The label sets seen in training.
    pairs_, coupling_ : arrays of shape (E, 2) and (E,)
        Coupled labels and their weights.
    coef_, intercept_ : arrays of shape (L, d) and (L,)
        Weights of the features and constants; with an `estimator` scales (L, 1) and shifts of its
        log-odds.
    label_graph_ : LabelGraph
        The same with names.
    set_weight_ : array of shape (M,)
        The sets' own weights, zeros without `set_alpha`.
    trace_ : Trace

    References
    ----------
    Ghamrawi, McCallum (2005): Collective multi-label classification. CIKM.

    Examples
    --------
    >>> from labelfield import BinaryRelevance, PairwiseCRF
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> PairwiseCRF().fit(X, Y).predict(X[:2], decoder="f1").shape
    (2, 4)
    >>> PairwiseCRF(BinaryRelevance(alpha=3.0)).fit(X, Y).coef_.shape
    (4, 1)
    """

    _accepts_unknown = True
    _parameter_constraints = declare(
        "estimator",
        "alpha",
        "cv",
        "max_iter",
        "tol",
        "decoder",
        min_count=[whole(1)],
        set_alpha=[at_least(0), None],
    )

    def __init__(
        self,
        estimator=None,
        *,
        alpha=1.0,
        min_count=5,
        set_alpha=None,
        cv=4,
        max_iter=500,
        tol=1e-3,
        decoder="subset",
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.min_count = min_count
        self.set_alpha = set_alpha
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder

    def _fit(self, X, Y):
        labels, known = split_known(Y)
        terms, unary = self._begin(X, Y, labels, known)
        likelihood = self._list_sets(labels, known, terms.field(unary))
        self.pairs_ = pairs_seen(labels, self.min_count)
        objective = _Objective(
            terms,
            likelihood,
            pair_indicators(self.sets_, self.pairs_),
            self.alpha,
            self.set_alpha,
            n_free=Y.shape[1] if self.estimator is None else 0,
        )
        theta, self.trace_ = lbfgs(
            objective, objective.start(unary), tol=self.tol, max_iter=self.max_iter
        )
        self.n_iter_ = max(1, self.trace_.n_iter)
        warn_unless_converged(self)
        unary, self.coupling_, self.set_weight_ = objective.split(theta)
        self.coef_, self.intercept_ = terms.weights(unary)
        self._set_score = objective.set_score(self.coupling_, self.set_weight_)

    def _begin(self, X, Y, labels, known):
        """Return the unary terms and their parameters without couplings."""
        self.source_ = None
        if self.estimator is not None:
            self.source_ = LogOddsSource(self.estimator, self.cv)
            terms = LogOddsTerms(self.source_.fit_transform(X, Y))
            return terms, np.zeros(terms.shape)
        weight = None if known is None else known.astype(np.float64)
        learner = LogisticLearner(alpha=self.alpha, max_iter=50, warn=False)
        learner.fit(X, labels, sample_weight=weight)
        unary = np.concatenate([learner.coef_, learner.intercept_[None]]).astype(np.float64)
        return FeatureTerms(X, Y.shape[1]), unary

    def _list_sets(self, labels, known, field):
        """Set `sets_`; return the likelihood of the rows on them. field (n, L): unary terms."""
        if known is None:
            self.sets_, codes = np.unique(labels, axis=0, return_inverse=True)
            return SupportLikelihood(self.sets_, codes.ravel())
        n_rows, n_labels = labels.shape
        if 2.0**n_labels <= n_rows:
            self.sets_ = all_sets(n_labels)
        else:
            self.sets_ = np.unique(np.where(known, labels, field > 0).astype(np.uint8), axis=0)
        return KnownLikelihood(self.sets_, labels, known)

    def _joint(self, X):
        field = field_of_rows(X, self.coef_, self.intercept_, self.source_)
        return SupportJoint(self.sets_, support_log_weights(self.sets_, field, self._set_score))

    @property
    def label_graph_(self):
        """The LabelGraph of the couplings."""
        return LabelGraph(
            tuple(self.label_names_),
            self.pairs_,
            self.coupling_,
            explanation="What two labels together add to the log-probability of a set.",
        )

    def _bytes_per_row(self):
        return 32.0 * len(self.sets_)


class _Objective:
    """Penalised negative log-likelihood of the parameters laid out in one vector.

    The last `n_free` unary parameters are not penalised.
    """

    def __init__(self, terms, likelihood, indicators, alpha, set_alpha, n_free):
        self.terms = terms
        self.likelihood = likelihood
        self.indicators = indicators
        self.alpha = alpha
        self.set_alpha = set_alpha
        self.shrink = np.full(terms.shape, alpha, dtype=np.float64)
        self.shrink.flat[self.shrink.size - n_free :] = 0.0

    def start(self, unary):
        """Return where to begin: unary terms alone."""
        n_sets, n_pairs = self.indicators.shape
        n_rest = n_pairs + (0 if self.set_alpha is None else n_sets)
        return np.append(unary.ravel(), np.zeros(n_rest))

    def split(self, theta):
        """Return unary parameters, couplings (E,) and the sets' own weights (M,)."""
        shape = self.terms.shape
        unary, rest = np.split(theta, [shape[0] * shape[1]])
        n_sets, n_pairs = self.indicators.shape
        own = np.zeros(n_sets) if self.set_alpha is None else rest[n_pairs:]
        return unary.reshape(shape), rest[:n_pairs], own

    def set_score(self, coupling, own):
        """Return what a set scores in every row: (M,)."""
        return self.indicators @ coupling + own

    def __call__(self, theta):
        """Return the value and its gradient."""
        unary, coupling, own = self.split(theta)
        value, slope, set_slope = self.likelihood.evaluate(
            self.terms.field(unary), self.set_score(coupling, own)
        )
        shrunk = self.shrink * unary
        value += 0.5 * float(np.vdot(shrunk, unary))
        value += 0.5 * self.alpha * float(coupling @ coupling)
        parts = [
            (self.terms.gradient(slope) + shrunk).ravel(),
            self.indicators.T @ set_slope + self.alpha * coupling,
        ]
        if self.set_alpha is not None:
            value += 0.5 * self.set_alpha * float(own @ own)
            parts.append(set_slope + self.set_alpha * own)
        return value, np.concatenate(parts)
