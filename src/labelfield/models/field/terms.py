"""What the terms of a pairwise field are made of: a column of parameters per label or pair.

Terms know their `shape`, whether all rows share them, `field(theta)` and `gradient(slope)`, and for
the solver where to begin (`reference`), how curved a logistic loss is in the parameters (`metric`)
and how exact their arithmetic is (`rounding`).
All parameters are drawn to zero.
"""

from functools import partial

import numpy as np

from labelfield._gate.reading import count_rows
from labelfield._namespaces import namespace, to_host
from labelfield.learners.linear import linear_scores
from labelfield.learners.logistic_loss import largest_value
from labelfield.learners.rows import as_rows
from labelfield.learners.rows.tensors import TensorRows
from labelfield.learners.spectrum import SpectralMetric, find_spectrum
from labelfield.models.field.rows import row_mean, row_weights

__all__ = ["ConstantTerms", "FeatureTerms", "LogOddsTerms", "field_of_rows"]

TINY = 1e-12


def field_of_rows(X, coef, intercept, source=None):
    """Return the terms (n, L) of rows X (n, d) from learned weights and constants.

    coef (L, d); with a `source` of log-odds (L, 1), their scales.
    """
    if source is not None:
        return source.transform(X) * coef[:, 0] + intercept
    return linear_scores(X, coef.T, intercept)


def whole_terms(terms, theta, likelihood, set_score):
    """Return value, gradient by theta and gradient by set_score, from the terms of all rows."""
    value, slope, set_slope = likelihood.evaluate(terms.field(theta), set_score)
    return value, terms.gradient(slope), set_slope


class FeatureTerms:
    """Weights of the features and a constant: field = (X - center) theta[:-1] + theta[-1].

    Parameters
    ----------
    X : array or CSR matrix (n, d), Design or Rows
    n_columns : int
        Number of labels, or of pairs whose coupling depends on the features.
    center : array (d,), optional
        Zero by default. Another one changes the constants only, and spares solvers the coupling
        between them and the weights.
    weight : array (n,), optional
        Of the rows, for the curvature.
    """

    shared = False

    def __init__(self, X, n_columns, center=None, weight=None):
        self.weight = weight
        self.rows = as_rows(X, weight=weight)
        n_features = self.rows.shape[1]
        self.center = np.zeros(n_features) if center is None else center
        self.rounding = 50.0 * self.rows.precision
        self._listed = None
        self.shape = n_features + 1, n_columns

    def reference(self, Y):
        """Return the parameters of labels Y (n, L) that do not depend on the features."""
        theta = np.zeros(self.shape)
        edge = 0.5 / Y.shape[0]
        share = np.clip(row_mean(Y, self.weight), edge, 1.0 - edge)
        theta[-1] = np.log(share / (1.0 - share))
        return theta

    def curvature(self):
        """Return about the largest curvature of a logistic loss in the parameters."""
        return 0.25 * largest_value(self.rows, self.center)[0]

    def metric(self, curvature, ridge):
        """Return the inverse Hessian of logistic losses with summed curvatures (columns,)."""
        metric = SpectralMetric(find_spectrum(self.rows).on_host(), ridge)
        return lambda theta: metric.solve(np.ascontiguousarray(theta.T), curvature).T

    def field(self, theta):
        """Return the terms (n, columns), where X lies."""
        constants = theta[-1] - self.center @ theta[:-1]
        return self.rows.design.scores(*map(self.rows.place.asarray, (theta[:-1], constants)))

    def listed_terms(self, theta, likelihood, set_score):
        """Return value, gradient (d + 1, L) and gradient by set_score (M,) of a likelihood.

        Where it can be summed over blocks of rows, no terms (n, L) are stored.
        """
        if isinstance(self.rows, TensorRows) or likelihood.targets is None:
            return whole_terms(self, theta, likelihood, set_score)
        rows = self._rows_of(likelihood)
        function = partial(
            likelihood.block_terms(),
            coef=np.ascontiguousarray(theta[:-1]),
            shift=theta[-1] - self.center @ theta[:-1],
            set_score=set_score,
        )
        value, slopes, total, set_slope = rows.sum(function)
        slopes -= np.outer(self.center, total)
        return float(value), np.concatenate([slopes, total[None]]), set_slope

    def _rows_of(self, likelihood):
        """Return the rows with what a likelihood wants to know of them, made once."""
        if self._listed is None or self._listed[0] is not likelihood:
            rows = self.rows.with_targets(likelihood.targets, self.rows.weight)
            self._listed = likelihood, rows
        return self._listed[1]

    def gradient(self, slope):
        """Return the gradient for the parameters from that for the terms (n, columns)."""
        xp = namespace(slope)
        total = to_host(xp.sum(slope, axis=0, dtype=xp.float64))
        weights = to_host(self.rows.design.rmatmul(slope)) - np.outer(self.center, total)
        return np.concatenate([weights, total[None]])

    def watch(self, key):
        """Return what looks at the solver after every step, None for rows in memory."""
        return self.rows.watch(key)

    def weights(self, theta):
        """Return the weights (columns, d) and constants (columns,) of features not centred."""
        return theta[:-1].T, theta[-1] - self.center @ theta[:-1]

    def parameters(self, coef, intercept):
        """Return the parameters of given weights (d, columns) and constants (columns,)."""
        coef, intercept = to_host(coef), to_host(intercept)
        return np.concatenate([coef, (intercept + self.center @ coef)[None]]).astype(np.float64)


class LogOddsTerms:
    """A scale and a shift of given log-odds: field = (1 + theta[0]) log_odds + theta[1]."""

    rounding = 1e-14

    def __init__(self, log_odds, weight=None):
        self.log_odds = log_odds
        self.weight = row_weights(weight, len(log_odds))
        self.shape = 2, log_odds.shape[1]

    def reference(self, Y):
        """Return the parameters that leave the log-odds alone."""
        del Y
        return np.zeros(self.shape)

    def curvature(self):
        """Return about the largest curvature of a logistic loss in the parameters."""
        squares = (self.weight @ np.square(self.log_odds)).max(initial=0.0)
        return 0.25 * max(float(squares), float(self.weight.sum()))

    def metric(self, curvature, ridge):
        """Return the inverse Hessian of logistic losses with summed curvatures (L,)."""
        squares = row_mean(np.square(self.log_odds), self.weight)
        hessian = np.stack([squares * curvature + ridge, curvature])
        hessian = np.maximum(hessian, TINY)  # a label of which nothing is known has no curvature
        return lambda theta: theta / hessian

    def field(self, theta):
        """Return the terms (n, L)."""
        return (1.0 + theta[0]) * self.log_odds + theta[1]

    def gradient(self, slope):
        """Return the gradient for the parameters from that for the terms (n, L)."""
        return np.stack([(slope * self.log_odds).sum(axis=0), slope.sum(axis=0)])

    def listed_terms(self, theta, likelihood, set_score):
        """Return value, gradient (2, L) and gradient by set_score (M,) of a likelihood."""
        return whole_terms(self, theta, likelihood, set_score)

    def watch(self, key):
        """Return None: nothing looks at the solver."""
        return

    def weights(self, theta):
        """Return the scales (L, 1) and shifts (L,)."""
        return 1.0 + theta[:1].T, theta[1]


class ConstantTerms:
    """The same number in every row of X: field = theta, of one row."""

    rounding = 0.0
    shared = True

    def __init__(self, X, n_columns, weight=None):
        self.total = float(count_rows(X) if weight is None else weight.sum())
        self.shape = 1, n_columns

    def curvature(self):
        """Return about the largest curvature of a logistic loss in the parameters."""
        return 0.25 * self.total

    def metric(self, curvature, ridge):
        """Return the inverse Hessian of logistic losses with summed curvatures (columns,)."""
        return lambda theta: theta / (curvature + ridge)

    def field(self, theta):
        """Return the terms (1, columns)."""
        return theta

    def gradient(self, slope):
        """Return the gradient for the parameters from that for the terms (1, columns)."""
        return slope
