"""Softmax regression with soft targets."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from labelfield.kernels.logspace import logsumexp
from labelfield.learners.design import Design
from labelfield.learners.preconditioner import choose_preconditioner
from labelfield.optim import column_lbfgs

__all__ = ["MultinomialLearner"]


class MultinomialLearner:
    """Multinomial logistic regression on targets that sum to one per row.

    Minimises -sum_n s_n sum_k t_nk log p_k(x_n) + alpha / 2 ||W||^2, constants not penalised.

    Parameters
    ----------
    alpha : float
    max_iter, tol : int, float
        Stop when the largest entry of the gradient has fallen to `tol` times that at the start.
    warn : bool
        Whether running out of iterations gives a ConvergenceWarning.

    Attributes
    ----------
    coef_ : array (d, K), in the dtype of X
    intercept_ : array (K,)
    trace_ : Trace
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners import MultinomialLearner
    >>> X, T = np.array([[-1.0], [0.0], [1.0]]), np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> learner = MultinomialLearner(tol=1e-8).fit(X, T)
    >>> np.exp(learner.log_proba(np.array([[0.0]]))).round(3).tolist()
    [[0.5, 0.5]]
    """

    def __init__(self, *, alpha=1.0, max_iter=1000, tol=1e-3, warn=True):
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.warn = warn

    def fit(self, X, T, sample_weight=None, start=None):
        """Fit to targets T (n, K) whose rows sum to one.

        Parameters
        ----------
        X : array or CSR matrix (n, d)
        T : array (n, K)
        sample_weight : array (n,), optional
        start : (coef (d, K), intercept (K,)), optional

        Returns
        -------
        self
        """
        if not self.alpha >= 0:
            raise ValueError(f"alpha must be at least 0; got {self.alpha!r}.")
        weights = np.ones(len(T)) if sample_weight is None else sample_weight
        W = np.zeros((X.shape[1] + 1, T.shape[1]))
        if start is None:
            share = np.maximum(weights @ T, 1e-9)
            W[-1] = np.log(share / share.sum())
        else:
            W[:-1], W[-1] = start
        problem = _SoftmaxProblem(Design(X), T, weights, self.alpha, self.max_iter)
        found, self.trace_ = column_lbfgs(
            problem, W.reshape(-1, 1), tol=self.tol, max_iter=self.max_iter
        )
        self.n_iter_ = max(1, self.trace_.n_iter)
        W = found.reshape(W.shape)
        self.coef_ = W[:-1].astype(X.dtype, copy=False)
        self.intercept_ = (W[-1] - W[-1].mean()).astype(X.dtype, copy=False)
        if self.warn and self.trace_.reason == "max_iter":
            warnings.warn(
                f"The multinomial solver did not reach tol={self.tol} within "
                f"max_iter={self.max_iter} iterations; raise either, scale the features, or "
                f"raise alpha={self.alpha}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def log_proba(self, X):
        """Return log p_k(x): (n, K)."""
        Z = np.asarray(X @ self.coef_, dtype=np.float64) + self.intercept_
        return Z - logsumexp(Z, axis=1)[:, None]


class _SoftmaxProblem:
    """One problem whose parameters (d + 1, K) are laid out as a single column."""

    def __init__(self, design, T, weights, ridge, max_iter):
        self.design = design
        self.T = T
        self.weights = weights[:, None]
        self.ridge = ridge
        share = (weights @ T) / weights.sum()
        curvature = share * (1.0 - share) * weights.sum() / len(T)
        self.inverse_hessian = choose_preconditioner(design, curvature, ridge, max_iter)

    def _matrix(self, column):
        return column.reshape(-1, self.T.shape[1])

    def image(self, W, columns):
        return self.design.matmul(self._matrix(W))[..., None]

    def evaluate(self, Z, W, columns):
        Z = Z[..., 0]
        log_total = logsumexp(Z, axis=1)
        loss = self.weights[:, 0] @ (log_total - np.einsum("ij,ij->i", self.T, Z))
        residual = self.weights * (np.exp(Z - log_total[:, None]) - self.T)
        coef = self._matrix(W)[:-1]
        return np.array([loss + 0.5 * self.ridge * np.vdot(coef, coef)]), residual[..., None]

    def gradient(self, R, W, columns):
        G = self.design.rmatmul(R[..., 0])
        G[:-1] += self.ridge * self._matrix(W)[:-1]
        return G.reshape(-1, 1)

    def precondition(self, G, columns):
        P = self.inverse_hessian(self._matrix(G), np.arange(self.T.shape[1]))
        return P.reshape(-1, 1)
