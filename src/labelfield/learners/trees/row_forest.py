"""Extremely randomised trees as a weighting of training rows."""

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesRegressor

from labelfield.learners.trees.leaves import TreeArrays

__all__ = ["RowForest", "grows_dense"]

MAX_TARGETS = 32  # more labels are mixed into as many targets: splits hardly change
DENSE_BYTES = 256 * 2**20  # of a sparse matrix turned into a table of single precision
DENSE_SHARE = 0.02  # of entries that are not zero, from which trees on a table are faster


class RowForest:
    """A forest that answers with weights of its training rows.

    A new row weighs the training rows by how often it shares a leaf with them, each tree sharing
    out 1 among the rows of the leaf. Whatever is known of the training rows, their labels or their
    label sets, is thereby known of the new row: label probabilities and probabilities of whole
    sets come from the same trees.

    Parameters
    ----------
    n_trees : int
    max_features : int or None
        Features that a split chooses from; None is three times the root of their number.
    min_samples_leaf : int
    n_jobs : int or None
    random_state : int

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.learners import RowForest
    >>> X, Y = np.array([[0.0], [1.0], [10.0], [11.0]]), np.array([[1], [1], [0], [0]])
    >>> forest = RowForest(n_trees=20).fit(X, Y)
    >>> (forest.row_weights(np.array([[0.5], [10.5]])) @ Y).round(2).tolist()
    [[1.0], [0.0]]
    """

    def __init__(
        self, n_trees=200, *, max_features=None, min_samples_leaf=1, n_jobs=None, random_state=0
    ):
        self.n_trees = n_trees
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, Y, sample_weight=None):
        """Grow the trees on rows X (n, d) that differ in their labels Y (n, L)."""
        wide = 3 * int(np.sqrt(X.shape[1]))
        forest = ExtraTreesRegressor(  # the variance of 0 and 1 is half of Gini's impurity
            self.n_trees,
            max_features=self.max_features or max(1, min(wide, X.shape[1])),
            min_samples_leaf=self.min_samples_leaf,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )
        table = X.astype(np.float32).toarray() if grows_dense(X) else X
        forest.fit(table, self._targets(Y), sample_weight)
        self.trees_ = TreeArrays([tree.tree_ for tree in forest.estimators_], X.shape[1])
        weight = np.ones(X.shape[0]) if sample_weight is None else sample_weight
        self.shares_ = self._leaf_shares(self.trees_.leaves(X), weight)
        return self

    def row_weights(self, X):
        """Return how much every training row counts for every row of X: CSR (n, n_train)."""
        leaves = self.trees_.leaves(X)
        n, n_trees = leaves.shape
        starts = np.arange(0, leaves.size + 1, n_trees)
        reached = sp.csr_matrix(
            (np.full(leaves.size, 1.0 / n_trees), leaves.ravel(), starts),
            shape=(n, self.trees_.n_nodes),
        )
        return reached @ self.shares_

    def _targets(self, Y):
        """Return what splits tell apart: the labels, or random mixtures where they are many."""
        if Y.shape[1] == 1:
            return Y[:, 0]
        if Y.shape[1] <= MAX_TARGETS:
            return Y
        rng = np.random.default_rng(self.random_state)
        return Y @ rng.normal(size=(Y.shape[1], MAX_TARGETS))

    def _leaf_shares(self, leaves, weight):
        """Return the share of every training row in every leaf: CSR (leaves, n_train)."""
        n, n_trees = leaves.shape
        total = np.bincount(
            leaves.ravel(), np.repeat(weight, n_trees), minlength=self.trees_.n_nodes
        )
        share = np.repeat(weight, n_trees) / np.maximum(total[leaves.ravel()], 1e-300)
        rows = np.repeat(np.arange(n, dtype=np.int32), n_trees)
        shape = (self.trees_.n_nodes, n)
        return sp.csr_matrix((share.astype(np.float32), (leaves.ravel(), rows)), shape=shape)


def grows_dense(X):
    """Tell whether trees on the sparse matrix X are grown faster on a table, and it has room.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from labelfield.learners.trees.row_forest import grows_dense
    >>> grows_dense(sp.identity(100, format="csr")), grows_dense(sp.identity(20, format="csr"))
    (False, True)
    """
    if not sp.issparse(X):
        return False
    cells = X.shape[0] * X.shape[1]
    return 4 * cells <= DENSE_BYTES and X.nnz >= DENSE_SHARE * cells
