"""Where the unary terms of a field come from: a row of parameters per term, a column per label."""

import numpy as np
from sklearn.base import clone

from labelfield.kernels.logspace import clipped_logit
from labelfield.learners.logistic import LogisticLearner
from labelfield.model_selection import MultilabelStratifiedKFold

__all__ = [
    "FeatureTerms",
    "LogOddsTerms",
    "fit_classifier",
    "label_log_odds",
    "out_of_fold_log_odds",
]


class FeatureTerms:
    """Weights of the features and a constant: field = X theta[:-1] + theta[-1].

    The constants are not penalised, the weights are drawn to zero.
    """

    def __init__(self, X, n_labels):
        self.X = X
        self.centre = np.zeros((X.shape[1] + 1, n_labels))
        self.penalized = np.ones(self.centre.shape, dtype=bool)
        self.penalized[-1] = False

    def start(self, Y, alpha):
        """Return the parameters of separate logistic regressions, a good place to begin."""
        learner = LogisticLearner(alpha=alpha, max_iter=50, warn=False).fit(self.X, Y)
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

    def start(self, Y, alpha):
        """Return the parameters that leave the log-odds alone."""
        del Y, alpha
        return self.centre.copy()

    def field(self, theta):
        """Return the unary terms (n, L)."""
        return theta[0] * self.log_odds + theta[1]

    def gradient(self, surplus):
        """Return the gradient for the parameters from that for the unary terms (n, L)."""
        return np.stack([(surplus * self.log_odds).sum(axis=0), surplus.sum(axis=0)])


def label_log_odds(classifier, X, n_labels):
    """Return the log-odds (n, L) of a fitted classifier of ours or of scikit-learn."""
    p = classifier.predict_proba(X)
    if isinstance(p, list):  # scikit-learn's way: one array and one list of classes per label
        pairs = zip(p, classifier.classes_)
        p = np.stack([q @ (np.asarray(classes) == 1) for q, classes in pairs], axis=1)
    elif n_labels == 1 and p.shape[1] != 1:
        p = (p @ (np.asarray(classifier.classes_) == 1))[:, None]
    return clipped_logit(p)


def out_of_fold_log_odds(estimator, X, Y, n_splits):
    """Return log-odds (n, L) of rows that the classifier behind them has not seen."""
    if len(Y) < 2:
        raise ValueError(
            f"estimator={estimator!r} is judged on held-out rows and needs at least 2; "
            f"got {len(Y)}."
        )
    folds = MultilabelStratifiedKFold(min(n_splits, len(Y)), shuffle=True, random_state=0)
    log_odds = np.empty(Y.shape)
    for train, test in folds.split(X, Y):
        fitted = fit_classifier(estimator, X[train], Y[train])
        log_odds[test] = label_log_odds(fitted, X[test], Y.shape[1])
    return log_odds


def fit_classifier(estimator, X, Y):
    """Fit a clone; a single label goes as a 1-d target, which every classifier takes."""
    return clone(estimator).fit(X, Y[:, 0] if Y.shape[1] == 1 else Y)
