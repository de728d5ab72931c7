"""Tags completed by a linear map that has learned to undo random losses."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from labelfield._parameters import declare, positive, rate, whole
from labelfield.base import JointClassifier
from labelfield.joints import IndependentJoint
from labelfield.models.incomplete.ridge import Ridge
from labelfield.models.incomplete.score_curve import ScoreCurve

__all__ = ["FastTag"]

TINY = 1e-6  # a label without marks has no rows to learn from


class FastTag(JointClassifier):
    """FastTag: enrich the marked labels by a linear map B, and predict the enriched ones from x.

    Minimises sum_i |B y_i - W x_i|^2 + alpha |W|^2 + gamma E sum_i |y_i - B y~_i|^2, where y~ are
    the marks y after each is lost with probability `dropout`: what B undoes in expectation it also
    does to labels that annotators left out. Both maps together have a closed form. Zeros of Y are
    read as "not marked".

    Parameters
    ----------
    alpha : float, default=0.1
        Strength of the penalty of W, per row.
    gamma : float, default=1.0
        Weight of the reconstruction of the marks.
    dropout : float in (0, 1), default=0.5
        Share of the marks that B learns to do without.
    n_layers : int, default=1
        How often: each further layer learns such a map of the labels that the last one has
        enriched, so that labels can be reached through others.
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (L, d) and (L,)
        W and its constants.
    enrichment_ : array of shape (L, L)
        B, the product of those of all layers.

    References
    ----------
    Chen, Zheng, Weinberger (2013): Fast image tagging. ICML.

    Examples
    --------
    >>> from labelfield import FastTag
    >>> from labelfield.datasets import hide_labels, make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> model = FastTag().fit(data.X, hide_labels(data.Y, 0.3, random_state=0))
    >>> model.enrichment_.shape
    (4, 4)
    """

    _parameter_constraints = declare(
        "decoder", alpha=[positive], gamma=[positive], dropout=[rate], n_layers=[whole(1)]
    )

    def __init__(self, *, alpha=0.1, gamma=1.0, dropout=0.5, n_layers=1, decoder="subset"):
        self.alpha = alpha
        self.gamma = gamma
        self.dropout = dropout
        self.n_layers = n_layers
        self.decoder = decoder

    def _fit(self, X, Y):
        marks = Y.astype(np.float64)
        W, constant = Ridge(X, self.alpha * len(Y)).solve(marks)
        predicted = np.asarray(X @ W) + constant
        self.enrichment_ = np.eye(Y.shape[1])
        for _ in range(self.n_layers):
            B = enrichment(marks, predicted, self.dropout, self.gamma)
            marks, predicted = marks @ B.T, predicted @ B.T  # W is linear in its targets
            self.enrichment_ = B @ self.enrichment_
        self.coef_, self.intercept_ = self.enrichment_ @ W.T, self.enrichment_ @ constant
        self._curve = ScoreCurve(self._scores(X), Y)

    def _scores(self, X):
        return np.asarray(X @ self.coef_.T, dtype=np.float64) + self.intercept_

    def _joint(self, X):
        return IndependentJoint(self._curve.log_odds(self._scores(X)))


def enrichment(marks, predicted, dropout, gamma):
    """Return the map B (L, L) of marks (n, L) whose ridge predictions are `predicted` (n, L).

    With each mark kept with probability q, E y~ y~' = S q^2 off the diagonal and S q on it, and
    E y y~' = S q, where S sums y y' over the rows. W is linear in its targets, W(B y) = B W(y): so
    both maps come from one system.
    """
    kept = 1.0 - dropout
    S = marks.T @ marks
    second = S * kept**2
    second[np.diag_indices_from(second)] = np.diag(S) * kept
    unexplained = S - predicted.T @ marks
    normal = gamma * second + 0.5 * (unexplained + unexplained.T)
    normal[np.diag_indices_from(normal)] += TINY * max(np.diag(S).mean(), 1.0)
    return cho_solve(cho_factor(normal, overwrite_a=True), gamma * kept * S).T
