"""Iterative stratification: what the splitter and the split functions share."""

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from labelfield._gate.indicator import read_indicator
from labelfield._gate.tags import holds_tags, read_tags
from labelfield._typing import IntArray

__all__ = ["check_order", "deal", "list_strata", "read_labels"]


def check_order(order: int) -> None:
    """Raise unless labels (1) or labels and pairs (2) are to be balanced."""
    if not isinstance(order, Integral) or order not in (1, 2):
        raise ValueError(f"order={order!r} must be 1 (labels) or 2 (labels and pairs of labels).")


def read_labels(Y: Any, name: str) -> sparse.csr_array:
    """Return the ones of the indicator or the lists of tags `Y` as bool (n, L); NaN counts as 0."""
    if holds_tags(Y):
        Y, _ = read_tags(Y, name)
    ones, _ = read_indicator(Y, name)
    return sparse.csr_array(ones)


def deal(
    labels: sparse.csr_array,
    sizes: IntArray,
    weights: IntArray,
    *,
    order: int,
    rng: np.random.Generator | None,
) -> IntArray:
    """Return the part of each row (n,): part j gets `sizes[j]` rows and its share of each label.

    The share is `weights[j]` over the sum of the weights, which are whole numbers. Rows without a
    label are balanced like a label of their own. `rng` shuffles rows and labels, which decides
    ties; None keeps their order.
    """
    from labelfield.model_selection._stratify import deal_rows

    n, L = labels.shape
    if rng is not None:
        order_of_rows = rng.permutation(n)
        labels = labels[order_of_rows][:, rng.permutation(L)]
        labels.sort_indices()
    rows = list_strata(labels, order)
    columns = rows.tocsc()
    # one integer type, so that the kernel is compiled once
    arrays = (rows.indptr, rows.indices, columns.indptr, columns.indices, sizes)
    *layout, room = (array.astype(np.intp) for array in arrays)
    wanted = np.diff(columns.indptr)[:, None] * weights.astype(np.intp)
    part: IntArray = deal_rows(*layout, wanted, int(weights.sum()), room)
    if rng is None:
        return part
    shuffled = np.empty_like(part)
    shuffled[order_of_rows] = part
    return shuffled


def list_strata(labels: sparse.csr_array, order: int) -> sparse.csr_array:
    """Return what is balanced, bool (n, S): labels, having none, with order 2 pairs of labels."""
    strata = [labels, sparse.csr_array((np.diff(labels.indptr) == 0)[:, None])]
    if order == 2:
        strata.append(_pairs(labels))
    return sparse.hstack(strata, format="csr", dtype=bool)


def _pairs(labels: sparse.csr_array) -> sparse.csr_array:
    """Return which of the pairs of labels that occur each row holds: (n, number of pairs)."""
    n, L = labels.shape
    sizes = np.diff(labels.indptr)
    position = np.arange(labels.nnz) - np.repeat(labels.indptr[:-1], sizes)
    partners = np.repeat(sizes, sizes) - position - 1
    first = np.repeat(np.arange(labels.nnz), partners)
    step = np.arange(len(first)) - np.repeat(np.cumsum(partners) - partners, partners)
    code = labels.indices[first].astype(np.int64) * L + labels.indices[first + 1 + step]
    seen, column = np.unique(code, return_inverse=True)
    indptr = np.concatenate([[0], np.cumsum(sizes.astype(np.int64) * (sizes - 1) // 2)])
    return sparse.csr_array((np.ones(len(code), bool), column, indptr), shape=(n, len(seen)))
