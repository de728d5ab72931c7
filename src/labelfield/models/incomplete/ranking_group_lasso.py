"""Ranking marked labels above the others, with the errors of each marked label in a group."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelfield._parameters import declare, positive
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.models.incomplete.center import centred
from labelfield.models.incomplete.ranking_loss import group_hinge
from labelfield.models.incomplete.score_curve import ScoreCurve
from labelfield.optim import lbfgs

__all__ = ["RankingGroupLasso"]

SMOOTHING = 1e-2


class RankingGroupLasso(JointClassifier):
    """MLRGL: linear scores f that rank marked labels above the others, errors in groups.

    Minimises alpha / 2 |W|^2 + sum_i sum_k (sum_l max(0, 1 - f_k(x_i) + f_l(x_i))^2)^(1/2), k over
    the marked labels of row i and l over the others. The root is a group lasso on the errors of a
    marked label: a few large ones, which labels left out by annotators cause, weigh less than in a
    sum of squares. Zeros of Y are read as "not marked"; rows without a mark teach nothing.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty against the summed loss; the constants are not penalised.
    max_iter, tol : int, float
        L-BFGS stops when the gradient has fallen to `tol` times that at the start.
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (L, d) and (L,)
    trace_ : Trace
    n_iter_ : int

    References
    ----------
    Bucak, Jin, Jain (2011): Multi-label learning with incomplete class assignments. CVPR.

    Examples
    --------
    >>> from labelfield import RankingGroupLasso
    >>> from labelfield.datasets import hide_labels, make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> model = RankingGroupLasso().fit(data.X, hide_labels(data.Y, 0.3, random_state=0))
    >>> model.coef_.shape
    (4, 10)
    """

    _parameter_constraints = declare("max_iter", "tol", "decoder", alpha=[positive])

    def __init__(self, *, alpha=1.0, max_iter=200, tol=1e-3, decoder="subset"):
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder

    def _fit(self, X, Y):
        marked = Y == 1
        ranked = marked.any(axis=1) & ~marked.all(axis=1)
        # constants are free, so that a shift of the features changes nothing but the digits left
        rows, mean = centred(X[ranked])
        theta = self._solve(RankingObjective(rows, marked[ranked], self.alpha))
        self.coef_, self.intercept_ = theta[:-1].T, theta[-1] - mean @ theta[:-1]
        self._curve = ScoreCurve(self._scores(X), Y)

    def _solve(self, objective):
        """Return the minimiser (d + 1, L); sets `trace_` and `n_iter_`."""
        start = np.zeros(objective.shape).ravel()
        theta, self.trace_ = lbfgs(objective, start, tol=self.tol, max_iter=self.max_iter)
        self.n_iter_ = max(1, self.trace_.n_iter)
        if self.trace_.reason == "max_iter":
            warnings.warn(
                f"L-BFGS did not reach tol={self.tol} within max_iter={self.max_iter} iterations; "
                f"raise either, or raise alpha={self.alpha}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return theta.reshape(objective.shape)

    def _scores(self, X):
        return np.asarray(X @ self.coef_.T, dtype=np.float64) + self.intercept_

    def _joint(self, X):
        return IndependentJoint(self._curve.log_odds(self._scores(X)))


class RankingObjective:
    """Value and gradient of the penalised loss of weights and constants, laid out in a vector."""

    def __init__(self, X, marked, alpha):
        self.X = X
        self.marked = marked
        self.alpha = alpha
        self.shape = (X.shape[1] + 1, marked.shape[1])

    def __call__(self, theta):
        weights = theta.reshape(self.shape)
        scores = np.asarray(self.X @ weights[:-1], dtype=np.float64) + weights[-1]
        value, slope = group_hinge(np.ascontiguousarray(scores), self.marked, SMOOTHING)
        gradient = np.empty(self.shape)
        gradient[:-1] = self.X.T @ slope + self.alpha * weights[:-1]
        gradient[-1] = slope.sum(axis=0)
        value += 0.5 * self.alpha * float(np.vdot(weights[:-1], weights[:-1]))
        return value, gradient.ravel()
