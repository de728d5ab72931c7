"""Nearest training rows over numbers and categories, holes left out."""

from dataclasses import dataclass

import numpy as np

from lab.restorers import mixed_neighbors
from labelfield._typing import FloatArray, IntArray

__all__ = ["MixedNeighbors"]


@dataclass(frozen=True)
class MixedNeighbors:
    """Stored rows sorted into groups with equal categories, see `mixed_neighbors`."""

    stored: FloatArray
    group_codes: IntArray
    bounds: IntArray
    position: IntArray
    weight: float

    @classmethod
    def of(cls, numbers: FloatArray, codes: IntArray, *, weight: float) -> "MixedNeighbors":
        """Store complete rows: numbers (N, mc), codes (N, md).

        `weight` is what a differing category adds to a squared distance.
        """
        states, group = np.unique(codes, axis=0, return_inverse=True)
        group = group.ravel()
        position = np.argsort(group, kind="stable")
        return cls(
            stored=np.ascontiguousarray(numbers[position], dtype=float),
            group_codes=np.ascontiguousarray(states.T, dtype=np.int64),
            bounds=np.searchsorted(group[position], np.arange(len(states) + 1)),
            position=position,
            weight=float(weight),
        )

    def nearest(self, numbers: FloatArray, codes: IntArray, k: int) -> tuple[IntArray, FloatArray]:
        """Indices (n, k) of the nearest stored rows and their squared distances, best first."""
        return mixed_neighbors.nearest(
            _own(numbers, float),
            _own(codes, np.int64),
            _own(self.stored, float),
            _own(self.group_codes, np.int64),
            _own(self.bounds, np.int64),
            _own(self.position, np.int64),
            self.weight,
            min(k, len(self.position)),
        )


def _own(array, dtype):
    """Copy read-only memory (a loaded model): the kernel would be compiled for it anew."""
    return np.require(array, dtype, ["C", "W"])
