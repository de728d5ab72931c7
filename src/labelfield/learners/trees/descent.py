"""The way of rows through trees, down to their leaves."""

import numpy as np

from labelfield._compile import compiled

__all__ = ["leaves_of_dense", "leaves_of_sparse"]


@compiled
def _leaf(row, root, children, feature, threshold):
    node = root
    while children[node, 0] != node:
        node = children[node, 0] if row[feature[node]] <= threshold[node] else children[node, 1]
    return node


@compiled
def leaves_of_dense(X, roots, children, feature, threshold, leaves):
    for i in range(X.shape[0]):
        for t in range(roots.shape[0]):
            leaves[i, t] = _leaf(X[i], roots[t], children, feature, threshold)


@compiled
def leaves_of_sparse(
    data, indices, indptr, n_features, roots, children, feature, threshold, leaves
):
    row = np.zeros(n_features, dtype=np.float32)
    for i in range(leaves.shape[0]):
        start, stop = indptr[i], indptr[i + 1]
        for k in range(start, stop):
            row[indices[k]] = data[k]
        for t in range(roots.shape[0]):
            leaves[i, t] = _leaf(row, roots[t], children, feature, threshold)
        for k in range(start, stop):
            row[indices[k]] = 0.0
