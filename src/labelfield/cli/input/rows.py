"""Rows that a model has seen: a sketch of the training rows, kept in the file of the model.

The sketch holds the smallest hashes of the rows. Those of other rows that are as small are found in
it if, and only if, the row was there, so that their share estimates how much of a table was seen.
"""

import base64
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["seen_share", "sketch_rows"]

KEPT = 10_000
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIXERS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))


def sketch_rows(X: Any) -> dict[str, Any]:
    """Return a sketch of the rows of a matrix or data frame, as plain data."""
    hashes = np.unique(_hash_rows(X))
    kept = hashes[:KEPT].astype("<u8")
    return {"kept": base64.b64encode(kept.tobytes()).decode(), "all": len(hashes) <= KEPT}


def seen_share(X: Any, sketch: dict[str, Any]) -> float:
    """Return about which share of the rows of X were sketched; 0 where nothing tells."""
    kept = np.frombuffer(base64.b64decode(sketch["kept"]), dtype="<u8")
    hashes = _hash_rows(X)
    if not sketch["all"]:
        hashes = hashes[hashes <= kept[-1]]
    return float(np.isin(hashes, kept).mean()) if len(hashes) else 0.0


def _hash_rows(X: Any) -> np.ndarray:
    """A hash (n,) of each row: the sum, modulo 2**64, of those of its entries that are not zero."""
    if sp.issparse(X):
        X = X.tocsr()
        entries = _hash_numbers(X.data, X.indices)
        ends = np.concatenate([np.zeros(1, np.uint64), np.cumsum(entries, dtype=np.uint64)])
        return ends[X.indptr[1:]] - ends[X.indptr[:-1]]
    total = np.zeros(X.shape[0], dtype=np.uint64)
    if isinstance(X, np.ndarray):
        for j, column in enumerate(X.T):
            total += _hash_numbers(column, j)
        return total
    from labelfield.encode.columns import read_columns

    for j, column in enumerate(read_columns(X)):
        if column.values.dtype.kind == "f":
            total += _hash_numbers(column.values, j)
        else:
            total += _hash_words(column.words().tolist(), j)
    return total


def _hash_words(words: list[str | None], j: int) -> np.ndarray:
    from hashlib import blake2b

    from labelfield.encode.kinds import number_of

    known: dict[str | None, np.uint64] = {None: np.uint64(0)}
    for word in set(words) - {None}:
        number = number_of(word)
        if np.isnan(number):
            digest = blake2b(f"{j} {word}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
            known[word] = np.uint64(int.from_bytes(digest, "little"))
        else:
            known[word] = _hash_numbers(np.array([number]), j)[0]
    return np.array([known[word] for word in words], dtype=np.uint64)


def _hash_numbers(numbers: np.ndarray, columns: Any) -> np.ndarray:
    values = np.asarray(numbers, dtype=np.float64)
    values = np.where(np.isnan(values), 0.0, values) + 0.0  # a missing number, and -0, are 0
    mixed = (
        values.view(np.uint64) + (np.atleast_1d(columns).astype(np.uint64) + np.uint64(1)) * _STEP
    )
    for shift, factor in _MIXERS:
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.where(values == 0.0, np.uint64(0), mixed)
