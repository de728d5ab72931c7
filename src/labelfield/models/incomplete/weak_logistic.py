"""Logistic regressions that do not take every unmarked label for an absent one."""

import numpy as np
from scipy.special import expit

from labelfield._parameters import STRENGTH, choice, declare, number, rate
from labelfield._progress import report_steps
from labelfield.base import WeightedJointClassifier
from labelfield.joints import IndependentJoint
from labelfield.learners.logistic import LogisticLearner
from labelfield.learners.rows.design import as_design
from labelfield.learners.spectrum import find_spectrum
from labelfield.learners.strengths.path import settle_strength

__all__ = ["WeakLabelLogistic"]

STRATEGIES = ("unlabelled", "propensity", "smoothing", "rejection")
# of the propensity curve of Jain et al., fitted there to Wikipedia and Amazon data
CURVE_A, CURVE_B = 0.55, 1.5


class WeakLabelLogistic(WeightedJointClassifier):
    """A logistic regression per label on marks of which some are missing.

    Y holds 1 for marked labels and 0 for all others. The strategies differ in how an unmarked label
    enters the loss, the fit is the same.

    Parameters
    ----------
    strategy : {"unlabelled", "propensity", "smoothing", "rejection"}, default="unlabelled"
        "unlabelled": the likelihood of marks that are lost at `missing_rate`, by EM; an unmarked
        label is present with probability s p / (1 - p + s p).
        "propensity": a marked label weighs one over the probability of being marked, which grows
        with the label's frequency.
        "smoothing": unmarked labels are absent with a target of `smoothing` in place of 0.
        "rejection": unmarked labels are absent, except the share with the largest losses, which is
        left out; as many as marks are missing.
    missing_rate : float in (0, 1), default=0.3
        How often a present label is not marked ("unlabelled", "rejection").
    smoothing : float in [0, 0.5), default=0.1
    skip_unmarked : bool, default=True
        Leave out rows without any mark, where there are several labels: they say nothing.
    alpha : float or "auto", default="auto"
        Strength of the penalty against the summed loss; "auto" takes the one that is best for the
        marks as they are, see `BinaryRelevance`.
    max_iter : int, default=5
        Rounds ("unlabelled", "rejection").
    tol : float, default=1e-6
        Of the logistic solver.
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (L, d) and (L,)
    alpha_, strength_path_ : float, StrengthPath
        The strength and how it was chosen (None where it was not).
    n_iter_ : int
        Rounds done.

    References
    ----------
    Elkan, Noto (2008): Learning classifiers from only positive and unlabeled data. KDD.
    Jain, Prabhu, Varma (2016): Extreme multi-label loss functions for recommendation, tagging,
    ranking and other missing label applications. KDD.
    Kim, Kim, Akata, Lee (2022): Large loss matters in weakly supervised multi-label
    classification. CVPR.

    Examples
    --------
    >>> from labelfield import WeakLabelLogistic
    >>> from labelfield.datasets import hide_labels, make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> marks = hide_labels(data.Y, 0.3, random_state=0)
    >>> WeakLabelLogistic(missing_rate=0.3).fit(data.X, marks).predict(data.X[:2]).shape
    (2, 4)
    """

    _parameter_constraints = declare(
        "max_iter",
        "tol",
        "decoder",
        alpha=STRENGTH,
        strategy=[choice(*STRATEGIES)],
        missing_rate=[rate],
        smoothing=[number(0, 0.5)],
        skip_unmarked=["boolean"],
    )

    def __init__(
        self,
        *,
        strategy="unlabelled",
        missing_rate=0.3,
        smoothing=0.1,
        skip_unmarked=True,
        alpha="auto",
        max_iter=5,
        tol=1e-6,
        decoder="subset",
    ):
        self.strategy = strategy
        self.missing_rate = missing_rate
        self.smoothing = smoothing
        self.skip_unmarked = skip_unmarked
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder

    def _fit(self, X, Y, sample_weight=None):
        rows = Y.any(axis=1) | (not self.skip_unmarked or Y.shape[1] == 1 or not Y.any())
        times = np.ones(len(Y)) if sample_weight is None else sample_weight
        self._fit_marked(X[rows], Y[rows], times[rows])

    def _fit_marked(self, X, Y, times):
        design = as_design(X)
        spectrum = find_spectrum(design, times)
        self.alpha_, self.strength_path_ = settle_strength(self.alpha, X, Y, times)
        learner = LogisticLearner(alpha=self.alpha_, tol=self.tol, warn=False)
        rounds = self.max_iter if self.strategy in ("unlabelled", "rejection") else 1
        targets, weights, start = *self._first(Y, times), None
        for done in report_steps(self, range(rounds), total=rounds, name="round"):
            learner.fit(design, targets, weights, start=start, spectrum=spectrum)
            start = learner.coef_, learner.intercept_
            self.n_iter_ = done + 1
            if done + 1 < rounds:
                log_odds = design.matmul(learner.coef_) + learner.intercept_
                targets, weights = self._reconsider(Y, times, log_odds)
        self.coef_, self.intercept_ = learner.coef_.T, learner.intercept_

    def _first(self, Y, times):
        """Return targets (n, L) and weights (n,) or (n, L) of rows that count `times` (n,)."""
        targets = Y.astype(np.float64)
        if self.strategy == "smoothing":
            targets[Y == 0] = self.smoothing
        if self.strategy == "propensity":
            return targets, times[:, None] * np.where(Y == 1, 1.0 / propensities(Y, times), 1.0)
        return targets, times

    def _reconsider(self, Y, times, log_odds):
        """Return targets and weights given the log-odds of the last round."""
        if self.strategy == "unlabelled":
            p = expit(log_odds)
            lost = self.missing_rate * p
            return np.where(Y == 1, 1.0, lost / (1.0 - p + lost)), times
        n_missing = self.missing_rate / (1.0 - self.missing_rate) * (times @ Y).sum()
        n_left_out = min(n_missing, (times @ (Y == 0)).sum() - 1.0)
        losses = np.where(Y == 0, log_odds, -np.inf)  # the loss of an absent label grows with it
        weights = np.repeat(times[:, None], Y.shape[1], axis=1)
        worst_first = np.argsort(-losses, axis=None, kind="stable")
        so_many = np.cumsum(weights.flat[worst_first])
        weights.flat[worst_first[so_many <= n_left_out]] = 0.0
        return Y.astype(np.float64), weights

    def _joint(self, X):
        return IndependentJoint(np.asarray(X @ self.coef_.T, dtype=np.float64) + self.intercept_)

    def _feature_weights(self):
        return self.coef_


def propensities(Y, times):
    """Return the probability (L,) that a present label is marked, by the label's frequency.

    Rows count `times` (n,).
    """
    n_rows, counts = float(times.sum()), times @ Y
    scale = max(np.log(n_rows) - 1.0, 0.0) * (CURVE_B + 1.0) ** CURVE_A
    return 1.0 / (1.0 + scale * np.exp(-CURVE_A * np.log(counts + CURVE_B)))
