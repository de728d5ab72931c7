"""Relevance models whose second level sees the labels that the first predicts."""

import numpy as np
from scipy.special import expit

from labelfield._gate.reading import count_rows, take_rows
from labelfield._gate.validation import split_known, validate_known
from labelfield._parameters import FOLDS, STRENGTH, declare
from labelfield._progress import report_steps
from labelfield.base import WeightedJointClassifier
from labelfield.joints import IndependentJoint
from labelfield.learners.class_weight import entry_weights
from labelfield.learners.conditional import expected_labels, fit_labels, split_pipeline
from labelfield.model_selection import held_out_folds

__all__ = ["DependentRelevance", "StackedRelevance"]


class _TwoLevels(WeightedJointClassifier):
    """Constructor and first level of both."""

    _accepts_unknown = True
    _parameter_constraints = declare(
        "estimator",
        "l1_ratio",
        "class_weight",
        "max_iter",
        "tol",
        "decoder",
        "n_jobs",
        alpha=STRENGTH,
    )

    def __init__(
        self,
        estimator=None,
        *,
        alpha="auto",
        l1_ratio=0.0,
        class_weight=None,
        max_iter=1000,
        tol=1e-6,
        decoder="subset",
        n_jobs=None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder
        self.n_jobs = n_jobs

    def _fit_level(self, X, Y, sample_weight=None, **options):
        labels, known = split_known(Y)
        logistic = {
            "alpha": self.alpha,
            "l1_ratio": self.l1_ratio,
            "max_iter": self.max_iter,
            "tol": self.tol,
        }
        return fit_labels(
            options.pop("estimator", self.estimator),
            X,
            labels,
            known=known,
            sample_weight=entry_weights(self, labels, known, sample_weight),
            n_jobs=self.n_jobs,
            **(logistic | options),
        )

    def _store_second(self, level):
        self.second_level_ = level
        self.alpha_, self.strength_path_, self.n_iter_ = level.alpha, level.path, level.n_iter


class StackedRelevance(_TwoLevels):
    """2BR: a second binary relevance on the features and the first one's probabilities.

    The second level learns from probabilities of rows that the first level did not see
    (`cv` folds), so that it does not trust them too much. Unknown labels (NaN in Y) are left out
    of their label's problems.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Cloned for every label of both levels; batched logistic regression by default. Of a
        pipeline, the last step of the second level sees the probabilities beside what the other
        steps make of X.
    cv : int, splitter or list of (train, test), default=5
        Folds for the first level's probabilities.
    passthrough : bool, default=True
        Whether the second level also sees the features.
    alpha, l1_ratio, max_iter, tol : float or "auto", float, int, float
        Of the logistic regressions, see `BinaryRelevance`; "auto" chooses for each level.
    class_weight : "balanced" or mapping, optional
        Weights of present and absent labels, see `BinaryRelevance`.
    decoder : str or Decoder, default="subset"
    n_jobs : int, optional

    Attributes
    ----------
    alpha_, strength_path_ : float, StrengthPath
        The second level's strength and how it was chosen (None where it was not), with the
        logistic default.

    References
    ----------
    Godbole, Sarawagi (2004): Discriminative methods for multi-labeled classification. PAKDD.

    Examples
    --------
    >>> from labelfield import StackedRelevance
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> StackedRelevance().fit(X, Y).predict(X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = _TwoLevels._parameter_constraints | declare("passthrough", cv=FOLDS)

    def __init__(
        self,
        estimator=None,
        *,
        cv=5,
        passthrough=True,
        alpha="auto",
        l1_ratio=0.0,
        class_weight=None,
        max_iter=1000,
        tol=1e-6,
        decoder="subset",
        n_jobs=None,
    ):
        super().__init__(
            estimator,
            alpha=alpha,
            l1_ratio=l1_ratio,
            class_weight=class_weight,
            max_iter=max_iter,
            tol=tol,
            decoder=decoder,
            n_jobs=n_jobs,
        )
        self.cv = cv
        self.passthrough = passthrough

    def _fit(self, X, Y, sample_weight=None):
        self.first_level_ = self._fit_level(X, Y, sample_weight)
        same = {} if self.estimator is not None else {"alpha": self.first_level_.alpha}
        probabilities = np.empty(Y.shape)
        for train, test in report_steps(self, self._parts(X, Y), total=None, name="fold"):
            weight = None if sample_weight is None else sample_weight[train]
            level = self._fit_level(take_rows(X, train), Y[train], weight, **same)
            log_odds = level.log_odds(take_rows(X, test))
            probabilities[test] = IndependentJoint(log_odds).marginals()
        self._store_second(self._fit_second(X, Y, sample_weight, probabilities))

    def _parts(self, X, Y):
        if len(Y) == 1:  # nothing to hold out: the one row stands for itself
            return [(np.array([0]), np.array([0]))]
        return held_out_folds(Y, self.cv)

    def _fit_second(self, X, Y, sample_weight, probabilities):
        if not self.passthrough:
            last = split_pipeline(self.estimator)[1]
            return self._fit_level(probabilities, Y, sample_weight, estimator=last)
        everything = np.ones((Y.shape[1], Y.shape[1]), dtype=bool)
        options = {"parents": everything, "parent_values": probabilities}
        return self._fit_level(X, Y, sample_weight, **options)

    def _joint(self, X):
        first = IndependentJoint(self.first_level_.log_odds(X)).marginals()
        if not self.passthrough:
            return IndependentJoint(self.second_level_.log_odds(first))
        return IndependentJoint(self.second_level_.log_odds(X, first))


class DependentRelevance(_TwoLevels):
    """DBR: each label's classifier sees all other labels, true in training, predicted later.

    Unknown labels (NaN in Y) are left out of their label's problems and stand as features of the
    others with their probability.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Cloned for every label of both levels; batched logistic regression by default. Of a
        pipeline, the last step of the second level sees the labels beside what the other steps
        make of X.
    alpha, l1_ratio, max_iter, tol : float or "auto", float, int, float
        Of the logistic regressions, see `BinaryRelevance`; "auto" chooses for each level.
    class_weight : "balanced" or mapping, optional
        Weights of present and absent labels, see `BinaryRelevance`.
    decoder : str or Decoder, default="subset"
    n_jobs : int, optional

    Attributes
    ----------
    alpha_, strength_path_ : float, StrengthPath
        The second level's strength and how it was chosen (None where it was not), with the
        logistic default.

    References
    ----------
    Montanes et al. (2014): Dependent binary relevance models for multi-label classification.
    Pattern Recognition 47(3).

    Examples
    --------
    >>> from labelfield import DependentRelevance
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> X, Y = data.X, data.Y
    >>> DependentRelevance().fit(X, Y).predict(X[:3]).shape
    (3, 4)
    """

    def _fit(self, X, Y, sample_weight=None):
        others = ~np.eye(Y.shape[1], dtype=bool)
        self.first_level_ = self._fit_level(X, Y, sample_weight)
        labels, known = split_known(Y)
        options = {"parents": others}
        if known is not None:
            log_odds = self.first_level_.log_odds(X)
            options["parent_values"] = expected_labels(labels, known, log_odds)
        self._store_second(self._fit_level(X, Y, sample_weight, **options))

    def _joint(self, X):
        first = (self.first_level_.log_odds(X) > 0).astype(np.uint8)
        return IndependentJoint(self.second_level_.log_odds(X, first))

    def predict_given(self, X, known, *, missing_rate=0.02, wrong_rate=0.02):
        """Return P(y_l = 1 | x, the other labels of the row) by the second level: (n, L).

        Unknown labels stand with the first level's probability. The rates are not used: the second
        level has learned from labels with the mistakes that they have.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
        known : array, CSR matrix or data frame of shape (n, L)
            1, 0 or NaN (unknown).
        missing_rate, wrong_rate : float, float in (0, 1)

        Returns
        -------
        P : array of shape (n, L)
        """
        del missing_rate, wrong_rate
        X = self._enter_new(X)
        known = validate_known(known, (count_rows(X), len(self.label_names_)))
        values = expected_labels(known, ~np.isnan(known), self.first_level_.log_odds(X))
        return expit(self.second_level_.log_odds(X, values))
