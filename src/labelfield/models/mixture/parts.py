"""What EM asks of the two parts of a conditional mixture."""

from abc import ABC, abstractmethod

import numpy as np

from labelfield._namespaces import is_tensor, namespace, place_of
from labelfield.kernels.sets.logspace import log_expit

__all__ = ["Components", "Gate"]


class Gate(ABC):
    """p(component | x): K probabilities per row."""

    @abstractmethod
    def start(self, X, gamma):
        """Prepare for rows X (n, d) and their first memberships gamma (n, K), times weights."""

    @abstractmethod
    def update(self, X, gamma):
        """Improve the fit to the memberships gamma (n, K) of the training rows (M-step)."""

    @abstractmethod
    def log_weights(self, X):
        """Return log p(component | x): (n, K)."""

    def penalty(self):
        """Return the penalty of the current parameters."""
        return 0.0

    def finish(self):
        """Let go of what only training needs."""
        return


def among_rows(coef, used, n_features):
    """Return weights (d, C) of the features in use as those of all features, 0 for the others."""
    if isinstance(used, slice):
        return coef
    wide = np.zeros((n_features, coef.shape[1]), dtype=coef.dtype)
    wide[used] = coef
    return wide


class Components(ABC):
    """p(y_l = 1 | x, component): K x L probabilities per row."""

    @abstractmethod
    def start(self, X, Y, gamma, known=None):
        """Prepare for rows X (n, d), Y (n, L) and their first memberships gamma (n, K).

        known (n, L) masks the labels to learn from; Y is 0 elsewhere.
        """

    @abstractmethod
    def update(self, X, Y, gamma, known=None):
        """Improve every component on the rows that belong to it (M-step)."""

    @abstractmethod
    def component_logits(self, k, X):
        """Return the log-odds of all labels in component k: (n, L)."""

    @abstractmethod
    def n_active(self):
        """Return how many label learners are in use."""

    def log_prob(self, X, Y, known=None):
        """Return log p(y | x, component) of the known labels: (n, K)."""
        columns = []
        for k in range(self.n_components):
            logits = self.component_logits(k, X)
            columns.append(log_bernoulli_sum(Y, logits, known))
        return namespace(columns[0]).stack(columns, axis=1)

    def logits(self, X):
        """Return the log-odds of every label in every component: (n, K, L)."""
        answer = None
        for k in range(self.n_components):
            logits = self.component_logits(k, X)
            if answer is None:
                shape = (logits.shape[0], self.n_components, logits.shape[1])
                answer = place_of(logits).empty(shape, "float64")
            answer[:, k, :] = logits
        return answer

    def penalty(self):
        """Return the penalty of the current parameters."""
        return 0.0

    def finish(self):
        """Let go of what only training needs."""
        return


def log_bernoulli_sum(Y, logits, known=None):
    """Return sum_l log p(y_l) over the known labels, Y being 0 elsewhere: (n, L) -> (n,)."""
    if is_tensor(logits):
        xp = namespace(logits)
        log_prob = xp.astype(Y, logits.dtype) * logits + log_expit(-logits)
        if known is not None:
            log_prob = xp.where(known, log_prob, 0.0)
        return xp.sum(log_prob, axis=1)
    log_total = np.logaddexp(0.0, logits)
    if known is not None:
        log_total *= known
    return np.einsum("ij,ij->i", Y, logits) - log_total.sum(axis=1)
