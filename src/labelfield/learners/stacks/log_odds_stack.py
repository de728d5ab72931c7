"""One matrix of log-odds out of several, label by label."""

import numpy as np
from scipy.special import expit

__all__ = ["LogOddsStack"]

MAX_STEPS = 50
GRADIENT_TOLERANCE = 1e-8
CLIP = 15.0  # log-odds beyond say nothing more, and one of them must not outvote all others


class LogOddsStack:
    """Logistic regression of every label on the log-odds that several classifiers give it.

    The features of a label are the mean of its log-odds and each classifier's deviation from it.
    The penalty draws the weight of the mean to one and those of the deviations to zero, so that
    the answer of an empty sample is the plain mean.

    Parameters
    ----------
    alpha : float
        Strength of the penalty against the summed loss.

    Attributes
    ----------
    slope_ : array (L, 1 + B)
        Weights of the mean and of the deviations of the B classifiers.
    shift_ : array (L,)

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners import LogOddsStack
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.random((500, 2)) < 0.5
    >>> right, wrong = np.where(Y, 2.0, -2.0), rng.normal(size=(500, 2))
    >>> stack = LogOddsStack().fit([right, wrong], Y)
    >>> bool((stack.slope_[:, 1] > stack.slope_[:, 2]).all())
    True
    """

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, log_odds, Y, known=None, sample_weight=None):
        """Fit to log-odds of rows that the classifiers have not seen.

        Parameters
        ----------
        log_odds : sequence of B arrays (n, L)
        Y : array (n, L) of 0 and 1
        known : bool array (n, L), optional
            Entries of Y to learn from.
        sample_weight : array (n,), optional
        """
        weight = np.ones(len(Y)) if sample_weight is None else sample_weight
        fitted = []
        for label in range(Y.shape[1]):
            rows = slice(None) if known is None else known[:, label]
            design = _features(log_odds, label)[rows]
            fitted.append(self._fit_label(design, Y[rows, label], weight[rows]))
        self.slope_ = np.array([weights[:-1] for weights in fitted])
        self.shift_ = np.array([weights[-1] for weights in fitted])
        return self

    def transform(self, log_odds):
        """Return the stacked log-odds: B arrays (n, L) -> (n, L)."""
        columns = [
            _features(log_odds, label) @ weights for label, weights in enumerate(self.slope_)
        ]
        return np.stack(columns, axis=1) + self.shift_

    def _fit_label(self, features, y, sample_weight):
        """Return the weights and the constant by Newton's method: (1 + B + 1,)."""
        design = np.column_stack([features, np.ones(len(features))])
        center = np.zeros(design.shape[1])
        center[0] = 1.0
        ridge = np.full(design.shape[1], self.alpha)
        weights = center.copy()
        value = _objective(design, y, sample_weight, weights, center, ridge)
        for _ in range(MAX_STEPS):
            p = expit(design @ weights)
            gradient = design.T @ (sample_weight * (p - y)) + ridge * (weights - center)
            if np.abs(gradient).max() <= GRADIENT_TOLERANCE * max(len(y), 1):
                break
            hessian = (design.T * (sample_weight * p * (1.0 - p))) @ design + np.diag(ridge)
            step = np.linalg.solve(hessian, gradient)
            size = 1.0
            while True:  # halve until the convex objective falls
                moved = weights - size * step
                found = _objective(design, y, sample_weight, moved, center, ridge)
                if found <= value or size < 1e-10:
                    break
                size /= 2.0
            weights, value = moved, found
        return weights


def _features(log_odds, label):
    """Return the mean and the deviations from it of one label's log-odds: (n, 1 + B)."""
    columns = np.stack([np.clip(Z[:, label], -CLIP, CLIP) for Z in log_odds], axis=1)
    mean = columns.mean(axis=1, keepdims=True)
    return np.concatenate([mean, columns - mean], axis=1)


def _objective(design, y, sample_weight, weights, center, ridge):
    scores = design @ weights
    away = weights - center
    losses = np.logaddexp(0.0, scores) - y * scores
    return float(sample_weight @ losses + 0.5 * (ridge * away) @ away)
