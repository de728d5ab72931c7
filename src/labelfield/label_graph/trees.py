"""Trees learned from label statistics."""

from typing import Any

import numpy as np

from labelfield._typing import FloatArray, IntArray

__all__ = ["chow_liu_tree", "maximum_spanning_forest"]


def maximum_spanning_forest(weights: Any) -> IntArray:
    """Return the edges (E, 2) of the forest of largest total weight; pairs of weight <= 0 stay out.

    Parameters
    ----------
    weights : (L, L) array
        Symmetric weights of the pairs; the diagonal is not looked at.

    Returns
    -------
    edges : (E, 2) array of int
        Heaviest first, the lower label first in each.

    Examples
    --------
    >>> from labelfield.label_graph import maximum_spanning_forest
    >>> maximum_spanning_forest([[0, 3, 2], [3, 0, 1], [2, 1, 0]]).tolist()
    [[0, 1], [0, 2]]
    """
    weights = np.asarray(weights, dtype=float)
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise ValueError(f"weights must have shape (L, L), got {weights.shape}.")
    if np.isnan(weights).any():
        raise ValueError("weights hold NaN; give a number for every pair of labels.")
    first, second = np.triu_indices(len(weights), 1)
    order = np.argsort(-weights[first, second], kind="stable")
    tree = np.arange(len(weights))
    edges = []
    for a, b in zip(first[order], second[order], strict=True):
        if weights[a, b] <= 0.0:
            break
        if tree[a] != tree[b]:
            edges.append((a, b))
            tree[tree == tree[b]] = tree[a]
    return np.array(edges, dtype=np.intp).reshape(-1, 2)


def chow_liu_tree(Y: Any, *, pseudo_count: float = 0.0) -> IntArray:
    """Return the tree of labels of largest likelihood: pairs of largest mutual information.

    Parameters
    ----------
    Y : (n, L) array of 0 and 1
    pseudo_count : float, default=0.0
        Added to each of the four cells of every pair of labels.

    Returns
    -------
    edges : (E, 2) array of int
        At most L - 1 pairs; labels without any mutual information stay apart.

    References
    ----------
    Chow, Liu (1968): Approximating discrete probability distributions with dependence trees.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.label_graph import chow_liu_tree
    >>> Y = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 0, 1], [1, 0, 0]])
    >>> chow_liu_tree(Y).tolist()
    [[0, 1], [0, 2]]
    """
    Y = np.asarray(Y, dtype=float)
    both = Y.T @ Y
    count = np.diag(both)
    cells = [
        (both, count[:, None], count),
        (count[:, None] - both, count[:, None], len(Y) - count),
        (count - both, len(Y) - count[:, None], count),
        (len(Y) - count[:, None] - count + both, len(Y) - count[:, None], len(Y) - count),
    ]
    total = len(Y) + 4.0 * pseudo_count
    information = np.zeros_like(both)
    for cell, row, column in cells:
        information += _mutual_term(
            (cell + pseudo_count) / total,
            (row + 2.0 * pseudo_count) * (column + 2.0 * pseudo_count) / total**2,
        )
    information[information < 1e-14] = 0.0  # independent labels, up to rounding
    return maximum_spanning_forest(information)


def _mutual_term(p: FloatArray, product: FloatArray) -> FloatArray:
    """Return p log(p / product), 0 where p is 0."""
    positive = p > 0.0
    ratio = np.where(positive, p, 1.0) / np.where(positive, product, 1.0)
    term: FloatArray = p * np.log(ratio)
    return term
