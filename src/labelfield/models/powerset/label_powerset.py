"""One class per label set."""

import numpy as np
from sklearn.base import clone

from labelfield._parameters import declare
from labelfield._reading import count_rows, take_rows
from labelfield.base import WeightedJointClassifier
from labelfield.joints import SupportJoint
from labelfield.learners.multinomial import MultinomialLearner

__all__ = ["LabelPowerset"]


class LabelPowerset(WeightedJointClassifier):
    """LP: one multi-class problem whose classes are the label sets seen in training.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        A multi-class classifier; by default multinomial logistic regression. Without
        `predict_proba` the softmax of its `decision_function` is taken.
    alpha : float, default=1.0
        Strength of the l2 penalty against the summed loss.
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

    _parameter_constraints = declare(
        "estimator", "alpha", "max_iter", "tol", "decoder", "on_violation", "rules"
    )

    def __init__(
        self,
        estimator=None,
        *,
        alpha=1.0,
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
        if sample_weight is not None:  # a set without weight was not seen
            kept = sample_weight > 0
            X, Y, sample_weight = take_rows(X, kept), Y[kept], sample_weight[kept]
        self.sets_, codes = np.unique(Y, axis=0, return_inverse=True)
        self.classifier_ = self._fit_classes(X, codes.ravel(), sample_weight)
        self.n_iter_ = getattr(self.classifier_, "n_iter_", 1)

    def _fit_classes(self, X, codes, weights):
        if len(self.sets_) == 1:
            return None
        if self.estimator is not None:
            self._check_estimator()
            fitted = clone(self.estimator)
            if weights is None:
                return fitted.fit(X, codes)
            return fitted.fit(X, codes, sample_weight=weights)
        learner = MultinomialLearner(alpha=self.alpha, max_iter=self.max_iter, tol=self.tol)
        return learner.fit(X, np.eye(len(self.sets_))[codes], sample_weight=weights)

    def _check_estimator(self):
        if not any(hasattr(self.estimator, m) for m in ("predict_proba", "decision_function")):
            raise ValueError(
                f"estimator={self.estimator!r} has neither predict_proba nor decision_function; "
                "give a classifier that has one."
            )

    def _joint(self, X):
        return SupportJoint(self.sets_, self._log_weights(X))

    def _log_weights(self, X):
        if self.classifier_ is None:
            return np.zeros((count_rows(X), 1))
        if self.estimator is None:
            return self.classifier_.log_proba(X)
        if hasattr(self.classifier_, "predict_proba"):
            with np.errstate(divide="ignore"):
                return np.log(self.classifier_.predict_proba(X))
        score = self.classifier_.decision_function(X)
        if score.ndim == 1:
            score = np.stack([-score / 2, score / 2], axis=1)
        return score - np.logaddexp.reduce(score, axis=1, keepdims=True)
