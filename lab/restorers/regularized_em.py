"""REMI: regularised EM, a Gaussian on indicators with ridge regressions."""

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from lab.restorers.filling import fill_holes
from labelfield.restore.base import TableRestorer
from labelfield.restore.tables.codec import best_states

__all__ = ["RegularizedEMImputer"]

RIDGES = np.geomspace(1e-3, 10.0, 25) ** 2
NO_VARIANCE = 1e-10


class RegularizedEMImputer(TableRestorer):
    """REMI: mean and covariance of numbers and indicators; holes by ridge regression.

    For every pattern of holes the missing entries are regressed on the others with a ridge chosen
    by generalised cross-validation. A training table with holes is fitted by EM.

    Parameters
    ----------
    max_iter : int, default 30
    tol : float, default 1e-3
        EM stops when the filled-in values change by less, relative to their size.
    categorical, handle_unknown
        See RandomMixedField.

    References
    ----------
    T. Schneider: Analysis of incomplete climate data, Journal of Climate 14, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from lab.restorers import RegularizedEMImputer
    >>> clean = np.linspace(0, 1, 30)[:, None] * [1.0, 2.0]
    >>> RegularizedEMImputer().fit(clean).transform(np.array([[0.5, np.nan]])).round(2).tolist()
    [[0.5, 1.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TableRestorer._parameter_constraints,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, *, max_iter=30, tol=1e-3, categorical="auto", handle_unknown="error"):
        self.max_iter = max_iter
        self.tol = tol
        self.categorical = categorical
        self.handle_unknown = handle_unknown

    def _learn(self, clean):
        rows, hole = self._rows(clean)
        self._n_train = len(rows)
        mean = np.nanmean(np.where(hole, np.nan, rows), axis=0)
        rows = np.where(hole, mean, rows)
        self.mean_, self.covariance_ = rows.mean(axis=0), _covariance(rows)
        self.n_iter_ = 1
        while hole.any() and self.n_iter_ <= self.max_iter:
            self.n_iter_ += 1
            before, extra = rows[hole], np.zeros_like(self.covariance_)
            rows = self._regress(rows, hole, extra)
            self.mean_ = rows.mean(axis=0)
            self.covariance_ = _covariance(rows) + extra / len(rows)
            change = np.linalg.norm(rows[hole] - before)
            if change <= self.tol * np.linalg.norm(rows[hole]):
                return
        if hole.any():
            warnings.warn(
                f"EM did not settle in max_iter={self.max_iter} iterations; raise it.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _clean(self, dirty):
        rows, hole = self._rows(dirty)
        filled = self._regress(rows, hole, None)
        shape = self.codec_.shape
        mc = shape.n_numeric
        return fill_holes(dirty, filled[:, :mc], best_states(filled[:, mc:], shape))

    def _rows(self, table):
        shape = self.codec_.shape
        rows = np.concatenate([np.nan_to_num(table.numbers), table.states(shape.n_states)], axis=1)
        return rows, ~table.observed()[:, shape.node_of_entry]

    def _regress(self, rows, hole, residual):
        """Fill the holes of every pattern; add residual covariances to `residual` if given."""
        result = rows.copy()
        patterns, group = np.unique(hole, axis=0, return_inverse=True)
        for k, missing in enumerate(patterns):
            if not missing.any():
                continue
            members = np.flatnonzero(group.ravel() == k)
            slope, left = _ridge(self.covariance_, missing, self._n_train)
            known = rows[np.ix_(members, ~missing)] - self.mean_[~missing]
            result[np.ix_(members, missing)] = self.mean_[missing] + known @ slope
            if residual is not None:
                residual[np.ix_(missing, missing)] += len(members) * left
        return result


def _covariance(rows):
    centred = rows - rows.mean(axis=0)
    return centred.T @ centred / len(rows)


def _ridge(covariance, missing, n_train):
    """Slopes (observed, missing) and residual covariance, the ridge by cross-validation."""
    across = covariance[np.ix_(~missing, missing)]
    target = covariance[np.ix_(missing, missing)]
    scale = np.sqrt(np.maximum(np.diag(covariance)[~missing], NO_VARIANCE))
    values, vectors = np.linalg.eigh(
        covariance[np.ix_(~missing, ~missing)] / np.outer(scale, scale)
    )
    kept = values > NO_VARIANCE * max(len(values), 1)
    values, vectors = values[kept], vectors[:, kept]
    rotated = vectors.T @ (across / scale[:, None])
    damped = values + RIDGES[:, None]
    explained = (values + 2 * RIDGES[:, None]) / damped**2 @ (rotated**2).sum(axis=1)
    freedom = n_train - 1 - (values / damped).sum(axis=1)
    error = (np.trace(target) - explained) / np.maximum(freedom, 1e-3) ** 2
    ridge = RIDGES[np.argmin(error)]
    slope = vectors @ (rotated / (values + ridge)[:, None]) / scale[:, None]
    weight = (values + 2 * ridge) / (values + ridge) ** 2
    return slope, target - rotated.T @ (weight[:, None] * rotated)
