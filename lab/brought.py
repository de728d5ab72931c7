"""Data sets that one must own or make: where their files go, and how they are read.

Put the files of a set into a folder of its name below the folder that LABELFIELD_DATA names. ARFF
files come with the MULAN label file (.xml); svmlight files may begin with three counts, as in the
extreme classification repository; .npz files hold X_train, Y_train, X_test and Y_test.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from lab.sources import Source
from labelfield.datasets import Dataset, read_dataset

__all__ = ["BROUGHT", "Brought"]


@dataclass(frozen=True)
class Brought(Source):
    """A data set read from files that somebody has brought.

    Parameters
    ----------
    name : str
        The folder.
    files : mapping of part to file name
        "train" and "test", or "all" where there is one file for both.
    options : mapping
        Arguments of `read_dataset`; a name of a label file lies in the same folder.

    Examples
    --------
    >>> from lab.brought import Brought
    >>> Brought("nowhere", {"all": "nowhere.arff"}).missing()
    'the file nowhere.arff (put it into the folder nowhere of LABELFIELD_DATA)'
    """

    name: str
    files: Mapping[str, str]
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.name

    def missing(self) -> str:
        wanted = [*dict.fromkeys(self.files.values()), *self._label_files()]
        absent = [file for file in wanted if not self._is_there(file)]
        if not absent:
            return ""
        names = ", ".join(absent)
        what, it = ("file", "it") if len(absent) == 1 else ("files", "them")
        return f"the {what} {names} (put {it} into the folder {self.name} of LABELFIELD_DATA)"

    def load(self, split: str | None = None) -> Dataset:
        if self.missing():
            raise FileNotFoundError(f"{self.name} lacks {self.missing()}.")
        if split is not None:
            if split not in self.files:
                raise ValueError(f"{self.name} has no part {split!r}, only {list(self.files)}.")
            return self._read(split)
        return _joined([self._read(part) for part in self.files])

    def _read(self, part: str) -> Dataset:
        path = self._folder() / self.files[part]
        if path.suffix == ".npz":
            return _read_arrays(path, part)
        if not self._label_files():
            return read_dataset(path, **self.options)
        beside = {"labels": self._folder() / self.options["labels"]}
        return read_dataset(path, **{**self.options, **beside})

    def _label_files(self) -> list[str]:
        labels = self.options.get("labels")
        return [labels] if isinstance(labels, str) else []

    def _folder(self) -> Path:
        return Path(os.environ.get("LABELFIELD_DATA") or "data") / self.name

    def _is_there(self, file: str) -> bool:
        return bool(os.environ.get("LABELFIELD_DATA")) and (self._folder() / file).is_file()


def _read_arrays(path: Path, part: str) -> Dataset:
    with np.load(path, allow_pickle=False) as arrays:
        for name in (f"X_{part}", f"Y_{part}"):
            if name not in arrays:
                raise ValueError(f"{path} has no array {name}; it has {', '.join(arrays)}.")
        X, Y = arrays[f"X_{part}"], arrays[f"Y_{part}"]
    if X.ndim != 2 or Y.ndim != 2 or len(X) != len(Y) or not np.isin(Y, (0, 1)).all():
        raise ValueError(
            f"{path}: X_{part} and Y_{part} must be (n, d) and (n, L), Y of 0 and 1; got "
            f"{X.shape} and {Y.shape}."
        )
    names = tuple(f"x{i + 1}" for i in range(X.shape[1]))
    labels = tuple(f"y{i + 1}" for i in range(Y.shape[1]))
    return Dataset(X.astype(np.float64), Y.astype(np.uint8), names, labels, name=path.stem)


def _joined(parts: list[Dataset]) -> Dataset:
    first = parts[0]
    if len(parts) == 1:
        return first
    sparse = sp.issparse(first.X)
    X = sp.vstack([part.X for part in parts], "csr") if sparse else None
    return Dataset(
        np.concatenate([part.X for part in parts]) if X is None else X,
        np.concatenate([part.Y for part in parts]),
        first.feature_names,
        first.label_names,
        name=first.name,
    )


def _mulan(name: str, stem: str | None = None) -> Brought:
    stem = stem or name
    files = {part: f"{stem}-{part}.arff" for part in ("train", "test")}
    return Brought(name, files, {"labels": f"{stem}.xml"})


def _features(name: str) -> Brought:
    return Brought(name, dict.fromkeys(("train", "test"), f"{name}.npz"))


BROUGHT: dict[str, Brought] = {
    source.name: source
    for source in (
        _mulan("mediamill"),
        _mulan("tmc2007"),  # all 49060 terms; tables have the 500 that may be passed on
        _mulan("nus-wide", "nus-wide-full-cVLADplus"),
        Brought(
            "eurlex",
            {"train": "eurlex_train.txt", "test": "eurlex_test.txt"},
            {"n_features": 5000, "n_labels": 3993},
        ),
        Brought(
            "wise", {"all": "wise2014-train.libsvm"}, {"n_features": 301561, "zero_based": False}
        ),
        _features("pascal07-sift"),
        _features("pascal07-cnn"),
        _features("pascal12-cnn"),
        _features("mscoco-cnn"),
    )
}
