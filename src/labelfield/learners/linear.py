"""What the linear learners share: their arguments, the choice of solver and the report."""

import numpy as np
import scipy.sparse as sp

from labelfield._namespaces import is_tensor, namespace, put_rows
from labelfield.learners.rows.design import thin_product
from labelfield.optim import (
    ElasticNet,
    Ridge,
    Trace,
    column_lbfgs,
    fista,
    warn_unless_converged,
)

__all__ = ["LinearLearner", "linear_scores"]


def linear_scores(X, coef, intercept):
    """Return X @ coef + intercept as an array or tensor: (n, d) -> (n, C)."""
    if type(X) is type(coef) is np.ndarray:
        return np.ascontiguousarray(thin_product(X, coef)) + intercept
    product = X @ coef
    if sp.issparse(product):  # of two sparse matrices
        product = product.toarray()
    return (product if is_tensor(product) else np.asarray(product)) + intercept


class LinearLearner:
    """Arguments and solvers of a linear model; subclasses write `fit`."""

    def __init__(self, *, alpha=1.0, l1_ratio=0.0, max_iter=1000, tol=1e-6, warn=True, n_jobs=None):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.max_iter = max_iter
        self.tol = tol
        self.warn = warn
        self.n_jobs = n_jobs

    def decision(self, X):
        """Return the scores, in the dtype of X and the weights: (n, d) -> (n, L)."""
        return linear_scores(X, self.coef_, self.intercept_)

    def _minimise(self, loss, start, metric, unpenalized):
        """Return the minimum from `start` (p, C), and its Trace."""
        limits = {"tol": self.tol, "max_iter": self.max_iter}
        if self.l1_ratio > 0:
            penalty = ElasticNet(self.alpha, self.l1_ratio, unpenalized)
            return fista(loss, penalty, start, **limits)
        penalty = Ridge(self.alpha, unpenalized)
        key = f"alpha={self.alpha!r} tol={self.tol!r} shape={start.shape}"
        watch = loss.rows.watch(key)
        return column_lbfgs(loss, penalty, start, metric=metric, watch=watch, **limits)

    def _store(self, coef, intercept, used, X):
        """Keep weights (d, C) of the columns in use as those of all columns of X, and constants."""
        xp = namespace(intercept)
        self.intercept_ = xp.astype(intercept, X.dtype, copy=False)
        if sp.issparse(coef):
            self.coef_ = coef.astype(X.dtype, copy=False)
        else:
            self.coef_ = xp.astype(coef, X.dtype, copy=False)
        if isinstance(used, slice):
            return
        if sp.issparse(coef):
            place = sp.csr_matrix(
                (np.ones(len(used), X.dtype), (used, np.arange(len(used)))),
                shape=(X.shape[1], len(used)),
            )
            self.coef_ = (place @ self.coef_).tocsr()
            return
        shape, kind = (X.shape[1], coef.shape[1]), {"dtype": X.dtype, "device": coef.device}
        narrow, self.coef_ = self.coef_, xp.zeros(shape, **kind)
        put_rows(self.coef_, used, narrow)

    def _report(self, traces):
        """Keep the history; warn if it ended too early."""
        self.trace_ = Trace.of_sum(traces)
        self.n_iter_ = max(1, self.trace_.n_iter)
        if self.warn:
            warn_unless_converged(self)
