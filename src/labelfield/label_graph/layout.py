"""How a graph of labels is laid out: an order around a circle, and what to show first."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from labelfield._typing import FloatArray, IntArray

__all__ = ["first_threshold", "similarity_order"]

TIDIED = 200
FIRST_LABELS = 70


def similarity_order(weights: Any) -> IntArray:
    """Return an order of labels in which strongly linked ones are neighbours: (L,).

    Parameters
    ----------
    weights : (L, L) array
        Symmetric; larger is closer, negative is farther than no link at all.

    Examples
    --------
    >>> from labelfield.label_graph.layout import similarity_order
    >>> order = similarity_order([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]])
    >>> sorted(int(label) for label in order)
    [0, 1, 2, 3]
    """
    weights = np.asarray(weights, dtype=np.float64)
    L = len(weights)
    if L < 3:
        return np.arange(L)
    apart = weights.max() - weights
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), "average", optimal_ordering=L <= TIDIED)
    order: IntArray = leaves_list(tree)
    return order


def first_threshold(pairs: IntArray, strengths: Sequence[float] | FloatArray, L: int) -> float:
    """Return a strength above which a picture starts legible.

    It lets through about 1.5 links per label and at most `FIRST_LABELS` labels.

    Parameters
    ----------
    pairs : (E, 2) array of int
        Linked labels, strongest first.
    strengths : (E,) array, falling
    L : int
        Number of labels.
    """
    linked: set[int] = set()
    threshold = 0.0
    for rank, (pair, strength) in enumerate(zip(pairs, strengths)):
        linked.update(int(end) for end in pair)
        if rank >= max(8, 1.5 * L) or len(linked) > FIRST_LABELS:
            break
        threshold = float(strength)
    return threshold
