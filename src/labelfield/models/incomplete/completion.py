"""Learning from incomplete labels with any model: complete them by the model's own joint."""

import numpy as np
from scipy.special import expit

from labelfield._gate.reading import take_rows
from labelfield._gate.validation import as_generator, label_evidence, numbers_or_none, split_known
from labelfield._parameters import STRENGTH, choice, declare, instance, rate
from labelfield._progress import report_steps
from labelfield.base import WeightedJointClassifier
from labelfield.learners.clones import fit_clone
from labelfield.learners.logistic import LogisticLearner
from labelfield.learners.strengths.path import settle_strength

__all__ = ["LabelCompletion"]

COMPLETIONS = ("draw", "mode")


class LabelCompletion(WeightedJointClassifier):
    """EM over unknown labels, for any joint model: complete, fit, condition, complete again.

    The first completion is by a logistic regression per label on its known rows, or by the label's
    share among them where X is not all numbers and only the estimator can read it. Each round fits
    the estimator to the completed labels and completes them anew from its joint given the labels
    known, by a draw (stochastic EM) or by the most probable set (Viterbi EM).

    Models that maximise the likelihood of the known labels themselves (see the guide to incomplete
    labels) need no such rounds; this is the way for all others.

    Parameters
    ----------
    estimator : classifier with `predict_joint`
    completion : {"draw", "mode"}, default="draw"
        Draws keep the labels as varied as they are; modes make likely labels likelier.
    positives_only : bool, default=False
        Read 0 as unknown: only the ones of Y are known. The first completion is then Y itself.
    missing_rate : float, default=0.3
        With `positives_only`: how often a present label is not marked.
    error_rate : float, default=0.01
        How often a known label is wrong; keeps known sets possible that the model excludes.
    alpha : float or "auto", default="auto"
        Strength of the penalty of the first logistic regressions, see `BinaryRelevance`.
    max_iter : int, default=3
        Rounds.
    decoder : str, Decoder or None, default=None
        By default the estimator's own.
    random_state : int, RandomState or Generator, optional

    Attributes
    ----------
    estimator_ : classifier
        Fitted to the last completed labels.
    completed_ : uint8 array of shape (n, L)
        The training labels as the last round completed them.
    n_iter_ : int
        Rounds done; fewer than `max_iter` if a round changed nothing.

    Examples
    --------
    >>> from labelfield import LabelCompletion, LabelPowerset
    >>> from labelfield.datasets import hide_labels, make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> Y = hide_labels(data.Y, 0.3, how="entries", random_state=0)
    >>> model = LabelCompletion(LabelPowerset(), random_state=0).fit(data.X, Y)
    >>> model.completed_.shape
    (200, 4)
    """

    _accepts_unknown = True
    _parameter_constraints = declare(
        "max_iter",
        "random_state",
        alpha=STRENGTH,
        estimator=[instance("fit", "predict")],
        completion=[choice(*COMPLETIONS)],
        positives_only=["boolean"],
        missing_rate=[rate],
        error_rate=[rate],
        decoder=[str, instance("decode"), None],
    )

    def __init__(
        self,
        estimator,
        *,
        completion="draw",
        positives_only=False,
        missing_rate=0.3,
        error_rate=0.01,
        alpha="auto",
        max_iter=3,
        decoder=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.completion = completion
        self.positives_only = positives_only
        self.missing_rate = missing_rate
        self.error_rate = error_rate
        self.alpha = alpha
        self.max_iter = max_iter
        self.decoder = decoder
        self.random_state = random_state

    def _fit(self, X, Y, sample_weight=None):
        self._check_estimator()
        labels, known = split_known(Y)
        if self.positives_only:
            known = labels == 1
        rng = as_generator(self.random_state)
        times = np.ones(len(Y)) if sample_weight is None else sample_weight
        self.completed_ = labels if known is None else self._first(X, labels, known, times, rng)
        rounds = self.max_iter if known is not None and not known.all() else 0
        for done in report_steps(self, range(rounds), total=rounds, name="round"):
            self.estimator_ = self._fit_estimator(X, sample_weight)
            before, self.completed_ = self.completed_, self._complete(X, Y, known, rng)
            if np.array_equal(before, self.completed_):
                rounds = done
                break
        self.n_iter_ = max(1, rounds)
        self.estimator_ = self._fit_estimator(X, sample_weight)
        self.empty_seen_ = bool((~self.completed_.any(axis=1)).any())

    def _fit_estimator(self, X, sample_weight):
        labels = self.completed_
        target = labels[:, 0] if labels.shape[1] == 1 else labels
        return fit_clone(self.estimator, X, target, sample_weight)

    def _learn_decoder(self, X, Y, cv=5, sample_weight=None):
        if self.decoder is None:
            self._fitted_decoder = self.estimator_._fitted_decoder
        else:
            super()._learn_decoder(X, Y, cv, sample_weight)

    def _first(self, X, labels, known, times, rng):
        if self.positives_only:
            return labels
        p = self._first_probabilities(X, labels, known * times[:, None])
        bar = rng.random(p.shape) if self.completion == "draw" else 0.5
        return np.where(known, labels, p > bar).astype(np.uint8)

    def _first_probabilities(self, X, labels, weight):
        features = numbers_or_none(self, X)
        if features is None:
            share = ((weight * labels).sum(axis=0) + 0.5) / (weight.sum(axis=0) + 1.0)
            return np.tile(share, (len(labels), 1))
        alpha, _ = settle_strength(self.alpha, features, labels, weight)
        learner = LogisticLearner(alpha=alpha, warn=False)
        learner.fit(features, labels, sample_weight=weight)
        return expit(np.asarray(learner.decision(features), dtype=np.float64))

    def _complete(self, X, Y, known, rng):
        """Return the labels completed by the joint given those known."""
        evidence = label_evidence(Y, self.error_rate, self.error_rate)
        if self.positives_only:
            evidence = np.where(Y == 0, np.log(self.missing_rate), evidence)
        completed = np.empty(Y.shape, dtype=np.uint8)
        for rows in self._row_blocks(X):
            joint = self.estimator_.predict_joint(take_rows(X, rows)).tilt(evidence[rows])
            sets = joint.sample(1, rng)[:, 0] if self.completion == "draw" else joint.mode()
            completed[rows] = np.where(known[rows], Y[rows], sets)
        return completed

    def _check_estimator(self):
        if not hasattr(self.estimator, "predict_joint"):
            raise ValueError(
                f"estimator={self.estimator!r} has no predict_joint to complete labels by; give a "
                "model of labelfield such as PairwiseCRF()."
            )

    def _joint(self, X):
        return self.estimator_.predict_joint(X)

    def _bytes_per_row(self):
        return self.estimator_._bytes_per_row()
