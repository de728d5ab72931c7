"""The trees of a forest as plain arrays, and the leaves that rows fall into."""

import numpy as np
import scipy.sparse as sp

__all__ = ["TreeArrays"]


class TreeArrays:
    """The splits of all trees of a fitted forest of scikit-learn, one node after the other.

    A row goes left at a node if its feature, in single precision, is at most the threshold.
    Arrays and nothing else: they can be saved and read without trust in a foreign class.

    Attributes
    ----------
    roots : int array (n_trees,)
    children : int32 array (nodes, 2)
        Left and right child; a leaf has itself.
    feature : int32 array (nodes,)
    threshold : float64 array (nodes,)
    """

    def __init__(self, trees, n_features):
        self.n_features = n_features
        counts = [tree.node_count for tree in trees]
        self.roots = np.concatenate([[0], np.cumsum(counts)[:-1]])
        children = [np.stack([tree.children_left, tree.children_right], axis=1) for tree in trees]
        own = np.arange(sum(counts))[:, None]
        shifted = np.concatenate([c + root for c, root in zip(children, self.roots)])
        is_leaf = np.concatenate([c[:, :1] < 0 for c in children])
        self.children = np.where(is_leaf, own, shifted).astype(np.int32)
        feature = np.concatenate([tree.feature for tree in trees])
        self.feature = np.where(is_leaf[:, 0], 0, feature).astype(np.int32)
        self.threshold = np.concatenate([tree.threshold for tree in trees])

    @property
    def n_nodes(self):
        """Number of nodes of all trees."""
        return len(self.feature)

    def leaves(self, X):
        """Return the leaf of every row of X (n, d) in every tree: int32 (n, n_trees)."""
        if X.shape[1] != self.n_features:
            raise ValueError(f"X has {X.shape[1]} features; the trees know {self.n_features}.")
        from labelfield.learners.trees import descent  # compiled, which takes time to load

        leaves = np.empty((X.shape[0], len(self.roots)), dtype=np.int32)
        parts = self.roots, self.children, self.feature, self.threshold, leaves
        if sp.issparse(X):
            X = X.tocsr()
            data = X.data.astype(np.float32)
            descent.leaves_of_sparse(data, X.indices, X.indptr, X.shape[1], *parts)
        else:
            descent.leaves_of_dense(np.ascontiguousarray(X, dtype=np.float32), *parts)
        return leaves

    def is_sound(self):
        """Tell whether every path from a root stays inside the arrays and ends."""
        own = np.arange(self.n_nodes)[:, None]
        is_leaf = (self.children == own).all(axis=1)
        goes_on = (self.children > own).all(axis=1)
        inside = (self.feature >= 0) & (self.feature < self.n_features)
        return bool(
            (is_leaf | goes_on).all()
            and (self.children < self.n_nodes).all()
            and inside.all()
            and ((self.roots >= 0) & (self.roots < self.n_nodes)).all()
        )
