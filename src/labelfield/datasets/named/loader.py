"""Data sets by name: from the data folder, or fetched from public repositories."""

import re
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from labelfield._exceptions import DataFormatError
from labelfield.datasets.arff import read_arff
from labelfield.datasets.dataset import Dataset, canonical
from labelfield.datasets.digits import LABEL_NAMES, load_digit_scenes
from labelfield.datasets.named.catalogue import CATALOGUE, TABLE_SIZES
from labelfield.datasets.named.download import fetch_files, public_folder, public_sources
from labelfield.datasets.named.folders import (
    arff_files,
    downloads_folder,
    folder_of,
    is_arff,
    label_file,
    named_folders,
)
from labelfield.datasets.named.mending import mended

__all__ = ["DatasetRow", "list_datasets", "load_dataset"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_EMBEDDED = "digits"


class DatasetRow(NamedTuple):
    """One line of `list_datasets`."""

    name: str
    found: str
    task: str
    instances: int | None
    features: int | None
    labels: int | None


def load_dataset(name: str, split: str | None = None, *, fetch: bool = True) -> Dataset:
    """Load a multi-label data set by name.

    Looked for, in this order: "digits" is made from scikit-learn's bundled digits; a folder of
    that name inside the folder that the environment variable LABELFIELD_DATA names, with MULAN
    or MEKA ARFF files; the public repository that keeps it. From there its files are fetched
    once, at a pinned commit and with pinned checksums, into the folder `files` of LABELFIELD_CACHE
    (~/.cache/labelfield by default); a warning shows citation and terms of use first.

    Parameters
    ----------
    name : str
        Such as "scene", "yeast" or "delicious"; `list_datasets` shows them. Case is ignored.
    split : {None, "train", "test"}, default None
        The part fixed by the authors of the data. None gives all rows: the whole file, or
        the training file followed by the test file.
    fetch : bool, default True
        Whether files may be downloaded.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from labelfield.datasets import load_dataset
    >>> load_dataset("digits", split="test")
    Dataset('digits', n=500, d=100, L=16, dense)
    """
    if split not in (None, "train", "test"):
        raise ValueError(f"split must be None, 'train' or 'test'; got {split!r}.")
    key = _checked(name)
    if key in TABLE_SIZES:
        raise ValueError(
            f"{key} is a table without label sets; "
            f"use labelfield.restore.load_mixed_table({key!r})."
        )
    if key == _EMBEDDED:
        return load_digit_scenes(split=split)
    folder = folder_of(key)
    if folder is None or not arff_files(folder):
        folder = _public_files(key, fetch)
    return _from_folder(key, folder, split)


def list_datasets() -> list[DatasetRow]:
    """Every data set that can be named, and where it would come from.

    Returns
    -------
    list of DatasetRow
        With `found`: "embedded", "folder", "cache", "repository" (not here yet) or "missing".

    Examples
    --------
    >>> from labelfield.datasets import list_datasets
    >>> list_datasets()[0][:3]
    ('digits', 'embedded', 'multi-label')
    """
    folders = named_folders()
    rows = [_embedded_row()]
    for name in sorted({*CATALOGUE, *(n for n, f in folders.items() if _holds_arff(f))}):
        here = name in folders and _holds_arff(folders[name])
        sizes = CATALOGUE.get(name, (None, None, None))
        rows.append(DatasetRow(name, _found(name, here), "multi-label", *sizes))
    for name, sizes in TABLE_SIZES.items():
        rows.append(DatasetRow(name, _found(name, name in folders), "mixed table", *sizes, None))
    return rows


def _found(name: str, here: bool) -> str:
    if here:
        return "folder"
    if (downloads_folder() / name).is_dir():
        return "cache"
    return "repository" if name in public_sources() else "missing"


def _embedded_row() -> DatasetRow:
    return DatasetRow(_EMBEDDED, "embedded", "multi-label", 2000, 100, len(LABEL_NAMES))


def _checked(name: str) -> str:
    """The name in lower case; anything that could be a path is refused."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"A data set is named by letters, digits, '-', '_' and '.'; got {name!r}. "
            "To read a file of your own, use read_arff, read_svmlight or read_table."
        )
    return name.lower()


def _unknown(name: str) -> ValueError:
    known = [row.name for row in list_datasets()]
    near = get_close_matches(name.lower(), known, n=3)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(known)}."
    return ValueError(
        f"No data set is called {name!r}. {hint} Your own go into a folder of that name inside "
        "the folder that LABELFIELD_DATA names."
    )


def _holds_arff(folder: Path) -> bool:
    return any(is_arff(path) for path in folder.iterdir())


def _from_folder(name: str, folder: Path, split: str | None) -> Dataset:
    files = arff_files(folder)
    if split is None and "whole" not in files and {"train", "test"} <= set(files):
        return _joined(name, [_from_folder(name, folder, part) for part in ("train", "test")])
    part = split or "whole"
    if part not in files:
        has = ", ".join(path.name for path in files.values())
        raise ValueError(f"{name} has no {part} file; {folder} holds {has}.")
    labels = label_file(folder)
    source = f"{part} file {files[part].name}" if split else f"file {files[part].name}"
    known = public_sources().get(name)
    cite = f" {known.cite}." if known else ""
    data = read_arff(files[part], labels=labels)
    return mended(replace(data, name=name, description=f"Read from the {source}.{cite}"))


def _joined(name: str, parts: list[Dataset]) -> Dataset:
    """The rows of several parts with the same columns, one part after the other."""
    first = parts[0]
    for other in parts[1:]:
        same = (other.feature_names, other.label_names, other.categories)
        if same != (first.feature_names, first.label_names, first.categories):
            raise DataFormatError(f"{name}: the train and test files declare different attributes")
    stack = sparse.vstack if any(sparse.issparse(part.X) for part in parts) else np.vstack
    X = stack([part.X for part in parts])
    return replace(
        first,
        X=canonical(X.tocsr()) if sparse.issparse(X) else X,
        Y=np.vstack([part.Y for part in parts]),
        description=" ".join(part.description for part in parts),
    )


def _public_files(name: str, fetch: bool) -> Path:
    """The folder with the files of a data set, fetched if they are not there and may be."""
    folder = public_folder(name)
    if folder is not None:
        return folder
    if name not in CATALOGUE:
        raise _unknown(name)
    if name in public_sources() and fetch:
        return fetch_files(name)
    why = "fetch=False" if name in public_sources() else "no public repository is known for it"
    raise FileNotFoundError(
        f"{name} is not in the data folder, and {why}. Put its ARFF files into a folder of that "
        "name inside the folder that LABELFIELD_DATA names."
    )
