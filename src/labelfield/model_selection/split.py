"""Splits of one data set into parts that all see every label."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

from labelfield._gate.reading import as_numbers
from labelfield._gate.validation import as_generator
from labelfield._typing import FloatArray, IntArray
from labelfield.model_selection._deal import check_order, deal, read_labels

__all__ = ["stratified_parts", "stratified_split"]


def stratified_parts(
    Y: Any, shares: Sequence[float], *, order: int = 1, random_state: Any = None
) -> list[IntArray]:
    """Cut the rows into parts of given shares with the label frequencies of the whole.

    Parameters
    ----------
    Y : (n, L) array or sparse matrix of 0, 1 or NaN (counts as 0)
    shares : sequence of float
        Share of each part, positive, summing to 1.
    order : {1, 2}, default=1
        Balance labels, or labels and pairs of labels.
    random_state : int, RandomState, Generator or None
        Seed of the shuffle.

    Returns
    -------
    list of (n_j,) arrays
        Sorted row numbers of each part; every row is in exactly one.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.model_selection import stratified_parts
    >>> Y = np.repeat(np.eye(2), 10, axis=0)
    >>> [Y[part].sum(axis=0) for part in stratified_parts(Y, [0.5, 0.3, 0.2], random_state=0)]
    [array([5., 5.]), array([3., 3.]), array([2., 2.])]
    """
    fractions = as_numbers(shares, "shares", "positive numbers that sum to 1")
    if fractions.ndim != 1 or not (fractions > 0).all() or abs(fractions.sum() - 1) > 1e-9:
        raise ValueError(f"shares={shares!r} must be positive numbers that sum to 1.")
    labels = read_labels(Y, "Y")
    return _parts(labels, _whole_sizes(fractions, labels.shape[0]), order, random_state)


def stratified_split(
    Y: Any, *, test_size: float = 0.25, order: int = 1, random_state: Any = None
) -> tuple[IntArray, IntArray]:
    """Cut the rows into a training and a test part with the label frequencies of the whole.

    Parameters
    ----------
    Y : (n, L) array or sparse matrix of 0, 1 or NaN (counts as 0)
    test_size : float or int, default=0.25
        Share of the test part in (0, 1), rounded up to whole rows, or its number of rows.
    order : {1, 2}, default=1
        Balance labels, or labels and pairs of labels.
    random_state : int, RandomState, Generator or None
        Seed of the shuffle.

    Returns
    -------
    train, test : (n_train,) and (n_test,) arrays
        Sorted row numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.model_selection import stratified_split
    >>> Y = np.repeat(np.eye(2), 10, axis=0)
    >>> train, test = stratified_split(Y, test_size=0.2, random_state=0)
    >>> Y[train].sum(axis=0), Y[test].sum(axis=0)
    (array([8., 8.]), array([2., 2.]))
    """
    labels = read_labels(Y, "Y")
    n = labels.shape[0]
    n_test = _whole_size(test_size, n)
    if not 0 < n_test < n:
        raise ValueError(
            f"test_size={test_size!r} of {n} rows leaves a part empty; "
            "give a share in (0, 1) or a number of rows below n."
        )
    train, test = _parts(labels, np.array([n - n_test, n_test]), order, random_state)
    return train, test


def _whole_size(test_size: Any, n: int) -> int:
    """Return the rows of a test part, 0 for what is neither a number of rows nor a share."""
    if isinstance(test_size, bool) or not isinstance(test_size, Real):
        raise ValueError(f"test_size={test_size!r} must be a share in (0, 1) or a number of rows.")
    if isinstance(test_size, Integral):
        return int(test_size)
    return int(np.ceil(test_size * n)) if 0 < test_size < 1 else 0


def _whole_sizes(shares: FloatArray, n: int) -> IntArray:
    """Round n * shares to whole rows, the largest remainders up."""
    exact = shares * n
    sizes = np.floor(exact).astype(np.intp)
    short = n - sizes.sum()
    sizes[np.argsort(sizes - exact, kind="stable")[:short]] += 1
    return sizes


def _parts(
    labels: sparse.csr_array, sizes: IntArray, order: int, random_state: Any
) -> list[IntArray]:
    check_order(order)
    rng = as_generator(random_state)
    part = deal(labels, sizes, sizes, order=order, rng=rng)
    return [np.flatnonzero(part == j) for j in range(len(sizes))]
