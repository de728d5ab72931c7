"""Label relatedness from outside sources, described by names so that tables can ask for it."""

import os
from pathlib import Path

from labelfield.datasets import load_dataset
from labelfield.models.boltzmann import LabelRelatedness

__all__ = ["data_folder", "from_data_set", "from_words"]


def data_folder():
    """Return the folder that LABELFIELD_DATA names."""
    folder = os.environ.get("LABELFIELD_DATA")
    if not folder:
        raise FileNotFoundError("Set LABELFIELD_DATA to the folder that holds the outside sources.")
    return Path(folder)


def from_data_set(*, source, labels_of):
    """Return how often the labels of one data set occur together in another.

    Parameters
    ----------
    source, labels_of : str
        Names of data sets; labels are matched by name.
    """
    other = load_dataset(source)
    return LabelRelatedness.from_labels(
        other.Y, names=other.label_names, among=load_dataset(labels_of).label_names
    )


def from_words(*, file, labels_of):
    """Return how near the label names of a data set are by word vectors.

    Parameters
    ----------
    file : str
        Path of a GloVe text file below the folder that LABELFIELD_DATA names.
    labels_of : str
        Name of a data set.
    """
    names = load_dataset(labels_of).label_names
    return LabelRelatedness.from_word_vectors(data_folder() / file, names)
