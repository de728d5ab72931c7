"""Where the data of a column come from."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from labelfield import datasets
from labelfield.datasets import Dataset
from labelfield.restore import MixedTable, load_mixed_table

__all__ = ["Generated", "Source", "Stored", "StoredTable"]


class Source:
    """Data by description: cheap to hand to another process, loaded where they are used."""

    @property
    def title(self) -> str:
        """A short name, fit for a file."""
        raise NotImplementedError

    def load(self, split: str | None = None) -> Dataset | MixedTable:
        """Return the data set, or its "train" or "test" part."""
        raise NotImplementedError

    def draw(self, n_samples: int, seed: int) -> Dataset:
        """Return rows drawn anew, where the source is a generator."""
        raise NotImplementedError(
            f"{self.title} is a fixed data set, nothing can be drawn from it."
        )

    def missing(self) -> str:
        """Return what is missing to load the data; empty if they are here or can be fetched."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Return plain data that identify the source."""
        return {"source": type(self).__name__, **asdict(self)}


@dataclass(frozen=True)
class Stored(Source):
    """A data set that `labelfield.datasets.load_dataset` knows by name.

    Parameters
    ----------
    name : str
    top_labels : int, optional
        Keep the most frequent labels only.
    min_positive : int, optional
        Keep the labels with at least so many rows.
    """

    name: str
    top_labels: int | None = None
    min_positive: int | None = None

    @property
    def title(self) -> str:
        return self.name

    def load(self, split: str | None = None) -> Dataset:
        data = _load(self.name, split)
        if self.top_labels is None and self.min_positive is None:
            return data
        counts = _load(self.name, None).Y.sum(axis=0)
        kept = counts >= (self.min_positive or 0)
        if self.top_labels is not None:
            kept[np.argsort(-counts.astype(int), kind="stable")[self.top_labels :]] = False
        names = tuple(name for name, keep in zip(data.label_names, kept) if keep)
        return replace(data, Y=data.Y[:, kept], label_names=names)

    def missing(self) -> str:
        return _missing(self.name)


@dataclass(frozen=True)
class StoredTable(Source):
    """A table of numbers and categories that `labelfield.restore.load_mixed_table` knows."""

    name: str

    @property
    def title(self) -> str:
        return self.name

    def load(self, split: str | None = None) -> MixedTable:
        return load_mixed_table(self.name, split=split)

    def missing(self) -> str:
        return _missing(self.name)


@lru_cache(maxsize=4)
def _load(name: str, split: str | None) -> Dataset:
    return datasets.load_dataset(name, split=split)


def _missing(name: str) -> str:
    folders = os.environ.get("LABELFIELD_DATA"), os.environ.get("LABELFIELD_CACHE")
    if _places(*folders).get(name, "missing") != "missing":
        return ""
    return f"the data set {name} (in the folder that LABELFIELD_DATA names)"


@lru_cache(maxsize=1)
def _places(data_folder: str | None, cache_folder: str | None) -> dict[str, str]:
    """Return where each known data set would come from, for one setting of the environment."""
    return {row.name: row.found for row in datasets.list_datasets()}


@dataclass(frozen=True)
class Generated(Source):
    """Data drawn by a generator of `labelfield.datasets`.

    Parameters
    ----------
    function : str
        Name of a generator that takes `n_samples` and `random_state`.
    parameters : mapping

    Examples
    --------
    >>> from lab import Generated
    >>> Generated("make_multilabel", {"n_labels": 3}).draw(20, seed=1).Y.shape
    (20, 3)
    """

    function: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.function.removeprefix("make_")

    def load(self, split: str | None = None) -> Dataset:
        if split is not None:
            raise ValueError(f"{self.function} draws one data set; it has no part {split!r}.")
        return getattr(datasets, self.function)(**{"random_state": 0, **self.parameters})

    def draw(self, n_samples: int, seed: int) -> Dataset:
        parameters = {**self.parameters, "n_samples": n_samples, "random_state": seed}
        return getattr(datasets, self.function)(**parameters)

    def missing(self) -> str:
        return "" if hasattr(datasets, self.function) else f"the generator {self.function}"
