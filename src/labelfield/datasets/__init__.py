"""Datasets."""

from labelfield.datasets.arff import read_arff
from labelfield.datasets.dataset import Dataset

__all__ = ["Dataset", "read_arff"]
