"""A folder of data files as one data set, with the cuts into training and test rows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import KFold

from labelfield.datasets import Dataset
from labelfield.datasets.arff import FORMAT as ARFF
from labelfield.datasets.formats import FORMATS
from labelfield.datasets.named.folders import label_file, part_files
from labelfield.datasets.named.mending import mended

__all__ = ["Cut", "Entrant", "read_folder"]

DEFAULT_FOLDS = 5
STANDARD = "standard"


@dataclass(frozen=True)
class Cut:
    """Training and test rows: fold `fold` of the protocol, such as "5 folds" or "standard"."""

    protocol: str
    fold: int
    train: np.ndarray
    test: np.ndarray

    def shortened(self, n_rows: int, seed: int) -> "Cut":
        """Return the cut with at most so many training rows, drawn at random, named so.

        Examples
        --------
        >>> import numpy as np
        >>> from lab.arena.folders import Cut
        >>> cut = Cut("standard", 0, np.arange(100), np.arange(100, 150)).shortened(10, seed=0)
        >>> cut.protocol, len(cut.train), len(cut.test)
        ('standard, 10 training rows', 10, 50)
        """
        if len(self.train) <= n_rows:
            return self
        drawn = np.random.default_rng(seed).permutation(self.train)[:n_rows]
        words = f"{self.protocol}, {n_rows} training rows"
        return replace(self, protocol=words, train=np.sort(drawn))


@dataclass(frozen=True)
class Entrant:
    """A data set and how it is cut.

    Attributes
    ----------
    data : Dataset
    n_train : int or None
        How many rows, the first ones, are for training by the standard split.
    """

    data: Dataset
    n_train: int | None = None

    def cuts(self, folds: int | None, seed: int) -> list[Cut]:
        """Return the standard split where there is one, else shuffled folds."""
        n = len(self.data.Y)
        if self.n_train is not None:
            return [Cut(STANDARD, 0, np.arange(self.n_train), np.arange(self.n_train, n))]
        n_folds = folds or DEFAULT_FOLDS
        splitter = KFold(n_folds, shuffle=True, random_state=seed)
        return [
            Cut(f"{n_folds} folds", number, train, test)
            for number, (train, test) in enumerate(splitter.split(np.zeros(n)))
        ]


def read_folder(
    folder: str | Path, *, folds: int | None = None, arguments: Mapping[str, Any] | None = None
) -> Entrant:
    """Read the data files of a folder, of the first format of which there are any.

    Parameters
    ----------
    folder : path
        With one file, or a training and a test file, or all three; ARFF (with the XML file of
        MULAN, or in MEKA's way), CSV, JSON lines, Parquet or svmlight.
    folds : int, optional
        Whole files are read for folds. Otherwise training and test file are, if there are both.
    arguments : mapping, optional
        Arguments for the reader of tables, such as {"tags": "topics"}.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is not a folder; the arena wants one per data set.")
    form = next((form for form in FORMATS if part_files(folder, form)), None)
    if form is None:
        known = ", ".join(ending for one in FORMATS for ending in one.endings)
        raise ValueError(f"{folder} holds no data file; known endings are {known}.")
    files = part_files(folder, form)
    if form is ARFF:
        arguments = {"labels": label_file(folder)}
    elif form.needs_labels and not {"tags", "labels"} & set(arguments or ()):
        raise ValueError(f"{folder}: which columns are labels? Give --tags or --labels.")
    elif not form.needs_labels:
        arguments = {}
    has_split = {"train", "test"} <= set(files)
    wants_split = has_split and (folds is None or "whole" not in files)
    chosen = ("train", "test") if wants_split else ("whole",)
    if chosen[0] not in files:
        raise ValueError(f"{folder} has a {next(iter(files))} file only; add the other one.")
    name = folder.resolve().name
    parts = [form.read(files[part], **arguments) for part in chosen]
    data = _checked(mended(replace(_joined(name, parts), name=name)))
    return Entrant(data, len(parts[0].Y) if wants_split and folds is None else None)


def _checked(data: Dataset) -> Dataset:
    if np.isnan(data.Y.astype(float)).any():
        raise ValueError(f"{data.name} has unknown labels; the arena measures complete label sets.")
    if len(data.Y) < 4 or data.Y.shape[1] < 2:
        raise ValueError(f"{data.name} has shape {data.Y.shape}; that is too small to compare on.")
    return data


def _joined(name: str, parts: list[Dataset]) -> Dataset:
    """Return the rows of all parts; labels and sparse columns are matched by name."""
    if len(parts) == 1:
        return parts[0]
    first, second = parts
    labels = tuple(dict.fromkeys([*first.label_names, *second.label_names]))
    Y = np.vstack([_placed(part.Y, part.label_names, labels) for part in parts])
    features = first.feature_names
    if sp.issparse(first.X):
        features = tuple(dict.fromkeys([*features, *second.feature_names]))
        X = sp.vstack([_placed(part.X, part.feature_names, features) for part in parts])
        X = sp.csr_matrix(X)
    elif second.feature_names != features or second.categories != first.categories:
        raise ValueError(f"{name}: the training and the test file declare different columns.")
    elif hasattr(first.X, "iloc"):
        import pandas as pd

        X = pd.concat([first.X, second.X], ignore_index=True)
    else:
        X = np.vstack([first.X, second.X])
    return replace(
        first, X=X, Y=Y.astype(first.Y.dtype), feature_names=features, label_names=labels
    )


def _placed(A: Any, names: tuple[str, ...], wanted: tuple[str, ...]) -> Any:
    """Return the columns of A (n, k) under the wanted names, zero where there is none."""
    if names == wanted:
        return A
    position = {name: k for k, name in enumerate(wanted)}
    shape = (len(names), len(wanted))
    where = (np.arange(len(names)), [position[name] for name in names])
    return A @ sp.csr_matrix((np.ones(len(names)), where), shape=shape)
