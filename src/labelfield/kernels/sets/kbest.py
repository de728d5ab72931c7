"""The k best label sets of a product distribution, lazily, best first.

Flipping label l away from the best set costs |logit_l|. Subsets of flips, with labels ranked by
cost, form a tree: a subset whose dearest flip has rank j leads to the same subset with rank j + 1
added ("extend") and with rank j replaced by j + 1 ("replace"). Both cost at least as much, so a
heap that starts with the empty subset yields every subset once, by cost. Equal costs are
yielded smaller subsets first; labels of equal cost are ranked by index.
"""

from typing import Any, TypeAlias

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray

__all__ = ["Flips", "advance", "flips_arena", "k_best", "log_best", "start"]

NOT_RANKED = -1
SUBSET = np.dtype(
    [
        ("cost", np.float64),
        ("size", np.int64),
        ("last", np.int64),  # rank of the dearest flip
        ("prefix", np.int64),  # the subset without it
        ("left", np.int64),  # the skew heap the subset waits in
        ("right", np.int64),
    ]
)
Flips: TypeAlias = Any  # an array of SUBSET


@compiled
def flips_arena(capacity: int) -> Flips:
    """Return room for `capacity` subsets."""
    return np.empty(capacity, SUBSET)


@compiled
def _before(flips: Flips, a: int, b: int) -> bool:
    # Smaller first on ties: the t-th subset then has at most log2(t) flips.
    if flips[a].cost != flips[b].cost:
        return bool(flips[a].cost < flips[b].cost)
    return bool(flips[a].size < flips[b].size)


@compiled
def _merge(flips: Flips, a: int, b: int) -> int:
    """Join two skew heaps in place; return the root (-1 is the empty heap)."""
    root = hole = -1
    while a >= 0 and b >= 0:
        if _before(flips, b, a):
            a, b = b, a
        if hole < 0:
            root = a
        else:
            flips[hole].left = a
        hole = a
        a = flips[hole].right
        flips[hole].right = flips[hole].left
    rest = max(a, b)
    if hole < 0:
        return rest
    flips[hole].left = rest
    return root


@compiled
def _write(flips: Flips, node: int, cost: float, size: int, last: int, prefix: int) -> int:
    flips[node].cost = cost
    flips[node].size = size
    flips[node].last = last
    flips[node].prefix = prefix
    flips[node].left = -1
    flips[node].right = -1
    return node


@compiled
def start(flips: Flips, node: int) -> int:
    """Write the subset without flips at `node` and return it."""
    return _write(flips, node, 0.0, 0, -1, -1)


@compiled
def _cheaper(costs: FloatArray, a: int, b: int) -> bool:
    return bool(costs[a] < costs[b] or (costs[a] == costs[b] and a < b))


@compiled
def _sift_down(labels: IntArray, costs: FloatArray, parent: int, n_waiting: int) -> None:
    label = labels[parent]
    while 2 * parent + 1 < n_waiting:
        child = 2 * parent + 1
        if child + 1 < n_waiting and _cheaper(costs, labels[child + 1], labels[child]):
            child += 1
        if not _cheaper(costs, labels[child], label):
            break
        labels[parent] = labels[child]
        parent = child
    labels[parent] = label


@compiled
def _rank(labels: IntArray, costs: FloatArray, n_waiting: int, rank: int) -> int:
    """Heap-sort just far enough that the label of `rank` stands at labels[-1 - rank]."""
    n_labels = len(labels)
    if n_waiting == NOT_RANKED:
        n_waiting = n_labels
        for label in range(n_labels):
            labels[label] = label
        for parent in range(n_labels // 2 - 1, -1, -1):
            _sift_down(labels, costs, parent, n_waiting)
    while n_waiting >= n_labels - rank:
        n_waiting -= 1
        labels[0], labels[n_waiting] = labels[n_waiting], labels[0]
        _sift_down(labels, costs, 0, n_waiting)
    return n_waiting


@compiled
def advance(
    flips: Flips, used: int, node: int, labels: IntArray, costs: FloatArray, n_waiting: int
) -> tuple[int, int, int]:
    """Take `node` off the top of its heap and add its two successors.

    `used` counts the subsets written; `labels` and `n_waiting` (first `NOT_RANKED`) hold the
    partly sorted labels. Returns the new root, `used` and `n_waiting`.
    """
    root = _merge(flips, flips[node].left, flips[node].right)
    rank = flips[node].last + 1
    if rank < len(labels):
        n_waiting = _rank(labels, costs, n_waiting, rank)
        cost = costs[labels[len(labels) - 1 - rank]]
        size = flips[node].size
        _write(flips, used, flips[node].cost + cost, size + 1, rank, node)
        root = _merge(flips, root, used)
        used += 1
        if size > 0:
            prefix = flips[node].prefix
            _write(flips, used, flips[prefix].cost + cost, size, rank, prefix)
            root = _merge(flips, root, used)
            used += 1
    return root, used, n_waiting


@compiled
def log_best(logits: FloatArray, costs: FloatArray) -> float:
    """Return the log-probability of the best set and write the cost of each flip.

    logits and costs (L,). The factors 1 + e^-cost lie in [1, 2]: their product is safe for a
    thousand labels, and one logarithm per block replaces one per label.
    """
    total = 0.0
    for first in range(0, len(logits), 1000):
        product = 1.0
        for label in range(first, min(first + 1000, len(logits))):
            costs[label] = abs(logits[label])
            product *= 1.0 + np.exp(-costs[label])
        total -= np.log(product)
    return total


@compiled
def k_best(logits: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    """Return the k best sets of each row as flips of its best set, and their log-probabilities.

    logits (n, L) with k <= 2**L. flips (n, k, floor(log2(k))) holds labels, filled up with -1:
    the t-th best set has at most log2(t) flips. log_prob (n, k), best first.
    """
    n_rows, n_labels = logits.shape
    depth = 0
    while 2 ** (depth + 1) <= k:
        depth += 1
    answer = np.full((n_rows, k, depth), -1, np.int32)
    log_prob = np.empty((n_rows, k))
    flips = flips_arena(2 * k + 1)
    labels, costs = np.empty(n_labels, np.int64), np.empty(n_labels)
    for i in range(n_rows):
        top = log_best(logits[i], costs)
        root, used, n_waiting = start(flips, 0), 1, NOT_RANKED
        for t in range(k):
            log_prob[i, t] = top - flips[root].cost
            node = root
            for slot in range(flips[root].size):
                answer[i, t, slot] = labels[n_labels - 1 - flips[node].last]
                node = flips[node].prefix
            if t + 1 < k:
                root, used, n_waiting = advance(flips, used, root, labels, costs, n_waiting)
    return answer, log_prob
