"""One class per label set."""

import warnings

import numpy as np

from labelfield._gate.indicator import list_sets, one_hot
from labelfield._gate.reading import count_rows
from labelfield._namespaces import place_of, to_host
from labelfield._parameters import STRENGTH, declare
from labelfield.base import WeightedJointClassifier
from labelfield.joints import SupportJoint
from labelfield.learners.clones import fit_clone
from labelfield.learners.multinomial import MultinomialLearner
from labelfield.learners.strengths.softmax import choose_softmax_strength

__all__ = ["LabelPowerset"]


class LabelPowerset(WeightedJointClassifier):
    """LP: one multi-class problem whose classes are the label sets seen in training.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        A multi-class classifier; by default multinomial logistic regression. Without
        `predict_proba` the softmax of its `decision_function` is taken.
    alpha : float or "auto", default="auto"
        Strength of the l2 penalty against the summed loss; "auto" takes the one with the best
        likelihood of held-out rows, see `BinaryRelevance`.
    max_iter, tol : int, float
        When the default solver stops.
    decoder : str or Decoder, default="subset"
    rules : LabelRules, optional
        Rules that all answers keep: the joint is conditioned on them.
    on_violation : {"error", "close", "drop", "keep"}, default="error"
        What becomes of training rows that break a rule: "close" adds the labels they imply.

    Attributes
    ----------
    sets_ : uint8 array of shape (M, L)
        The label sets seen in training.
    alpha_, strength_path_ : float, StrengthPath
        The strength and how it was chosen (None where it was not), with the default classifier.

    Examples
    --------
    >>> from labelfield import LabelPowerset
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> model = LabelPowerset().fit(X, Y)
    >>> model.predict_joint(X[:2]).log_prob(Y[:2]).shape
    (2,)
    """

    _takes_blocks = _estimator_takes_blocks = True
    _takes_sparse_labels = True
    _parameter_constraints = declare(
        "estimator", "max_iter", "tol", "decoder", "on_violation", "rules", alpha=STRENGTH
    )

    def __init__(
        self,
        estimator=None,
        *,
        alpha="auto",
        max_iter=1000,
        tol=1e-6,
        decoder="subset",
        rules=None,
        on_violation="error",
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.rules = rules
        self.on_violation = on_violation

    def _fit(self, X, Y, sample_weight=None):
        self.sets_, codes = list_sets(to_host(Y), sample_weight)
        self.classifier_ = self._fit_classes(X, Y, codes, sample_weight)
        self.n_iter_ = getattr(self.classifier_, "n_iter_", 1)

    def _fit_classes(self, X, Y, codes, weights):
        self.alpha_, self.strength_path_ = None, None
        if len(self.sets_) == 1:
            return None
        if self.estimator is not None:
            self._check_estimator()
            with warnings.catch_warnings():  # of course there are many sets
                warnings.filterwarnings("ignore", "The number of unique classes is greater")
                return fit_clone(self.estimator, X, codes, weights)
        targets = one_hot(codes, len(self.sets_))
        self.alpha_ = self.alpha
        if self.alpha == "auto":
            self.strength_path_ = choose_softmax_strength(X, targets, Y, weights)
            self.alpha_ = self.strength_path_.alpha
        learner = MultinomialLearner(alpha=self.alpha_, max_iter=self.max_iter, tol=self.tol)
        return learner.fit(X, targets, sample_weight=weights)

    def _computes_on_tensors(self):
        return self.estimator is None and self.alpha != "auto"

    def _check_estimator(self):
        if not any(hasattr(self.estimator, m) for m in ("predict_proba", "decision_function")):
            raise ValueError(
                f"estimator={self.estimator!r} has neither predict_proba nor decision_function; "
                "give a classifier that has one."
            )

    def _bytes_per_row(self):
        return 8.0 * (4 * len(self.sets_) + len(self.label_names_))

    def _joint(self, X):
        return SupportJoint(self.sets_, self._log_weights(X))

    def _log_weights(self, X):
        if self.classifier_ is None:
            return place_of(X).zeros((count_rows(X), 1), "float64")
        if self.estimator is None:
            return self.classifier_.log_proba(X)
        if hasattr(self.classifier_, "predict_proba"):
            with np.errstate(divide="ignore"):
                return np.log(self.classifier_.predict_proba(X))
        score = self.classifier_.decision_function(X)
        if score.ndim == 1:
            score = np.stack([-score / 2, score / 2], axis=1)
        return score - np.logaddexp.reduce(score, axis=1, keepdims=True)
