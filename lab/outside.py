"""Label relatedness from outside sources, described by names and loaded when it is needed."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from labelfield.datasets import load_dataset
from labelfield.models.boltzmann.relatedness import LabelRelatedness

__all__ = ["CountedElsewhere", "NearInWords"]


class _Loaded:
    """An array to whoever asks for one: what `matrix` loads."""

    def __array__(self, dtype=None, copy=None):
        return np.array(self.matrix, dtype=dtype)


@dataclass(frozen=True)
class CountedElsewhere(_Loaded):
    """How often the labels of a data set occur together in another, matched by name.

    Parameters
    ----------
    labels_of, source : str
        Names of data sets.
    """

    labels_of: str
    source: str

    @cached_property
    def matrix(self) -> np.ndarray:
        """Relatedness (L, L)."""
        other = load_dataset(self.source)
        names = load_dataset(self.labels_of).label_names
        return LabelRelatedness.from_labels(other.Y, names=other.label_names, among=names).matrix


@dataclass(frozen=True)
class NearInWords(_Loaded):
    """How near the label names of a data set are by word vectors.

    Parameters
    ----------
    labels_of : str
        Name of a data set.
    file : str
        Path of a GloVe text file below the folder that LABELFIELD_DATA names.
    prefix : str
        What label names begin with and words do not.
    """

    labels_of: str
    file: str
    prefix: str = ""

    @cached_property
    def matrix(self) -> np.ndarray:
        """Relatedness (L, L)."""
        folder = os.environ.get("LABELFIELD_DATA")
        if not folder:
            raise FileNotFoundError(f"Set LABELFIELD_DATA to the folder that holds {self.file}.")
        names = [
            name.removeprefix(self.prefix) for name in load_dataset(self.labels_of).label_names
        ]
        return LabelRelatedness.from_word_vectors(Path(folder) / self.file, names).matrix
