"""Gate and components of boosted trees that grow a little every round (generalised EM)."""

import numpy as np
from scipy.special import expit, logit

from labelfield.kernels.sets.logspace import logsumexp
from labelfield.models.mixture.parts import Components, Gate
from labelfield.models.mixture.rates import (
    MIN_RATE,
    active_labels,
    component_shares,
    label_prior,
    smoothed_rates,
)

__all__ = ["BoostedComponents", "BoostedGate"]

MIN_START = 1e-3  # the probability that a new label learner starts from lies this far from 0 and 1
MIN_CURVATURE = 1e-12


class BoostedGate(Gate):
    """One ensemble of K outputs with the softmax gradient pi - gamma."""

    def __init__(self, rows, *, n_trees):
        self.rows = rows
        self.n_trees = n_trees

    def start(self, X, gamma):
        self.rows.bin(X)
        self.training = X
        self.offset = np.log(np.maximum(component_shares(gamma), MIN_RATE))
        self.ensemble = self.rows.new_ensemble(gamma.shape[1])

    def update(self, X, gamma):
        n_components = gamma.shape[1]
        if n_components == 1:
            return

        weight = gamma.sum(axis=1, keepdims=True)

        def gradients(scores):
            p = np.exp(_log_softmax(scores + self.offset))
            curvature = weight * p * (1.0 - p) * n_components / (n_components - 1.0)
            return weight * p - gamma, np.maximum(curvature, MIN_CURVATURE)

        self.ensemble.grow(gradients, self.n_trees)

    def log_weights(self, X):
        scores = self.ensemble.scores if X is self.training else self.ensemble.predict(X)
        return _log_softmax(scores + self.offset)

    def finish(self):
        self.ensemble.freeze()
        self.rows.release()
        self.training = None


class BoostedComponents(Components):
    """One ensemble per component and active label with the gradient gamma (mu - y)."""

    def __init__(self, rows, *, sparse, n_trees):
        self.rows = rows
        self.sparse = sparse
        self.n_trees = n_trees

    def start(self, X, Y, gamma, known=None):
        self.rows.bin(X)
        self.training = X
        self.prior = label_prior(Y, known, gamma)
        self.n_components = gamma.shape[1]
        self.offsets = np.zeros((self.n_components, Y.shape[1]))
        self.ensembles = [[None] * Y.shape[1] for _ in range(self.n_components)]

    def update(self, X, Y, gamma, known=None):
        smoothed = smoothed_rates(Y, gamma, self.prior, known)
        self.constants = logit(smoothed)
        self.active = active_labels(Y, gamma, self.prior, known, sparse=self.sparse)
        for k, label in np.argwhere(self.active):
            if self.ensembles[k][label] is None:
                start = np.clip(smoothed[k, label], MIN_START, 1.0 - MIN_START)
                self.offsets[k, label] = logit(start)
                self.ensembles[k][label] = self.rows.new_ensemble()
            weight = gamma[:, k] if known is None else gamma[:, k] * known[:, label]
            self._grow(k, label, Y[:, label], weight)

    def _grow(self, k, label, y, weight):
        offset = self.offsets[k, label]

        def gradients(scores):
            mean = expit(scores[:, 0] + offset)
            curvature = np.maximum(weight * mean * (1.0 - mean), MIN_CURVATURE)
            return (weight * (mean - y))[:, None], curvature[:, None]

        self.ensembles[k][label].grow(gradients, self.n_trees)

    def component_logits(self, k, X):
        logits = np.tile(self.constants[k], (X.shape[0], 1))
        for label in np.flatnonzero(self.active[k]):
            ensemble = self.ensembles[k][label]
            scores = ensemble.scores if X is self.training else ensemble.predict(X)
            logits[:, label] = scores[:, 0] + self.offsets[k, label]
        return logits

    def n_active(self):
        return int(self.active.sum())

    def finish(self):
        for k, label in np.ndindex(self.active.shape):
            if not self.active[k, label]:
                self.ensembles[k][label] = None
            elif self.ensembles[k][label] is not None:
                self.ensembles[k][label].freeze()
        self.rows.release()
        self.training = None


def _log_softmax(scores):
    return scores - logsumexp(scores, axis=1)[:, None]
