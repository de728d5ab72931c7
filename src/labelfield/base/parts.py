"""Answers about blocks of rows, put together."""

from itertools import pairwise

import scipy.sparse as sp

from labelfield._namespaces import place_of

__all__ = ["cut_for_threads", "join_rows", "names_of_sets"]

SHARED_CELLS = 2**18  # rows times labels of a block: enough blocks for threads to share
SHARED_ROWS = 1024  # but no fewer rows, where memory allows


def cut_for_threads(blocks, n_labels):
    """Cut slices of rows into smaller ones that threads can share.

    They do not depend on the number of threads, and with them the bits of the answers do not.

    Examples
    --------
    >>> from labelfield.base.parts import cut_for_threads
    >>> cut_for_threads([slice(0, 1500)], n_labels=1000)
    [slice(0, 1024, None), slice(1024, 1500, None)]
    """
    most = max(SHARED_ROWS, SHARED_CELLS // max(n_labels, 1))
    return [
        slice(first, min(first + most, rows.stop))
        for rows in blocks
        for first in range(rows.start, rows.stop, most)
    ]


def join_rows(parts, blocks):
    """Return the answers of all rows; no more than one part is there beside them.

    Parameters
    ----------
    parts : iterable of arrays or CSR matrices, (b, ...) each
    blocks : list of slices
        The rows of each part.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.base.parts import join_rows
    >>> join_rows([np.zeros(2), np.ones(1)], [slice(0, 2), slice(2, 3)]).tolist()
    [0.0, 0.0, 1.0]
    """
    parts = iter(parts)
    first = next(parts)
    if len(blocks) == 1:
        return first
    if sp.issparse(first):
        return sp.vstack([first, *parts], format="csr")
    xp, device = place_of(first)
    shape = (blocks[-1].stop, *first.shape[1:])
    joined = xp.empty(shape, dtype=first.dtype, device=device)
    joined[blocks[0], ...] = first
    for rows, part in zip(blocks[1:], parts):
        joined[rows, ...] = part
    return joined


def names_of_sets(sets, names):
    """Return the names (L,) of the labels in every set of an array or sparse matrix (n, L)."""
    sets = sp.csr_array(sets)
    return [
        tuple(names[sets.indices[first:last]].tolist())
        for first, last in pairwise(sets.indptr.tolist())
    ]
