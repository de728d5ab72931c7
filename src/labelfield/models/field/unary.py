"""Where the unary terms of a field come from: a row of parameters per term, a column per label."""

import numpy as np

from labelfield.learners.logistic import LogisticLearner

__all__ = ["FeatureTerms", "LogOddsTerms"]


class FeatureTerms:
    """Weights of the features and a constant: field = X theta[:-1] + theta[-1].

    The constants are not penalised, the weights are drawn to zero.
    """

    def __init__(self, X, n_labels):
        self.X = X
        self.centre = np.zeros((X.shape[1] + 1, n_labels))
        self.penalized = np.ones(self.centre.shape, dtype=bool)
        self.penalized[-1] = False

    def start(self, Y, alpha, known=None):
        """Return the parameters of separate logistic regressions, a good place to begin."""
        weight = None if known is None else known.astype(np.float64)
        learner = LogisticLearner(alpha=alpha, max_iter=50, warn=False)
        learner.fit(self.X, Y, sample_weight=weight)
        return np.concatenate([learner.coef_, learner.intercept_[None]]).astype(np.float64)

    def field(self, theta):
        """Return the unary terms (n, L)."""
        return np.asarray(self.X @ theta[:-1]) + theta[-1]

    def gradient(self, surplus):
        """Return the gradient for the parameters from that for the unary terms (n, L)."""
        return np.concatenate([np.asarray(self.X.T @ surplus), surplus.sum(axis=0)[None]])


class LogOddsTerms:
    """A scale and a shift of given log-odds: field = theta[0] log_odds + theta[1].

    Drawn to scale one and shift zero: the classifier as it is.
    """

    def __init__(self, log_odds):
        self.log_odds = log_odds
        self.centre = np.zeros((2, log_odds.shape[1]))
        self.centre[0] = 1.0
        self.penalized = np.ones(self.centre.shape, dtype=bool)

    def start(self, Y, alpha, known=None):
        """Return the parameters that leave the log-odds alone."""
        del Y, alpha, known
        return self.centre.copy()

    def field(self, theta):
        """Return the unary terms (n, L)."""
        return theta[0] * self.log_odds + theta[1]

    def gradient(self, surplus):
        """Return the gradient for the parameters from that for the unary terms (n, L)."""
        return np.stack([(surplus * self.log_odds).sum(axis=0), surplus.sum(axis=0)])
