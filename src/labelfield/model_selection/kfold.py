"""Cross-validation folds that all see every label."""

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from labelfield._gate.validation import as_generator
from labelfield._typing import IntArray
from labelfield.model_selection._deal import check_order, deal, read_labels

__all__ = ["MultilabelStratifiedKFold"]


class MultilabelStratifiedKFold(BaseCrossValidator):
    """K folds with the label frequencies of the whole, by iterative stratification.

    Labels are distributed from the rarest to the most frequent, each row to the fold that lacks
    the label most. Two things differ from the published algorithm. Between folds that lack the
    label equally the other labels of the row decide, and only then the room left. And a full fold
    takes no more rows, so that the sizes are those of `sklearn.model_selection.KFold` and differ
    by one row at most. Rows without a label are spread like a label of their own.

    Parameters
    ----------
    n_splits : int, default=5
    order : {1, 2}, default=1
        Balance labels, or labels and pairs of labels. The memory for pairs grows with the square
        of the labels per row.
    shuffle : bool, default=False
        Shuffle rows and labels first, which decides ties and so which rows go together.
    random_state : int, RandomState, Generator or None
        Only with `shuffle=True`.

    References
    ----------
    Sechidis, Tsoumakas and Vlahavas (2011), On the stratification of multi-label data.
    Szymanski and Kajdanowicz (2017), A network perspective on stratification of multi-label data.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.model_selection import MultilabelStratifiedKFold
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 1]])
    >>> for train, test in MultilabelStratifiedKFold(n_splits=2).split(Y, Y):
    ...     print(test, Y[test].sum(axis=0))
    [0 2 4] [2 2]
    [1 3 5] [2 2]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        order: int = 1,
        shuffle: bool = False,
        random_state: Any = None,
    ) -> None:
        if not isinstance(n_splits, Integral) or n_splits < 2:
            raise ValueError(f"n_splits={n_splits!r} must be an integer of at least 2.")
        check_order(order)
        if not isinstance(shuffle, (bool, np.bool_)):
            raise ValueError(f"shuffle={shuffle!r} must be True or False.")
        if not shuffle and random_state is not None:
            raise ValueError(
                "random_state has no effect without shuffle=True; set it or drop this."
            )
        self.n_splits = n_splits
        self.order = order
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return int(self.n_splits)

    def _iter_test_indices(self, X: Any, y: Any, groups: Any = None) -> Iterator[IntArray]:
        if y is None:
            raise ValueError("y is None; give the (n, L) label indicator the folds should balance.")
        if groups is not None:
            raise ValueError(
                "groups are not kept together here; use MultilabelStratifiedGroupKFold."
            )
        labels = read_labels(y, "y")
        n, k = labels.shape[0], self.n_splits
        if n < k:
            raise ValueError(f"n_splits={k} is more than the {n} rows of y; use fewer splits.")
        sizes = np.full(k, n // k) + (np.arange(k) < n % k)
        rng = as_generator(self.random_state) if self.shuffle else None
        fold = deal(labels, sizes, np.ones_like(sizes), order=self.order, rng=rng)
        for j in range(k):
            yield np.flatnonzero(fold == j)
