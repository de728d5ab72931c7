"""A clone of any scikit-learn classifier per component and active label."""

import numpy as np
from scipy.special import logit

from labelfield._gate.reading import count_rows, take_rows
from labelfield.learners.clones import takes_weights
from labelfield.learners.conditional import fit_labels
from labelfield.models.mixture.parts import Components
from labelfield.models.mixture.rates import (
    active_labels,
    belonging,
    label_prior,
    smoothed_rates,
)

__all__ = ["ClonedComponents"]


class ClonedComponents(Components):
    """Classifiers refitted every round, memberships as their sample weights."""

    def __init__(self, estimator, *, sparse, n_jobs):
        if not takes_weights(estimator):
            raise ValueError(
                f"estimator={estimator!r} cannot learn soft memberships: its fit takes no "
                "sample_weight."
            )
        self.estimator = estimator
        self.sparse = sparse
        self.n_jobs = n_jobs

    def start(self, X, Y, gamma, known=None):
        self.prior = label_prior(Y, known, gamma)
        self.n_components = gamma.shape[1]

    def update(self, X, Y, gamma, known=None):
        self.constants = logit(smoothed_rates(Y, gamma, self.prior, known))
        active = active_labels(Y, gamma, self.prior, known, sparse=True)
        own = belonging(gamma)
        self.labels = [np.flatnonzero(labels) for labels in active]
        self.problems = [
            self._fit(
                X,
                Y[:, labels],
                gamma[:, k],
                own[:, k],
                None if known is None else known[:, labels],
            )
            for k, labels in enumerate(self.labels)
        ]

    def _fit(self, X, Y, weight, own, known):
        if not Y.shape[1]:
            return None
        rows = np.flatnonzero(own) if self.sparse else slice(None)
        return fit_labels(
            self.estimator,
            take_rows(X, rows),
            Y[rows],
            known=None if known is None else known[rows],
            sample_weight=weight[rows],
            n_jobs=self.n_jobs,
        )

    def component_logits(self, k, X):
        logits = np.tile(self.constants[k], (count_rows(X), 1))
        if self.problems[k] is not None:
            logits[:, self.labels[k]] = self.problems[k].log_odds(X)
        return logits

    def n_active(self):
        return sum(len(labels) for labels in self.labels)
