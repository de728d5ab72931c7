"""MMOC: codes of label sets that are far apart where they must be, and can be predicted."""

import numpy as np

from labelfield._parameters import at_least, declare, positive
from labelfield.base import JointClassifier
from labelfield.joints import IsingJoint
from labelfield.kernels.sets.bits import all_sets
from labelfield.learners.conditional import fit_labels
from labelfield.models.incomplete.ridge import Ridge

__all__ = ["MaxMarginCoding", "MetricProblem"]

MAX_LABELS = 12


class MaxMarginCoding(JointClassifier):
    """MMOC: label sets are coded by V'y; the code nearest to the predicted one names the set.

    With g the ridge regression of y on x, the predicted code is V'g. Q = VV' minimises

        trace(Q) / 2 + (C / n) sum_i max_y [ |y - y_i|_1 + d_i(y_i) - d_i(y) ],

    d_i(y) = (y - g_i)' Q (y - g_i), over all positive semi-definite Q. The paper relaxes the
    maximum over sets and predicts by mean field; here all sets of up to 12 labels are looked at,
    so that both are exact, and Q is found by projected subgradients. Predicted sets maximise
    `balance` times the log-odds of a logistic regression of every label, less d(y).

    Parameters
    ----------
    C : float, default=10.0
        Weight of the margins.
    balance : float, default=1.0
        Weight of the labels' own classifiers; 0 decides by the codes alone.
    alpha : float, default=1.0
        Strength of both kinds of regression.
    max_iter : int, default=300
        Steps of the subgradient method.
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    metric_ : array of shape (L, L)
        Q.

    References
    ----------
    Zhang, Schneider (2012): Maximum margin output coding. ICML.

    Examples
    --------
    >>> from lab.comparators.mmoc import MaxMarginCoding
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> MaxMarginCoding().fit(data.X, data.Y).metric_.shape
    (4, 4)
    """

    _parameter_constraints = declare(
        "max_iter", "decoder", C=[positive], balance=[at_least(0)], alpha=[positive]
    )

    def __init__(self, *, C=10.0, balance=1.0, alpha=1.0, max_iter=300, decoder="subset"):
        self.C = C
        self.balance = balance
        self.alpha = alpha
        self.max_iter = max_iter
        self.decoder = decoder

    def _fit(self, X, Y):
        self.problems_ = fit_labels(None, X, Y, alpha=self.alpha, max_iter=1000, tol=1e-7)
        self.coef_, self.intercept_ = Ridge(X, self.alpha).solve(Y.astype(np.float64))
        problem = MetricProblem(Y, self._guess(X), self.C)
        self.metric_, self.objective_ = problem.solve(self.max_iter)

    def _guess(self, X):
        return np.asarray(X @ self.coef_, dtype=np.float64) + self.intercept_

    def _joint(self, X):
        unary = 2.0 * self._guess(X) @ self.metric_ - np.diag(self.metric_)
        unary += self.balance * self.problems_.log_odds(X)
        edges = np.argwhere(np.triu(np.ones_like(self.metric_), 1)).reshape(-1, 2)
        return IsingJoint(unary, edges, -2.0 * self.metric_[edges[:, 0], edges[:, 1]])


class MetricProblem:
    """The search for Q, given labels Y (n, L) and their predictions (n, L)."""

    def __init__(self, Y, guess, C):
        n, L = Y.shape
        if L > MAX_LABELS:
            raise ValueError(f"MMOC lists all sets of up to {MAX_LABELS} labels; Y has {L}.")
        self.Y, self.guess, self.own, self.weight = Y, guess, Y - guess, C / n
        self.sets = all_sets(L).astype(np.float64)

    def value_and_slope(self, Q):
        """Return the objective at Q and a subgradient (L, L).

        |y - y_i|_1 = sum y_i + (1 - 2 y_i)'y, so that what changes with y is linear but for y'Qy.
        """
        excess = (1.0 - 2.0 * self.Y + 2.0 * self.guess @ Q) @ self.sets.T
        excess -= ((self.sets @ Q) * self.sets).sum(axis=1)
        worst = excess.argmax(axis=1)
        other = self.sets[worst] - self.guess
        slack = np.abs(self.Y - self.sets[worst]).sum(axis=1)
        slack += ((self.own @ Q) * self.own - (other @ Q) * other).sum(axis=1)
        value = 0.5 * np.trace(Q) + self.weight * slack.sum()
        slope = self.weight * (self.own.T @ self.own - other.T @ other)
        return value, slope + 0.5 * np.eye(len(Q))

    def solve(self, max_iter):
        """Return the best Q met by projected subgradient steps, and its objective."""
        best = Q = np.eye(self.own.shape[1])
        lowest, slope = self.value_and_slope(Q)
        for step in range(max_iter):
            length = np.linalg.norm(slope)
            if length == 0.0:
                break
            values, vectors = np.linalg.eigh(Q - slope / length / np.sqrt(step + 1.0))
            Q = (vectors * np.maximum(values, 0.0)) @ vectors.T
            value, slope = self.value_and_slope(Q)
            if value < lowest:
                best, lowest = Q, value
        return best, lowest
