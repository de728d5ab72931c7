"""Logistic regression of all labels at once."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelfield import kernels
from labelfield.learners.design import Design
from labelfield.learners.preconditioner import choose_preconditioner
from labelfield.optim import ElasticNet, Trace, column_lbfgs, fista

__all__ = ["LogisticLearner"]

BLOCK_BYTES = 256 * 2**20
MAX_BLOCK = 64  # labels at a time: enough for fast products, few enough for the cache
HALF_WAY = 1e-3  # float32 arithmetic is good for this tolerance
MIN_TWO_PHASES = 2_000_000  # entries of X times labels from which a first phase in float32 pays


class LogisticLearner:
    """Batched logistic regression: every label's problem in the same matrix products.

    For each label minimises sum_n s_n CE(y_n, z_n) + alpha [(1 - r) / 2 ||w||^2 + r ||w||_1],
    r = `l1_ratio`, with the constant not penalised. The loss is a sum, so alpha is 1 / C of
    scikit-learn's LogisticRegression.

    A label without positive or without negative weight gets no weights and the constant
    log((positives + 1/2) / (negatives + 1/2)).

    Parameters
    ----------
    alpha, l1_ratio : float, float
    max_iter, tol : int, float
        A label is done when the largest entry of its gradient has fallen to `tol` times that of
        the model without features.
    warn : bool
        Whether running out of iterations gives a ConvergenceWarning.

    Attributes
    ----------
    coef_ : array (d, L), in the dtype of X
    intercept_ : array (L,)
    trace_ : Trace of the summed objective (of the last block of labels)
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners import LogisticLearner
    >>> X, Y = np.array([[-1.0], [0.0], [1.0], [2.0]]), np.array([[0, 1], [0, 1], [1, 0], [1, 0]])
    >>> learner = LogisticLearner(tol=1e-8).fit(X, Y)
    >>> learner.coef_.round(2).tolist()
    [[0.96, -0.96]]
    """

    def __init__(self, *, alpha=1.0, l1_ratio=0.0, max_iter=1000, tol=1e-3, warn=True):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.max_iter = max_iter
        self.tol = tol
        self.warn = warn

    def fit(self, X, Y, sample_weight=None, start=None, mask=None):
        """Fit every column of Y.

        Parameters
        ----------
        X : array or CSR matrix (n, d)
        Y : array (n, L) in [0, 1]; soft targets are allowed
        sample_weight : array (n,) or (n, L), optional
        start : (coef (d, L), intercept (L,)), optional
            Where to begin.
        mask : bool array (d, L), optional
            Weights that may differ from zero.

        Returns
        -------
        self
        """
        self._check_parameters()
        n, d = X.shape
        weights = np.ones(n) if sample_weight is None else sample_weight
        present = (weights * Y.T).sum(axis=1) if weights.ndim == 1 else (weights * Y).sum(axis=0)
        absent = weights.sum(axis=0) - present
        W = np.zeros((d + 1, Y.shape[1]))
        W[-1] = np.log((present + 0.5) / (absent + 0.5))
        varies = np.flatnonzero((present > 0) & (absent > 0))
        if start is not None:
            W[:-1, varies], W[-1, varies] = start[0][:, varies], start[1][varies]
        self.trace_, self.n_iter_ = Trace([0.0], "converged"), 1
        block = int(np.clip(BLOCK_BYTES / (400 * (d + 1) + 40 * n), 1, MAX_BLOCK))
        for design, tol in self._phases(X, len(varies)):
            for first in range(0, len(varies), block):
                columns = varies[first : first + block]
                W[:, columns] = self._solve(design, Y, weights, W, columns, mask, tol)
        if self.warn and self.trace_.reason == "max_iter":
            self._warn()
        self.coef_ = W[:-1].astype(X.dtype, copy=False)
        self.intercept_ = W[-1].astype(X.dtype, copy=False)
        return self

    def decision(self, X):
        """Return the log-odds of every label: (n, L)."""
        return np.asarray(X @ self.coef_) + self.intercept_

    def _check_parameters(self):
        if not self.alpha >= 0:
            raise ValueError(f"alpha must be at least 0; got {self.alpha!r}.")
        if not 0 <= self.l1_ratio <= 1:
            raise ValueError(f"l1_ratio must lie in [0, 1]; got {self.l1_ratio!r}.")

    def _phases(self, X, n_labels):
        """Yield the design and tolerance of each phase: float32 as far as it goes, then float64."""
        design = Design(X)
        large = design.n_entries * n_labels >= MIN_TWO_PHASES and self.l1_ratio == 0
        if X.dtype == np.float32 or not large:
            yield design, self.tol
            return
        yield Design(X, np.float32), max(self.tol, HALF_WAY)
        if self.tol < HALF_WAY:
            yield design, self.tol

    def _solve(self, design, Y, weights, W, columns, mask, tol):
        dtype = design.dtype
        labels = np.ascontiguousarray(Y[:, columns], dtype=dtype)
        weights = weights[:, None] if weights.ndim == 1 else weights[:, columns]
        allowed = None if mask is None else np.append(mask, np.ones((1, mask.shape[1]), bool), 0)
        allowed = None if allowed is None else allowed[:, columns]
        ridge = self.alpha * (1.0 - self.l1_ratio)
        problem = LogisticProblem(design, labels, weights.astype(dtype), ridge, allowed)
        start = np.ascontiguousarray(W[:, columns], dtype=dtype)
        if self.l1_ratio > 0:
            found, trace = fista(
                SummedLoss(problem),
                ElasticNet(self.alpha * self.l1_ratio, 1.0, unpenalized=1),
                start,
                tol=1e-3 * tol,
                max_iter=10 * self.max_iter,
                step=1.0 / problem.lipschitz(),
            )
        else:
            problem.prepare(self.max_iter)
            found, trace = column_lbfgs(
                problem, start, tol=tol, max_iter=self.max_iter, scale=problem.null_gradient()
            )
        self.n_iter_ = max(self.n_iter_, trace.n_iter)
        if self.trace_.reason == "converged":  # one block that did not is what to tell of
            self.trace_ = trace
        return found

    def _warn(self):
        warnings.warn(
            f"The logistic solver did not reach tol={self.tol} within max_iter={self.max_iter} "
            f"iterations; raise either, scale the features, or raise alpha={self.alpha}.",
            ConvergenceWarning,
            stacklevel=3,
        )


class LogisticProblem:
    """Value and gradient of the ridge part, per column; `mask` keeps entries at zero."""

    def __init__(self, design, Y, weights, ridge, mask=None):
        self.design = design
        self.Y = Y
        self.weights = weights
        self.ridge = ridge
        self.mask = mask

    def prepare(self, max_iter):
        """Choose the preconditioner for a run of up to `max_iter` iterations."""
        total = np.broadcast_to(self.weights, self.Y.shape).sum(axis=0)
        rate = (self.weights * self.Y).sum(axis=0) / total
        curvature = rate * (1.0 - rate) * total / len(self.Y)
        self.inverse_hessian = choose_preconditioner(self.design, curvature, self.ridge, max_iter)

    def null_gradient(self):
        """Return the largest entry of the gradient of the model without features, per column."""
        rate = (self.weights * self.Y).sum(axis=0) / np.broadcast_to(
            self.weights, self.Y.shape
        ).sum(axis=0)
        return np.abs(self.design.rmatmul(self.weights * (rate - self.Y))).max(axis=0)

    def image(self, W, columns):
        return self.design.matmul(W)

    def evaluate(self, Z, W, columns):
        Y = self.Y if len(columns) == self.Y.shape[1] else self.Y[:, columns]
        loss, residual = kernels.logistic.loss_and_residual(Z, Y, self._weights(columns))
        squares = np.einsum("ij,ij->j", W[:-1], W[:-1], dtype=np.float64)
        return loss + 0.5 * self.ridge * squares, residual

    def gradient(self, R, W, columns):
        G = self.design.rmatmul(R)
        G[:-1] += self.ridge * W[:-1]
        return G if self.mask is None else G * self.mask[:, columns]

    def precondition(self, G, columns):
        P = self.inverse_hessian(G, columns)
        return P if self.mask is None else P * self.mask[:, columns]

    def lipschitz(self):
        """Return a bound of the Hessian of all columns together."""
        heaviest = float(self.weights.max())
        return 0.25 * heaviest * _largest_eigenvalue(self.design) + self.ridge

    def _weights(self, columns):
        return self.weights if self.weights.shape[1] == 1 else self.weights[:, columns]


class SummedLoss:
    """All columns as one problem, for solvers that know nothing of columns."""

    def __init__(self, problem):
        self.problem = problem
        self.columns = np.arange(problem.Y.shape[1])

    def value(self, W):
        Z = self.problem.image(W, self.columns)
        return float(self.problem.evaluate(Z, W, self.columns)[0].sum())

    def value_and_gradient(self, W):
        Z = self.problem.image(W, self.columns)
        value, residual = self.problem.evaluate(Z, W, self.columns)
        return float(value.sum()), self.problem.gradient(residual, W, self.columns)


def _largest_eigenvalue(design, n_steps=30):
    """Return the largest eigenvalue of the design's Gram matrix, by power iteration, rounded up."""
    v = np.random.default_rng(0).normal(size=(design.shape[1] + 1, 1)).astype(design.dtype)
    size = 1.0
    for _ in range(n_steps):
        v = design.rmatmul(design.matmul(v / np.linalg.norm(v)))
        size = float(np.linalg.norm(v))
    return 1.05 * size
