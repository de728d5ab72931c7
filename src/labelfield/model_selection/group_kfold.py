"""Cross-validation folds that keep groups together and all see every label."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection._split import GroupsConsumerMixin
from sklearn.utils.validation import check_consistent_length, column_or_1d

from labelfield._gate.validation import as_generator
from labelfield._typing import FloatArray, IntArray
from labelfield.model_selection._deal import list_strata, read_labels
from labelfield.model_selection.kfold import MultilabelStratifiedKFold

__all__ = ["MultilabelStratifiedGroupKFold"]

MAX_PASSES = 20


class MultilabelStratifiedGroupKFold(GroupsConsumerMixin, MultilabelStratifiedKFold):
    """K folds of whole groups, with the label frequencies of the whole as far as groups allow.

    For rows that belong together, such as documents of one patient: no group is in a training part
    and in its test part. Groups are dealt from the one with the largest shares of labels to the
    one with the smallest, each to the fold that has least of what it brings, and then moved as
    long as a move makes the folds more alike. A move that brings a label into a training part from
    which it was missing comes before all others. A label of a single group is missing wherever that
    group is tested.

    Parameters
    ----------
    n_splits : int, default=5
    order : {1, 2}, default=1
        Balance labels, or labels and pairs of labels.
    shuffle : bool, default=False
        Shuffle the groups first, which decides ties and so which groups go together.
    random_state : int, RandomState, Generator or None
        Only with `shuffle=True`.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.model_selection import MultilabelStratifiedGroupKFold
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [0, 1]])
    >>> patient = ["ann", "ann", "bob", "bob", "cem", "dan"]
    >>> folds = MultilabelStratifiedGroupKFold(n_splits=2)
    >>> for train, test in folds.split(Y, Y, groups=patient):
    ...     print(test, Y[test].sum(axis=0))
    [0 1 5] [2 1]
    [2 3 4] [1 3]
    """

    def _iter_test_indices(self, X: Any, y: Any, groups: Any = None) -> Iterator[IntArray]:
        if y is None:
            raise ValueError("y is None; give the (n, L) label indicator the folds should balance.")
        if groups is None:
            raise ValueError("groups is None; give the group of each row, (n,).")
        labels = read_labels(y, "y")
        names, member = np.unique(column_or_1d(groups), return_inverse=True)
        check_consistent_length(labels, member)
        if len(names) < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} is more than the {len(names)} groups; use fewer splits."
            )
        rng = as_generator(self.random_state) if self.shuffle else None
        fold = _deal_groups(labels, member, self.n_splits, self.order, rng)
        for j in range(self.n_splits):
            yield np.flatnonzero(fold[member] == j)


def _deal_groups(
    labels: sparse.csr_array,
    member: IntArray,
    n_folds: int,
    order: int,
    rng: np.random.Generator | None,
) -> IntArray:
    """Return the fold of each group (G,)."""
    n_rows, n_groups = len(member), int(member.max()) + 1
    rows_of_groups = sparse.csr_array(
        (np.ones(n_rows), (member, np.arange(n_rows))), shape=(n_groups, n_rows)
    )
    counts = sparse.csr_array(rows_of_groups @ list_strata(labels, order).astype(np.float64))
    shares = _Folds(counts, np.bincount(member), n_folds)
    turn = np.arange(n_groups) if rng is None else rng.permutation(n_groups)
    for g in turn[np.argsort(-shares.impact[turn], kind="stable")]:
        shares.place(g)
    for _ in range(MAX_PASSES):
        if sum(shares.move(g) for g in turn) == 0:
            break
    for g in turn:
        shares.swap(g)
    return shares.fold


class _Folds:
    """Which group is in which fold, and how much of everything each fold has.

    Everything: the strata (labels, no label, pairs of labels), each as a share of its rows, and
    the rows. The folds are the more alike, the smaller the sum of their squared shares: the mean
    over strata, plus that of the rows.

    counts : (G, S), rows of each stratum in each group
    sizes : (G,), rows of each group
    """

    def __init__(self, counts: sparse.csr_array, sizes: IntArray, n_folds: int) -> None:
        total = np.maximum(np.asarray(counts.sum(axis=0)).ravel(), 1.0)
        self.n_strata = counts.shape[1]
        brought = sparse.hstack([counts / total, sparse.csr_array(sizes[:, None] / sizes.sum())])
        self.brought = sparse.csr_array(brought)
        self.weight = np.append(np.full(self.n_strata, 1.0 / self.n_strata), 1.0)
        self.impact: FloatArray = self.brought.power(2) @ self.weight
        self.groups_with = np.bincount(counts.indices, minlength=self.n_strata)
        self.has = np.zeros((n_folds, self.n_strata + 1))
        self.n_groups = np.zeros((n_folds, self.n_strata), dtype=np.intp)
        self.size = np.zeros(n_folds, dtype=np.intp)
        self.fold = np.full(counts.shape[0], -1, dtype=np.intp)

    def place(self, g: int) -> None:
        """Put a group that is in no fold where there is least of what it brings."""
        strata, share = self._row(g)
        cost = self.has[:, strata] @ (self.weight[strata] * share)
        left, empty = int((self.fold < 0).sum()), self.size == 0
        if left == empty.sum():  # one for each
            cost = np.where(empty, cost, np.inf)
        self._put(g, int(cost.argmin()), strata, share)

    def move(self, g: int) -> bool:
        """Move a group where it makes the folds more alike; say whether it moved."""
        here = int(self.fold[g])
        if self.size[here] == 1:
            return False
        strata, share = self._row(g)
        gain = self.has[here, strata] - share - self.has[:, strata]
        alike = gain @ (self.weight[strata] * share)
        missing = self._missing_after(here, strata[:-1])
        alike[here] = 0.0
        best = int(np.lexsort((-alike, missing))[0])
        better = missing[best] < missing[here] or alike[best] > 1e-12
        if best == here or missing[best] > missing[here] or not better:
            return False
        self._put(g, here, strata, share, sign=-1)
        self._put(g, best, strata, share)
        return True

    def swap(self, g: int) -> None:
        """Let a group change places with another where that frees a stratum from its only fold."""
        if not self._confined(self._row(g)[0][:-1]):
            return
        for other in np.flatnonzero(self.fold != self.fold[g]):
            strata = np.union1d(self._row(g)[0][:-1], self._row(other)[0][:-1])
            before = self._confined(strata)
            self._exchange(g, other)
            if self._confined(strata) < before:
                return
            self._exchange(g, other)

    def _exchange(self, g: int, other: int) -> None:
        places = int(self.fold[g]), int(self.fold[other])
        for group, here, there in ((g, *places), (other, *places[::-1])):
            self._put(group, here, *self._row(group), sign=-1)
            self._put(group, there, *self._row(group))

    def _confined(self, strata: IntArray) -> int:
        """Return how many of the strata, of several groups each, lie in one fold only."""
        groups = self.groups_with[strata]
        return int(((self.n_groups[:, strata].max(axis=0) == groups) & (groups > 1)).sum())

    def _missing_after(self, here: int, strata: IntArray) -> IntArray:
        """Return how many strata of a group in fold `here` would lie in one fold only: (folds,).

        For every fold the group could be in. Strata of a single group do not count.
        """
        others = self.n_groups[:, strata].copy()
        others[here] -= 1
        alone = (others + 1 == self.groups_with[strata]) & (self.groups_with[strata] > 1)
        missing: IntArray = alone.sum(axis=1)
        return missing

    def _row(self, g: int) -> tuple[IntArray, FloatArray]:
        """Return what a group brings: strata and shares, the rows last."""
        start, end = self.brought.indptr[g : g + 2]
        return self.brought.indices[start:end], self.brought.data[start:end]

    def _put(self, g: int, fold: int, strata: IntArray, share: FloatArray, sign: int = 1) -> None:
        self.has[fold, strata] += sign * share
        self.n_groups[fold, strata[:-1]] += sign
        self.size[fold] += sign
        self.fold[g] = fold
