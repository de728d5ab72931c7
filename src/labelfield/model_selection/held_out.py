"""The folds that models are judged on inside other models."""

from numbers import Integral
from typing import Any

import numpy as np

from labelfield._typing import IntArray
from labelfield.model_selection.kfold import MultilabelStratifiedKFold

__all__ = ["held_out_folds"]


def held_out_folds(Y: Any, cv: Any, random_state: Any = 0) -> list[tuple[IntArray, IntArray]]:
    """Return training and test rows of folds that test every row once.

    Parameters
    ----------
    Y : (n, L) array or sparse matrix
    cv : int, splitter or list of (train, test)
        A number of stratified folds, at most n; or what makes them, or the folds themselves.
    random_state : int, RandomState, Generator or None
        For a number of folds.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import KFold
    >>> from labelfield.model_selection import held_out_folds
    >>> [test.tolist() for _, test in held_out_folds(np.eye(4), KFold(2))]
    [[0, 1], [2, 3]]
    """
    if isinstance(cv, Integral):
        n_splits = min(int(cv), Y.shape[0])
        cv = MultilabelStratifiedKFold(n_splits, shuffle=True, random_state=random_state)
    folds = list(cv.split(Y, Y)) if hasattr(cv, "split") else [_read_fold(pair) for pair in cv]
    tested = np.concatenate([test for _, test in folds]) if folds else np.empty(0)
    if not np.array_equal(np.sort(tested), np.arange(Y.shape[0])):
        raise ValueError(
            f"cv must test each of the {Y.shape[0]} rows once; its {len(folds)} folds test "
            f"{len(np.unique(tested))} of them, {len(tested)} times in all."
        )
    for train, test in folds:
        if not len(train) or np.isin(train, test).any() or not np.isin(train, tested).all():
            raise ValueError("cv has a fold whose training rows are none, tested too, or unknown.")
    return folds


def _read_fold(pair: Any) -> tuple[IntArray, IntArray]:
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise ValueError(f"cv must hold pairs of training and test rows; got {pair!r}.")
    train, test = (np.asarray(rows) for rows in pair)
    if not all(rows.ndim == 1 and rows.dtype.kind in "iu" for rows in (train, test)):
        raise ValueError("cv must hold row numbers, whole numbers from 0.")
    return train.astype(np.intp), test.astype(np.intp)
