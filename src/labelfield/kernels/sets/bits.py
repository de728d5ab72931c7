"""Label sets as bits: listing them all, and keys to find and compare them by."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelfield._typing import BoolArray, LabelArray

__all__ = ["MAX_LISTED", "all_sets", "pack", "repeated", "unique_sets"]

MAX_LISTED = 20


def all_sets(n_labels: int) -> LabelArray:
    """Return every set of L labels in counting order, label 0 the highest digit: (2**L, L)."""
    if not 0 < n_labels <= MAX_LISTED:
        raise ValueError(
            f"all_sets lists 2**L sets for L = 1..{MAX_LISTED}, got L = {n_labels}. "
            "List the sets that matter instead, for example those of the training labels."
        )
    numbers = np.arange(2**n_labels, dtype=">u4")[:, None].view(np.uint8)
    return np.unpackbits(numbers, axis=1)[:, 32 - n_labels :]


def pack(Y: LabelArray) -> NDArray[Any]:
    """Return one key per set, ordered like the sets: (..., L) -> (...,).

    Keys are integers up to 64 labels and byte strings (void) above; both sort and compare.
    """
    packed = np.ascontiguousarray(np.packbits(Y, axis=-1))
    if packed.shape[-1] > 8:
        return packed.view(f"V{packed.shape[-1]}")[..., 0]
    words = np.zeros((*packed.shape[:-1], 8), dtype=np.uint8)
    words[..., 8 - packed.shape[-1] :] = packed
    return words.view(">u8")[..., 0].astype(np.uint64)


def unique_sets(Y: LabelArray) -> LabelArray:
    """Return the distinct rows of Y (n, L), sorted."""
    return Y[np.unique(pack(Y), return_index=True)[1]]


def repeated(sets: LabelArray) -> BoolArray:
    """Return which of the sets (n, k, L) stand earlier in their row: (n, k)."""
    keys = pack(sets)
    order = np.argsort(keys, axis=1, kind="stable")
    ordered = np.take_along_axis(keys, order, axis=1)
    again = np.zeros(keys.shape, dtype=bool)
    same = np.zeros(keys.shape, dtype=bool)
    same[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    np.put_along_axis(again, order, same, axis=1)
    return again
