"""Fetched data sets on disk: arrays and JSON in one .npz file, no pickles."""

import json
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

from labelfield._exceptions import DataFormatError
from labelfield.datasets.dataset import Dataset, canonical
from labelfield.io._aside import write_aside

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
        X = {f"X_{part}": np.asarray(getattr(data.X, part)) for part in _SPARSE}
    else:
        X = {"X": data.X}
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_aside(path, "wb") as stream:
        np.savez_compressed(stream, Y=data.Y, about=np.array(json.dumps(about)), **X)


def load_cached(path: Path) -> Dataset:
    """Read a data set that `store` wrote."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as parts:
            about = json.loads(str(parts["about"]))
            if "X" in parts:
                X = parts["X"]
            else:
                entries = tuple(parts[f"X_{part}"] for part in _SPARSE[:3])
                X = canonical(sparse.csr_matrix(entries, shape=tuple(parts["X_shape"])))
            return Dataset(
                X,
                parts["Y"],
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
