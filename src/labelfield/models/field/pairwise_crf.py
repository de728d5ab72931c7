"""A pairwise field of labels on the label sets of the training data."""

from functools import partial

import numpy as np

from labelfield._gate.blocks import BlockSource
from labelfield._gate.indicator import list_sets
from labelfield._gate.validation import split_known
from labelfield._namespaces import is_tensor, place_of, to_host
from labelfield._parameters import FOLDS, STRENGTH, at_least, declare, whole
from labelfield.base import WeightedJointClassifier
from labelfield.joints import SupportJoint
from labelfield.kernels.sets.bits import all_sets
from labelfield.label_graph import LabelGraph
from labelfield.learners import LogisticLearner, LogOddsSource
from labelfield.learners.rows import as_rows, find_center
from labelfield.models.field.likelihoods import (
    KnownLikelihood,
    SupportLikelihood,
    pair_indicators,
    pair_means,
    pairs_seen,
    support_log_weights,
)
from labelfield.models.field.rows import row_mean, row_weights, weights_of_all
from labelfield.models.field.strengths import COUPLING_ALPHA, settle_field_strength
from labelfield.models.field.terms import FeatureTerms, LogOddsTerms, field_of_rows
from labelfield.optim import Blocks, ElasticNet, orthant_lbfgs, warn_unless_converged

__all__ = ["PairwiseCRF", "SupportLoss"]

START_TOLERANCE = 1e-4


class PairwiseCRF(WeightedJointClassifier):
    """CRF: p(y | x) ~ exp(sum_l u_l(x) y_l + sum_lm c_lm y_l y_m) on the sets seen in training.

    Normalised exactly, since only label sets of the training data have probability. With unknown
    labels (NaN in Y) the likelihood of the known ones is maximised; then all sets have probability
    if there are no more of them than rows, else those of rows completed label by label. The unary
    terms u are linear in the features, or a scale and a shift per label of the log-odds of any
    classifier: then the field corrects that classifier for the dependence of the labels.

    Parameters
    ----------
    estimator : classifier with `predict_proba`, optional
        A classifier, of ours or of scikit-learn, whose out-of-fold log-odds take the place of the
        features; one of single labels is cloned for every label. `PrecomputedProbabilities()` for
        those of a model elsewhere.
    alpha : float or "auto", default="auto"
        Strength of the l2 penalty against the summed loss. It draws the weights and couplings to
        zero, the scales to one and the shifts to zero. "auto": the weights get the best strength of
        logistic regressions without couplings, see `BinaryRelevance`; couplings, scales and shifts
        get 1.
    min_count : int, default=5
        A pair of labels gets a coupling if so many training rows have both.
    set_alpha : float, optional
        Give every label set a weight of its own, with this strength of penalty.
    cv : int, splitter or list of (train, test), default=4
        Folds for the log-odds of `estimator`.
    max_iter, tol : int, float
        L-BFGS stops when no entry of the gradient exceeds `tol` times the largest one without
        features and couplings.
    decoder : str or Decoder, default="subset"
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.

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
    alpha_, strength_path_ : float, StrengthPath
        The strength and how it was chosen (None where it was not).
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

    _takes_blocks = True
    _accepts_unknown = True
    _parameter_constraints = declare(
        "estimator",
        "max_iter",
        "tol",
        "decoder",
        "on_violation",
        "rules",
        alpha=STRENGTH,
        cv=FOLDS,
        min_count=[whole(1)],
        set_alpha=[at_least(0), None],
    )

    def __init__(
        self,
        estimator=None,
        *,
        alpha="auto",
        min_count=5,
        set_alpha=None,
        cv=4,
        max_iter=1000,
        tol=1e-6,
        decoder="subset",
        rules=None,
        on_violation="error",
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.min_count = min_count
        self.set_alpha = set_alpha
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation

    def _fit(self, X, Y, sample_weight=None):
        labels, known = split_known(Y)
        given = {"sample_weight": sample_weight}
        strength = settle_field_strength(self.alpha, self.estimator, X, Y, **given)
        self.alpha_, self.strength_path_ = strength
        labels, known = to_host(labels), to_host(known)
        terms, unary = self._begin(X, Y, labels, known, sample_weight)
        likelihood = self._list_sets(labels, known, partial(terms.field, unary), sample_weight)
        self.pairs_ = pairs_seen(labels, self.min_count, sample_weight)
        loss = SupportLoss(
            terms,
            likelihood,
            self.sets_,
            self.pairs_,
            labels,
            own_weights=self.set_alpha is not None,
            sample_weight=sample_weight,
        )
        coupling_alpha = COUPLING_ALPHA if self.alpha == "auto" else self.alpha
        strengths = self.alpha_, coupling_alpha, self.set_alpha or 0.0
        n_free = Y.shape[1] if self.estimator is None else 0
        penalties = [ElasticNet(strength, 0.0) for strength in strengths]
        penalties[0] = ElasticNet(self.alpha_, 0.0, n_free)
        theta, self.trace_ = orthant_lbfgs(
            loss,
            Blocks(loss.sizes, tuple(penalties)),
            loss.join(unary),
            metric=loss.metric(strengths),
            tol=self.tol,
            max_iter=self.max_iter,
            watch=loss.terms.watch(f"{strengths} tol={self.tol!r} {loss.sizes}"),
        )
        self.n_iter_ = max(1, self.trace_.n_iter)
        warn_unless_converged(self)
        unary, self.coupling_, own = loss.split(theta)
        self.set_weight_ = own if len(own) else np.zeros(len(self.sets_))
        coef, self.intercept_ = map(self._as_weights_of(X), terms.weights(unary))
        self.coef_ = weights_of_all(coef, X)
        self._set_score = loss.set_score(self.coupling_, own)

    def _begin(self, X, Y, labels, known, sample_weight):
        """Return the unary terms and their parameters without couplings."""
        self.source_ = None
        if self.estimator is not None:
            self.source_ = LogOddsSource(self.estimator, self.cv)
            terms = LogOddsTerms(self.source_.fit_transform(X, Y, sample_weight), sample_weight)
            return terms, np.zeros(terms.shape)
        weight = sample_weight
        if known is not None:
            weight = known * row_weights(sample_weight, len(known))[:, None]
        learner = LogisticLearner(alpha=self.alpha_, max_iter=50, tol=START_TOLERANCE, warn=False)
        learner.fit(X, labels, sample_weight=weight)
        rows = as_rows(X, weight=sample_weight)
        terms = FeatureTerms(rows, Y.shape[1], to_host(find_center(rows)), sample_weight)
        coef = learner.coef_[X.used] if isinstance(X, BlockSource) else learner.coef_
        return terms, terms.parameters(coef, learner.intercept_)

    def _as_weights_of(self, X):
        """Return what puts weights where X lies, in its precision."""
        if not is_tensor(X):
            return lambda values: values
        place = place_of(X)
        return lambda values: place.xp.astype(place.asarray(values), X.dtype)

    def _computes_on_tensors(self):
        return self.estimator is None

    def _blocks_need(self):
        return None if self.estimator is None else "leave out `estimator`"

    def _list_sets(self, labels, known, field, sample_weight):
        """Set `sets_`; return the likelihood of the rows on them. field() (n, L): unary terms."""
        if known is None:
            self.sets_, codes = list_sets(labels, sample_weight)
            return SupportLikelihood(self.sets_, codes, sample_weight)
        n_rows, n_labels = labels.shape
        if 2.0**n_labels <= n_rows:
            self.sets_ = all_sets(n_labels)
        else:
            likely = to_host(field()) > 0
            self.sets_ = np.unique(np.where(known, labels, likely).astype(np.uint8), axis=0)
        return KnownLikelihood(self.sets_, labels, known, sample_weight)

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


class SupportLoss:
    """Negative log-likelihood on listed sets, of all parameters in one vector.

    Parameters of the labels come first, then couplings (E,), then the sets' own weights (M,).

    Parameters
    ----------
    terms : FeatureTerms or LogOddsTerms
    likelihood : SupportLikelihood or KnownLikelihood
    sets : uint8 array (M, L)
    pairs : int array (E, 2)
    labels : uint8 array or CSR matrix (n, L)
    own_weights : bool
        Whether sets have weights of their own.
    sample_weight : array (n,), optional
    """

    def __init__(self, terms, likelihood, sets, pairs, labels, own_weights, sample_weight=None):
        self.sample_weight = row_weights(sample_weight, labels.shape[0])
        self.terms = terms
        self.likelihood = likelihood
        self.indicators = pair_indicators(sets, pairs)
        self.pairs = pairs
        self.labels = labels
        self.rounding = max(1e-13, terms.rounding)
        self.sizes = int(np.prod(terms.shape)), len(pairs), len(sets) if own_weights else 0

    def join(self, unary):
        """Return a vector of all parameters, zero but for those of the labels."""
        return np.append(unary.ravel(), np.zeros(self.sizes[1] + self.sizes[2]))

    def split(self, theta):
        """Return parameters of the labels, couplings (E,), the sets' own weights (M,) or (0,)."""
        unary, coupling, own = np.split(theta, np.cumsum(self.sizes)[:-1])
        return unary.reshape(self.terms.shape), coupling, own

    def set_score(self, coupling, own):
        """Return what a set scores in every row: (M,)."""
        score = self.indicators @ coupling
        return score + own if len(own) else score

    def value(self, theta):
        """Return the negative log-likelihood: (p,) -> ()."""
        return self._evaluate(theta)[0]

    def value_and_gradient(self, theta):
        """Return the negative log-likelihood and its gradient (p,)."""
        value, gradient, set_slope = self._evaluate(theta)
        parts = [gradient.ravel(), self.indicators.T @ set_slope]
        return value, np.concatenate([*parts, set_slope] if self.sizes[2] else parts)

    def _evaluate(self, theta):
        unary, coupling, own = self.split(theta)
        score = self.set_score(coupling, own)
        return self.terms.listed_terms(unary, self.likelihood, score)

    def metric(self, ridges):
        """Return an approximate inverse Hessian: of labels, pairs and sets by themselves.

        ridges : strengths of the l2 penalties of the three
        """
        n_rows = float(self.sample_weight.sum())
        share = row_mean(self.labels, self.sample_weight)
        both = pair_means(self.labels, self.pairs, self.sample_weight)
        of_labels = self.terms.metric(n_rows * share * (1.0 - share), ridges[0])
        of_pairs = np.maximum(n_rows * both * (1.0 - both), 0.5) + ridges[1]
        of_sets = n_rows / self.indicators.shape[0] + ridges[2]

        def solve(theta):
            unary, coupling, own = self.split(theta)
            return np.concatenate([of_labels(unary).ravel(), coupling / of_pairs, own / of_sets])

        return solve

    def lipschitz(self):
        """Return about the largest curvature."""
        return max(self.terms.curvature(), 0.25 * float(self.sample_weight.sum()))

    def scale(self):
        """Return the largest entry of the gradient of labels without features and couplings."""
        reference = self.join(self.terms.reference(self.labels))
        return float(np.abs(self.value_and_gradient(reference)[1]).max())
