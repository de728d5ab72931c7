"""Labels whose log-odds are normal around a linear map of the features, and correlated."""

import numpy as np
from scipy.special import expit

from labelfield._gate.validation import validate_known, validate_predict
from labelfield._parameters import declare, number, positive, share
from labelfield._progress import report_steps
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.models.incomplete.ridge import Ridge

__all__ = ["LabelCorrelationImputer"]

CURVATURE = 0.25  # the logistic loss never curves more: one matrix serves all rows
PROBIT = np.pi / 8.0
PRIOR_WEIGHT = 10.0  # of correlations around 0 with a deviation of 0.3
MIN_EIGENVALUE = 1e-3
SWEEPS = 10
ROUNDS_BETWEEN = 20  # updates of the correlations, which cost more than a round and move little


class LabelCorrelationImputer(JointClassifier):
    """LCML: log-odds f ~ N(W'x, C) with a correlation C of the labels, unknown labels summed out.

    What is marked of a row moves the log-odds of its other labels through C. Fitted by EM with the
    quadratic bound of the logistic loss; every step has a closed form. A present label is marked
    with probability 1 - `missing_rate`; NaN in Y is neither marked nor unmarked: no evidence.

    The model is of the kind of Bi and Kwok's (labels integrated out where they are missing, label
    correlations learned); the bound, the unit variances and the marks are ours.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty of W, measured as C measures labels.
    missing_rate : float in [0, 1), default=0.0
        How often a present label holds a 0.
    shrinkage : float, default=0.1
        Share of the unit matrix in C.
    max_iter, tol : int, float
        Rounds of EM, and the relative change of W below which they stop.
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (L, d) and (L,)
        W and its constants.
    correlation_ : array of shape (L, L)
    n_iter_ : int

    References
    ----------
    Bi, Kwok (2014): Multilabel classification with label correlations and missing labels. AAAI.

    Examples
    --------
    >>> from labelfield import LabelCorrelationImputer
    >>> from labelfield.datasets import hide_labels, make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> Y = hide_labels(data.Y, 0.3, how="entries", random_state=0)
    >>> LabelCorrelationImputer().fit(data.X, Y).correlation_.shape
    (4, 4)
    """

    _accepts_unknown = True
    _parameter_constraints = declare(
        "max_iter",
        "tol",
        "decoder",
        alpha=[positive],
        missing_rate=[number(0, 1)],
        shrinkage=[share],
    )

    def __init__(
        self,
        *,
        alpha=1.0,
        missing_rate=0.0,
        shrinkage=0.1,
        max_iter=100,
        tol=1e-3,
        decoder="subset",
    ):
        self.alpha = alpha
        self.missing_rate = missing_rate
        self.shrinkage = shrinkage
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder

    def _fit(self, X, Y):
        marks = Y.astype(np.float64)
        n_labels = marks.shape[1]
        ridge = Ridge(X, self.alpha)
        W = np.zeros((X.shape[1], n_labels))
        self._set_correlation(np.eye(n_labels))
        mean = prior = np.tile(_log_odds_of_share(marks), (len(marks), 1))
        steps = report_steps(self, range(self.max_iter), total=self.max_iter, name="round of EM")
        for done in steps:
            mean = self._posterior(marks, prior, mean)
            before, (W, self.intercept_) = W, ridge.solve(mean)
            prior = np.asarray(X @ W) + self.intercept_
            self.n_iter_ = done + 1
            if done % ROUNDS_BETWEEN == ROUNDS_BETWEEN - 1:
                self._set_correlation(self._correlation(marks, prior))
            elif np.linalg.norm(W - before) <= self.tol * np.linalg.norm(W):
                break
        self.coef_ = W.T

    def _posterior(self, marks, prior, mean):
        """Return the means (n, L) of the log-odds given the marks.

        One step of the bound around `mean`; a label of which nothing is known has no slope there.
        """
        return prior + (self._site(marks, mean) - CURVATURE * prior) @ self._spread

    def _set_correlation(self, C):
        """Keep C and the covariance (C^-1 + I / 4)^-1 of the log-odds given marks."""
        self.correlation_ = C
        spread = np.linalg.solve(np.eye(len(C)) + CURVATURE * C, C)
        self._spread = 0.5 * (spread + spread.T)

    def _site(self, marks, mean):
        """Return what the marks add to precision times mean: (n, L)."""
        p = expit(mean)
        lost = self.missing_rate * p
        expected = np.where(marks == 1.0, 1.0, lost / np.maximum(1.0 - p + lost, 1e-300))
        slope = np.where(np.isnan(marks), 0.0, expected - p)
        return slope + CURVATURE * mean

    def _correlation(self, marks, prior):
        """Return correlations that give the marks' residuals the covariance they have.

        To first order Cov(y_a, y_b | x) = w_a w_b C_ab with w = p (1 - p).
        """
        known = ~np.isnan(marks)
        p = expit(_averaged(prior, 1.0))
        seen = 1.0 - self.missing_rate
        residual = np.where(known, marks - seen * p, 0.0)
        weight = np.where(known, seen * p * (1.0 - p), 0.0)
        C = (residual.T @ residual) / (weight.T @ weight + PRIOR_WEIGHT)
        C[np.diag_indices_from(C)] = 1.0
        values, vectors = np.linalg.eigh(C)
        C = (vectors * np.maximum(values, MIN_EIGENVALUE)) @ vectors.T
        size = np.sqrt(np.diag(C))
        return (1.0 - self.shrinkage) * C / np.outer(size, size) + self.shrinkage * np.eye(len(C))

    def _prior(self, X):
        return np.asarray(X @ self.coef_.T, dtype=np.float64) + self.intercept_

    def _joint(self, X):
        return IndependentJoint(_averaged(self._prior(X), 1.0))

    def predict_given(self, X, known, *, missing_rate=0.02, wrong_rate=0.02):
        """Return P(y_l = 1 | x, the other labels of the row): (n, L).

        A label's own mark is taken out of the posterior of its log-odds. The rates are not used:
        the model has its own `missing_rate`.

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
        mean = prior = self._prior(validate_predict(self, X))
        marks = validate_known(known, prior.shape)
        for _ in range(SWEEPS):
            mean = self._posterior(marks, prior, mean)
        variance = np.diag(self._spread)
        precision = 1.0 / variance - CURVATURE
        without = (mean / variance - self._site(marks, mean)) / precision
        return expit(_averaged(without, 1.0 / precision))


def _averaged(mean, variance):
    """Return the log-odds of the mean of sigmoid(f), f normal, by MacKay's formula."""
    return mean / np.sqrt(1.0 + PROBIT * variance)


def _log_odds_of_share(marks):
    """Return the log-odds (L,) of the labels' shares among what is known of them."""
    known = ~np.isnan(marks)
    present = np.where(known, marks, 0.0).sum(axis=0)
    return np.log((present + 0.5) / (known.sum(axis=0) - present + 0.5))
