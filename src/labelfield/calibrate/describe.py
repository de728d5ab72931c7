"""Descriptions of predicted sets: the columns that calibrators see."""

import numpy as np

from labelfield._gate.reading import as_numbers
from labelfield.kernels.sets.bits import pack

__all__ = ["SetPrior", "describe_sets"]


class SetPrior:
    """Share of each label set among rows of labels (n, L); 0 for a set that is not there.

    Rows that hold NaN do not count.
    """

    def __init__(self, Y):
        Y = Y[~np.isnan(Y).any(axis=1)].astype(np.uint8)
        self.n_labels = Y.shape[1]
        self.keys, counts = np.unique(pack(Y), return_counts=True)
        self.shares = counts / max(len(Y), 1)

    def __call__(self, sets):
        """Return the shares of sets: (..., L) -> (...,)."""
        if not len(self.keys):
            return np.zeros(sets.shape[:-1])
        keys = pack(np.ascontiguousarray(sets))
        index = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[index] == keys, self.shares[index], 0.0)


def describe_sets(joint, sets, prior, extra=None):
    """Return one row per set: score, cardinality, prior, encoding, extra columns.

    Parameters
    ----------
    joint : Joint of n rows
    sets : uint8 array (n, k, L)
    prior : SetPrior
    extra : array (n, k, m), optional

    Returns
    -------
    U : array (n k, 3 + L + m)
    """
    columns = [
        np.exp(np.minimum(joint.log_prob(sets), 0.0))[..., None],  # approximate ones may exceed 1
        sets.sum(axis=2, dtype=float)[..., None],
        prior(sets)[..., None],
        sets,
    ]
    if extra is not None:
        columns.append(_read_extra(extra, sets.shape[:2]))
    U = np.concatenate(columns, axis=2)
    return U.reshape(-1, U.shape[2])


def _read_extra(extra, shape):
    extra = as_numbers(extra, "extra_features(X, sets)").astype(float)
    if extra.ndim != 3 or extra.shape[:2] != shape:
        raise ValueError(
            f"extra_features(X, sets) must return an array of shape (n, k, m) with n, k = {shape}; "
            f"got {extra.shape}."
        )
    return extra
