"""Fetched data sets on disk: arrays and JSON in one .npz file, no pickles, and a hash of it all."""

import hashlib
import json
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

from labelfield._exceptions import DataFormatError
from labelfield.datasets.dataset import Dataset, canonical
from labelfield.io._aside import write_aside
from labelfield.io._inputs import open_input

__all__ = ["load_cached", "store"]

_SPARSE = ("data", "indices", "indptr", "shape")


def store(data: Dataset, path: Path) -> None:
    """Write a data set; another reader never sees half of it."""
    about = {
        "name": data.name,
        "description": data.description,
        "feature_names": data.feature_names,
        "label_names": data.label_names,
        "categories": dict(data.categories),
    }
    if sparse.issparse(data.X):
        arrays = {f"X_{part}": np.asarray(getattr(data.X, part)) for part in _SPARSE}
    else:
        arrays = {"X": data.X}
    arrays |= {"Y": data.Y, "about": np.array(json.dumps(about))}
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_aside(path, "wb") as stream:
        np.savez_compressed(stream, sha256=np.array(_digest(arrays)), **arrays)


def _digest(arrays: dict[str, np.ndarray]) -> str:
    """SHA-256 of names, types, shapes and contents."""
    total = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        total.update(f"{name} {array.dtype.str} {array.shape}".encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


def load_cached(path: Path) -> Dataset:
    """Read a data set that `store` wrote, if it is still what was stored."""
    try:
        with open_input(path) as stream, np.load(stream, allow_pickle=False) as parts:
            arrays = dict(parts)
        if str(arrays.pop("sha256")) != _digest(arrays):
            raise ValueError("its content does not have the hash it was stored with")
        about = json.loads(str(arrays["about"]))
        if "X" in arrays:
            X = arrays["X"]
        else:
            entries = tuple(arrays[f"X_{part}"] for part in _SPARSE[:3])
            X = canonical(sparse.csr_matrix(entries, shape=tuple(arrays["X_shape"])))
        return Dataset(
            X,
            arrays["Y"],
            tuple(about["feature_names"]),
            tuple(about["label_names"]),
            about["name"],
            about["description"],
            {name: tuple(values) for name, values in about["categories"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise DataFormatError(
            f"{path}: this cached data set is damaged ({error}); delete the file to fetch it again"
        ) from error
