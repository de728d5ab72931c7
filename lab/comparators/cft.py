"""CFT: a chain of classifiers that learn which way costs less."""

import numpy as np

from lab.comparators.costs import COSTS
from labelfield._parameters import choice, declare, positive, whole
from labelfield.base import JointClassifier
from labelfield.joints import ChainJoint
from labelfield.learners import LogisticLearner
from labelfield.learners.conditional import append_columns

__all__ = ["CondensedFilterTree"]


class CondensedFilterTree(JointClassifier):
    """CFT: label by label, the side of the tree of all sets whose chosen leaf costs less.

    A node of the tree is a choice of the first labels. Its classifier sees x and those labels,
    the same weights for all nodes of a level; it learns, for each training row, which side ends
    in the cheaper leaf if the later classifiers choose, weighted by the difference. Levels are
    learned from the last to the first. Of the nodes, a row looks at those on the way to its own
    set, and from the second round on also at those on the way to the sets predicted before.

    Parameters
    ----------
    cost : {"f1", "hamming"}, default="f1"
    n_rounds : int, default=3
    alpha : float, default=1.0
        Strength of the logistic regressions; the weights of a level are 1 in the mean.
    max_iter, tol : int, float
    decoder : str or Decoder, default="subset"

    Attributes
    ----------
    coef_, coupling_, intercept_ : arrays of shape (d, L), (L, L) and (L,)
        Log-odds of label l: x coef_l + sum over earlier m of y_m coupling_ml + intercept_l.

    References
    ----------
    Li, Lin (2014): Condensed filter tree for cost-sensitive multi-label classification. ICML.

    Examples
    --------
    >>> from lab.comparators.cft import CondensedFilterTree
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=200, n_labels=4, random_state=0)
    >>> CondensedFilterTree().fit(data.X, data.Y).predict(data.X[:3]).shape
    (3, 4)
    """

    _parameter_constraints = declare(
        "max_iter", "tol", "decoder", alpha=[positive], cost=[choice(*COSTS)], n_rounds=[whole(1)]
    )

    def __init__(
        self, *, cost="f1", n_rounds=3, alpha=1.0, max_iter=1000, tol=1e-6, decoder="subset"
    ):
        self.cost = cost
        self.n_rounds = n_rounds
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.decoder = decoder

    def _fit(self, X, Y):
        n, L = Y.shape
        self.coef_, self.intercept_ = np.zeros((X.shape[1], L)), np.zeros(L)
        self.coupling_ = np.zeros((L, L))
        rows, paths = np.arange(n), Y
        for _ in range(self.n_rounds):
            self._learn_levels(X, Y, rows, paths)
            predicted = self._completed(self._logits(X), np.zeros_like(Y), 0)
            rows = np.concatenate([rows, np.arange(n)])
            paths = np.concatenate([paths, predicted])

    def _learn_levels(self, X, Y, rows, paths):
        """Learn all levels from the nodes on paths (m, L) that training rows (m,) look at."""
        logits, truth = self._logits(X)[rows], Y[rows]
        options = {"alpha": self.alpha, "max_iter": self.max_iter, "tol": self.tol}
        for level in range(Y.shape[1] - 1, -1, -1):
            costs = []
            for side in (0, 1):
                labels = paths.copy()
                labels[:, level] = side
                leaf = self._completed(logits, labels, level + 1)
                costs.append(COSTS[self.cost](truth, leaf))
            gain = costs[0] - costs[1]  # of the label's presence
            used = np.flatnonzero(np.abs(gain) > 1e-12)
            if not len(used):
                continue
            weights = np.abs(gain[used]) / np.abs(gain[used]).mean()
            features = append_columns(X[rows[used]], paths[used, :level])
            learner = LogisticLearner(**options)
            target = (gain[used] > 0).astype(np.uint8)[:, None]
            learner.fit(features, target, sample_weight=weights)
            self.coef_[:, level], self.coupling_[:level, level] = np.split(
                learner.coef_[:, 0], [X.shape[1]]
            )
            self.intercept_[level] = learner.intercept_[0]
            logits[:, level] = (X @ self.coef_[:, level] + self.intercept_[level])[rows]

    def _logits(self, X):
        return np.asarray(X @ self.coef_, dtype=np.float64) + self.intercept_

    def _completed(self, logits, labels, first):
        """Return label sets (m, L) whose labels from `first` on are chosen one by one."""
        labels = labels.copy()
        for level in range(first, labels.shape[1]):
            earlier = labels[:, :level] @ self.coupling_[:level, level]
            labels[:, level] = logits[:, level] + earlier > 0
        return labels

    def _joint(self, X):
        return ChainJoint.linear(self._logits(X), self.coupling_.T, max_beam=1)
