"""Weights of a pool that depend on the row, where held-out rows speak for them."""

import numpy as np

from labelfield.kernels.sets.logspace import logsumexp
from labelfield.models.stacking.weights import likelihood_weights
from labelfield.optim.lbfgs import lbfgs_steps

__all__ = ["WeightGate", "chosen_gate"]

STRENGTHS = (100.0, 10.0, 1.0)
LEAST_WEIGHT = 1e-4  # of a member where the gate begins
LEAST_LOG_PROB = -20.0  # of a row that strengths are compared on
LEAST_GAIN = 0.02  # of the mean log-likelihood; smaller ones came with no better decisions
MAX_ITER = 200
TINY = 1e-9


class WeightGate:
    """Weights w_m(x) = softmax_m(a_m + v_m . f(x)) of the members of a pool.

    Constants a and slopes v maximise sum_i log sum_m w_m(x_i) p_m(y_i) - alpha / 2 |v|^2, with
    features f(x) of mean zero and deviation one: a large alpha leaves weights alike for all rows.

    Parameters
    ----------
    alpha : float

    Examples
    --------
    One of two members is right where the feature is positive, the other one elsewhere:

    >>> import numpy as np
    >>> from labelfield.models.stacking.gate import WeightGate
    >>> F = np.linspace(-1.0, 1.0, 50)[:, None]
    >>> log_prob = np.log(np.where(F > 0.0, [0.9, 0.1], [0.1, 0.9]))
    >>> WeightGate(alpha=10.0).fit(F, log_prob).weights([[1.0], [-1.0]]).round(1).tolist()
    [[0.9, 0.1], [0.1, 0.9]]
    """

    def __init__(self, alpha):
        self.alpha = alpha

    def fit(self, F, log_prob, sample_weight=None):
        """Learn from features (n, c) and what members say of the true sets (n, m)."""
        share = np.ones(len(F)) if sample_weight is None else np.asarray(sample_weight)
        rows = ~np.isneginf(log_prob).all(axis=1) & (share > 0.0)
        F, log_prob, share = F[rows], log_prob[rows], share[rows]
        total = max(float(share.sum()), 1e-300)
        self.center_ = share @ F / total
        deviation = np.sqrt(share @ (F - self.center_) ** 2 / total)
        varies = deviation > TINY * np.maximum(np.abs(self.center_), 1.0)
        self.scale_ = np.where(varies, deviation, np.inf)  # what is alike for all tells nothing
        Z = self._scaled(F)
        plain = likelihood_weights(log_prob, share)
        start = np.zeros((Z.shape[1] + 1, log_prob.shape[1]))
        start[0] = np.log(np.maximum(plain, LEAST_WEIGHT))

        def objective(theta):
            value, gradient = self.loss(theta.reshape(start.shape), Z, log_prob, share)
            return value, gradient.ravel()

        found = lbfgs_steps(objective, start.ravel(), maxiter=MAX_ITER, ftol=1e-9)
        self.constants_, *slopes = found.x.reshape(start.shape)
        self.slopes_ = np.stack(slopes)
        return self

    def loss(self, theta, Z, log_prob, share):
        """Return minus the penalised log-likelihood of constants and slopes, and its gradient.

        Parameters
        ----------
        theta : array (1 + c, m)
        Z, log_prob, share : arrays (n, c), (n, m), (n,)
        """
        log_weights = _log_softmax(theta[0] + Z @ theta[1:])
        terms = log_weights + log_prob
        total = logsumexp(terms, axis=1)
        change = share[:, None] * (np.exp(log_weights) - np.exp(terms - total[:, None]))
        value = 0.5 * self.alpha * float((theta[1:] ** 2).sum()) - float(share @ total)
        return value, np.vstack([change.sum(axis=0), Z.T @ change + self.alpha * theta[1:]])

    def weights(self, F):
        """Return the weights of the members in every row: (n, c) -> (n, m)."""
        return np.exp(_log_softmax(self.constants_ + self._scaled(F) @ self.slopes_))

    def _scaled(self, F):
        return (F - self.center_) / self.scale_


def chosen_gate(F, log_prob, folds, sample_weight=None, *, least_gain=LEAST_GAIN):
    """Return a gate of the strength that is best on rows of other folds, fitted to all; or None.

    None where no gate is better than weights alike for all rows by more than the standard error of
    the mean difference, and by `least_gain`.

    Parameters
    ----------
    F, log_prob : arrays (n, c), (n, m)
        Features of the rows; what the members say of their true sets.
    folds : list of (train, test)
    sample_weight : array (n,), optional
    least_gain : float
        Of the mean log-likelihood.
    """
    if log_prob.shape[1] < 2:
        return None
    weight = np.ones(len(F)) if sample_weight is None else np.asarray(sample_weight)
    plain, total = np.empty(len(F)), max(float(weight.sum()), 1e-300)
    for train, test in folds:
        weights = likelihood_weights(log_prob[train], weight[train])
        plain[test] = _log_pool(log_prob[test], weights)
    best, highest = None, least_gain
    for alpha in STRENGTHS:
        gain = -plain
        for train, test in folds:
            gate = WeightGate(alpha).fit(F[train], log_prob[train], weight[train])
            gain[test] += _log_pool(log_prob[test], gate.weights(F[test]))
        mean = weight @ gain / total
        error = np.sqrt(((weight * (gain - mean)) ** 2).sum()) / total
        if mean > max(highest, error):
            best, highest = alpha, mean
    return None if best is None else WeightGate(best).fit(F, log_prob, weight)


def _log_pool(log_prob, weights):
    """Return the log-probability of the true sets under a pool: (n,), cut off below."""
    with np.errstate(divide="ignore"):
        return np.maximum(logsumexp(log_prob + np.log(weights), axis=1), LEAST_LOG_PROB)


def _log_softmax(scores):
    return scores - logsumexp(scores, axis=1)[:, None]
