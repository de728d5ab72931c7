"""Gates of logistic regression and of any scikit-learn classifier."""

from functools import partial

import numpy as np

from labelfield._gate.reading import count_rows, take_rows
from labelfield._namespaces import is_tensor, namespace, place_of, to_host
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.learners.checkpoint import Replayed
from labelfield.learners.clones import fit_clone, takes_weights
from labelfield.learners.rows import as_fit_rows
from labelfield.learners.rows.design import as_design
from labelfield.models.mixture.parts import Gate, among_rows
from labelfield.models.mixture.rates import MIN_RATE, belonging, component_shares
from labelfield.optim.lbfgs import lbfgs_steps

__all__ = ["ClonedGate", "LogisticGate"]


class LogisticGate(Gate):
    """Multinomial logistic regression on soft memberships, a few L-BFGS steps per round of EM.

    The steps are plain ones on purpose. A preconditioned solver gets further in a round and fits
    the gate to memberships that are still wrong: on scene it ends at about the same objective,
    a point lower in exact match.
    """

    def __init__(self, *, alpha, n_updates, tol):
        self.alpha = alpha
        self.n_updates = n_updates
        self.tol = tol

    def start(self, X, gamma):
        share = np.log(np.maximum(to_host(component_shares(gamma)), MIN_RATE))
        self.coef = np.zeros((X.shape[1], gamma.shape[1]))
        self.intercept = share - share.mean()

    def update(self, X, gamma):
        if gamma.shape[1] == 1:
            return
        rows, used = as_fit_rows(X, None, gamma)
        start = np.concatenate([self.coef[used], self.intercept[None]])
        shape = start.shape
        watch = rows.watch(f"gate alpha={self.alpha!r} tol={self.tol!r} shape={shape}")

        def evaluate(theta):
            value, gradient = self.loss(theta.reshape(shape), rows)
            return value, gradient.ravel()

        objective = Replayed(evaluate, watch)
        slope = np.abs(objective(start.ravel())[1]).max()
        limits = {"maxiter": self.n_updates, "gtol": self.tol * slope, "ftol": 1e-6 * self.tol}
        found = lbfgs_steps(objective, start.ravel(), **limits)
        self.coef[used], self.intercept = found.x.reshape(shape)[:-1], found.x.reshape(shape)[-1]

    def loss(self, theta, rows):
        """Return the penalised cross-entropy of weights and constants theta (d + 1, K).

        The weights of the rows are their memberships. The answer is the value and the gradient
        (d + 1, K).
        """
        coef, place = theta[:-1], rows.place
        parameters = place.asarray(coef), place.asarray(theta[-1])
        value, slopes, constants = rows.sum(partial(_gate_terms, parameters=parameters))
        gradient = np.empty_like(theta)
        gradient[:-1] = to_host(slopes) + self.alpha * coef
        gradient[-1] = to_host(constants)
        return float(value) + 0.5 * self.alpha * float(np.vdot(coef, coef)), gradient

    def log_weights(self, X):
        if is_tensor(X):
            place = place_of(X)
            Z = as_design(X).matmul(place.asarray(self.coef)) + place.asarray(self.intercept)
        else:
            Z = np.asarray(X @ self.coef, dtype=np.float64) + self.intercept
        return Z - logsumexp(Z, axis=1)[:, None]

    def penalty(self):
        return 0.5 * self.alpha * float(np.vdot(self.coef, self.coef))

    def kept(self):
        return {"gate_coef": self.coef, "gate_intercept": self.intercept}

    def restore(self, kept):
        self.coef, self.intercept = kept["gate_coef"], kept["gate_intercept"]

    def widen(self, used, n_features):
        self.coef = among_rows(self.coef, used, n_features)


def _gate_terms(block, parameters):
    """Return the cross-entropy of a block and its derivatives by weights (d, K), constants (K,)."""
    gamma = block.weight
    xp = namespace(gamma)
    Z = xp.astype(block.design.scores(*parameters), gamma.dtype, copy=False)
    log_total, weight = logsumexp(Z, axis=1), xp.sum(gamma, axis=1)
    value = weight @ log_total - _inner(gamma, Z)
    residual = weight[:, None] * xp.exp(Z - log_total[:, None]) - gamma
    return value, block.design.rmatmul(residual), xp.sum(residual, axis=0)


def _inner(a, b):
    """Return the sum of the products of the entries of two arrays."""
    xp = namespace(a)
    return xp.vecdot(xp.reshape(a, (-1,)), xp.reshape(b, (-1,)))


class ClonedGate(Gate):
    """Any multi-class classifier, refitted every round.

    A row enters once for every component it belongs to, with its membership as sample weight.
    """

    def __init__(self, estimator):
        if not takes_weights(estimator):
            raise ValueError(
                f"gate={estimator!r} cannot learn soft memberships: its fit takes no sample_weight."
            )
        self.estimator = estimator

    def start(self, X, gamma):
        self.n_components = gamma.shape[1]

    def update(self, X, gamma):
        rows, codes = np.nonzero(belonging(gamma))
        self.classes = np.unique(codes)
        if len(self.classes) > 1:
            weights = gamma[rows, codes]
            self.fitted = fit_clone(self.estimator, take_rows(X, rows), codes, weights)

    def log_weights(self, X):
        p = np.full((count_rows(X), self.n_components), MIN_RATE)
        p[:, self.classes] += self.fitted.predict_proba(X) if len(self.classes) > 1 else 1.0
        return np.log(p / p.sum(axis=1, keepdims=True))
