"""A mixture of independent labels, without features."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.special import log_expit, logit
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from labelfield._gate.indicator import read_indicator
from labelfield._gate.validation import as_generator
from labelfield._parameters import declare, whole
from labelfield.joints import MixtureJoint
from labelfield.kernels.sets.logspace import log_product, logsumexp
from labelfield.models.mixture.rates import MIN_RATE, label_prior, smoothed_rates
from labelfield.optim import Trace

__all__ = ["BernoulliMixture", "fit_mixture"]


class FittedMixture(NamedTuple):
    """Weights (K,), label rates (K, L) and the trace of EM."""

    weights: np.ndarray
    means: np.ndarray
    trace: Trace

    def log_joint(self, Y, known=None):
        """Return log p(component, y) of the known labels, Y being 0 elsewhere: (n, L) -> (n, K)."""
        logits = logit(self.means)
        if known is None:
            return np.log(self.weights) + log_product(Y, logits)
        return np.log(self.weights) + Y @ logits.T + known @ log_expit(-logits).T

    def responsibilities(self, Y, known=None):
        """Return p(component | y): (n, L) -> (n, K)."""
        log_joint = self.log_joint(Y, known)
        return np.exp(log_joint - logsumexp(log_joint, axis=1)[:, None])


def fit_mixture(
    Y, n_components, *, known=None, n_init=10, max_iter=100, tol=1e-6, weights=None, rng
):
    """Return the best of `n_init` runs of EM on the label sets Y (n, L).

    Only distinct sets are visited, each as often as it counts. Labels outside the mask known (n, L)
    are not looked at; Y is 0 there.
    """
    keys = Y if known is None else np.concatenate([Y, known], axis=1)
    _, first, where = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    counts = np.bincount(where.ravel(), weights=weights).astype(np.float64)
    first, counts = first[counts > 0], counts[counts > 0]
    sets = Y[first], None if known is None else known[first]
    runs = (_one_run(*sets, counts, n_components, max_iter, tol, rng) for _ in range(n_init))
    return min(runs, key=lambda run: run.trace.objective[-1])


def _one_run(sets, known, counts, n_components, max_iter, tol, rng):
    share = counts / counts.sum()
    prior = label_prior(sets, known, counts[:, None])
    means = rng.uniform(0.25, 0.75, size=(n_components, sets.shape[1]))
    fitted = FittedMixture(np.full(n_components, 1.0 / n_components), means, None)
    objective, reason = [], "max_iter"
    for _ in range(max_iter):
        log_joint = fitted.log_joint(sets, known)
        log_prob = logsumexp(log_joint, axis=1)
        objective.append(-float(share @ log_prob))
        if len(objective) > 1 and objective[-2] - objective[-1] < tol:
            reason = "converged"
            break
        mass = counts[:, None] * np.exp(log_joint - log_prob[:, None])
        weights = np.maximum(mass.sum(axis=0) / counts.sum(), MIN_RATE)
        means = smoothed_rates(sets, mass, prior, known)
        fitted = FittedMixture(weights / weights.sum(), means, None)
    return fitted._replace(trace=Trace(objective, reason))


class BernoulliMixture(DensityMixin, BaseEstimator):
    """BM: K components with independent labels each, fitted by EM to label sets alone.

    The time depends on the number of distinct label sets, not on that of rows.

    Parameters
    ----------
    n_components : int, default=10
    n_init : int, default=10
        Random starts; the best likelihood is kept.
    max_iter, tol : int, float
        Rounds of EM, and the gain of the mean log-likelihood below which they stop.
    random_state : int, RandomState or Generator, optional

    Attributes
    ----------
    weights_ : array of shape (K,)
    means_ : array of shape (K, L)
    trace_ : Trace
        Negative mean log-likelihood per round of the best start.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import BernoulliMixture
    >>> Y = np.repeat([[1, 1, 0], [0, 0, 1]], 50, axis=0)
    >>> mixture = BernoulliMixture(n_components=2, random_state=0).fit(Y)
    >>> mixture.means_.round(2)[np.argsort(mixture.means_[:, 0])].tolist()
    [[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    >>> mixture.joint(1).mode().shape
    (1, 3)
    """

    _parameter_constraints = declare(
        "max_iter", "tol", "random_state", n_components=[whole(1)], n_init=[whole(1)]
    )

    def __init__(self, *, n_components=10, n_init=10, max_iter=100, tol=1e-6, random_state=None):
        self.n_components = n_components
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Fit to label sets.

        Parameters
        ----------
        X : array or CSR matrix of shape (n, L), 0, 1 or NaN (unknown)
            Label sets; with NaN the likelihood of the known labels is maximised.
        y : ignored
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        self._validate_params()
        Y, known = _read_sets(X)
        fitted = fit_mixture(
            Y,
            self.n_components,
            known=known,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            weights=None if sample_weight is None else np.asarray(sample_weight, dtype=float),
            rng=as_generator(self.random_state),
        )
        self.weights_, self.means_, self.trace_ = fitted
        self.n_features_in_ = Y.shape[1]
        self.n_iter_ = max(1, self.trace_.n_iter)
        if self.trace_.reason == "max_iter":
            warnings.warn(
                f"EM gained more than tol={self.tol} in its last of max_iter={self.max_iter} "
                "rounds; raise either.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def responsibilities(self, Y):
        """Return the posterior of the components for label sets Y (n, L): (n, K)."""
        return self._fitted_to(Y).responsibilities(*_read_sets(Y))

    def score_samples(self, Y):
        """Return log p(y) of label sets Y (n, L), of their known labels: (n,)."""
        return logsumexp(self._fitted_to(Y).log_joint(*_read_sets(Y)), axis=1)

    def score(self, X, y=None):
        """Return the mean of log p(y) over label sets X (n, L)."""
        return float(self.score_samples(X).mean())

    def joint(self, n_rows=1):
        """Return the mixture as a joint of `n_rows` equal rows."""
        check_is_fitted(self)
        log_weights = np.tile(np.log(self.weights_), (n_rows, 1))
        return MixtureJoint(log_weights, np.tile(logit(self.means_), (n_rows, 1, 1)))

    def _fitted_to(self, Y):
        check_is_fitted(self)
        if Y.shape[1] != self.n_features_in_:
            raise ValueError(
                f"Y has {Y.shape[1]} labels, but the mixture was fitted to {self.n_features_in_}."
            )
        return FittedMixture(self.weights_, self.means_, self.trace_)


def _read_sets(Y):
    """Return labels uint8 (n, L), 0 where unknown, and the mask of known ones (or None)."""
    labels, unknown = read_indicator(Y, "Y")
    if hasattr(labels, "toarray"):
        labels, unknown = labels.toarray(), unknown.toarray()
    if not len(labels):
        raise ValueError("Y has 0 rows; give at least one label set.")
    return labels.astype(np.uint8), ~unknown if unknown.any() else None
