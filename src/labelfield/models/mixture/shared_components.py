"""One logistic regression per label whose constant depends on the component."""

import numpy as np
from scipy.special import expit, logit

from labelfield.models.mixture.parts import Components, log_bernoulli_sum
from labelfield.models.mixture.rates import label_prior, smoothed_rates
from labelfield.optim.lbfgs import lbfgs_steps

__all__ = ["SharedComponents"]


class SharedComponents(Components):
    """Log-odds z_nkl = w_l . x_n + c_kl: weights shared by the components, constants not.

    Every round takes a few L-BFGS steps on sum_nkl gamma_nk CE(y_nl, z_nkl) + alpha / 2 ||w||^2.
    """

    def __init__(self, *, alpha, n_updates):
        self.alpha = alpha
        self.n_updates = n_updates

    def start(self, X, Y, gamma, known=None):
        self.n_components = gamma.shape[1]
        prior = label_prior(Y, known, gamma)
        seen = np.ones(Y.shape[1], bool) if known is None else known.any(axis=0)
        self.varies = np.flatnonzero((prior > 0) & (prior < 1) & seen)
        self.constants = logit(smoothed_rates(Y, gamma, prior, known))
        self.coef = np.zeros((X.shape[1], Y.shape[1]))

    def update(self, X, Y, gamma, known=None):
        if not len(self.varies):
            return
        labels = Y[:, self.varies].astype(np.float64)
        seen = None if known is None else known[:, self.varies]
        start = self.coef[:, self.varies], self.constants[:, self.varies]
        shape = start[0].shape
        cut = start[0].size

        def objective(theta):
            coef, constants = theta[:cut].reshape(shape), theta[cut:].reshape(start[1].shape)
            value, d_coef, d_constants = self.loss(coef, constants, X, labels, gamma, seen)
            return value, np.concatenate([d_coef.ravel(), d_constants.ravel()])

        theta = np.concatenate([part.ravel() for part in start])
        found = lbfgs_steps(objective, theta, maxiter=self.n_updates).x
        self.coef[:, self.varies] = found[:cut].reshape(shape)
        self.constants[:, self.varies] = found[cut:].reshape(start[1].shape)

    def loss(self, coef, constants, X, Y, gamma, known=None):
        """Return the M-step's objective and its gradients with respect to coef and constants.

        coef (d, L); constants (K, L); X (n, d); Y (n, L); gamma (n, K); known (n, L) masks Y.
        """
        field = np.asarray(X @ coef)
        value = 0.5 * self.alpha * float(np.vdot(coef, coef))
        total = np.zeros_like(field)
        d_constants = np.empty_like(constants)
        for k, constant in enumerate(constants):
            logits = field + constant
            weight = gamma[:, k]
            value -= float(weight @ log_bernoulli_sum(Y, logits, known))
            residual = weight[:, None] * (expit(logits) - Y)
            if known is not None:
                residual *= known
            d_constants[k] = residual.sum(axis=0)
            total += residual
        return value, np.asarray(X.T @ total) + self.alpha * coef, d_constants

    def component_logits(self, k, X):
        return np.asarray(X @ self.coef) + self.constants[k]

    def penalty(self):
        return 0.5 * self.alpha * float(np.vdot(self.coef, self.coef))

    def n_active(self):
        return len(self.varies)
