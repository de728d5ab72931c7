"""Public multi-label sets from OpenML, through scikit-learn's fetcher."""

from urllib.error import URLError

import numpy as np
from scipy import sparse
from sklearn.datasets import fetch_openml

from labelfield._exceptions import DataFormatError
from labelfield.datasets._arff.header import Nominal
from labelfield.datasets.dataset import Dataset, canonical
from labelfield.datasets.named.catalogue import CatalogueEntry

__all__ = ["fetch"]

_BINARY = {"0": 0, "1": 1, "false": 0, "true": 1, "no": 0, "yes": 1}


def fetch(name: str, entry: CatalogueEntry) -> Dataset:
    """Download a data set and check its pinned checksum and its published sizes."""
    try:
        # The pandas parser of scikit-learn 1.9 fails on labels TRUE and FALSE under pandas 3.
        bunch = fetch_openml(
            data_id=entry.openml_id, as_frame=True, cache=False, parser="liac-arff"
        )
    except ImportError as error:
        raise ImportError("Fetching needs pandas: pip install 'labelfield[frames]'.") from error
    except (URLError, OSError, ValueError) as error:
        raise ConnectionError(
            f"{name} (OpenML data set {entry.openml_id}) could not be fetched: {error}. "
            "Or put its files in a folder and name that folder in LABELFIELD_DATA."
        ) from error
    stated = bunch.details.get("md5_checksum")
    if entry.md5 is not None and stated != entry.md5:
        raise DataFormatError(
            f"OpenML data set {entry.openml_id} is not the {name} we know: its file has the MD5 "
            f"checksum {stated}, the catalogue {entry.md5}. Put the original files into a folder "
            "and name that folder in LABELFIELD_DATA."
        )
    Y = _indicator(name, bunch.target)
    X, categories = _features(bunch.data)
    got = (X.shape[0], X.shape[1], Y.shape[1])
    expected = (entry.instances, entry.features or X.shape[1], entry.labels)
    if got != expected:
        raise DataFormatError(
            f"OpenML data set {entry.openml_id} is not {name}: it has {got} instances, features "
            f"and labels where {expected} are published"
        )
    return Dataset(
        X,
        Y,
        tuple(str(column) for column in bunch.data.columns),
        tuple(str(column) for column in bunch.target.columns),
        name=name,
        description=f"OpenML data set {entry.openml_id}. {entry.citation}.",
        categories=categories,
    )


def _indicator(name: str, target) -> np.ndarray:
    if getattr(target, "ndim", 0) != 2:
        raise DataFormatError(f"OpenML names no label columns for {name}")
    Y = np.empty(target.shape, dtype=np.uint8)
    for k, column in enumerate(target.columns):
        codes = [_BINARY.get(str(cell).strip().lower()) for cell in target[column]]
        if None in codes:
            row = codes.index(None)
            cell = target[column].iloc[row]
            raise DataFormatError(
                f"OpenML's {name}, row {row + 1}: label {column!r} is {cell!r}, not true or false"
            )
        Y[:, k] = codes
    return Y


def _features(frame):
    """X, and the declared values of its nominal columns, numbered as read_arff does."""
    import pandas as pd

    if all(isinstance(kind, pd.SparseDtype) for kind in frame.dtypes):
        return canonical(sparse.csr_matrix(frame.sparse.to_coo())), {}
    columns, categories = [], {}
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column.dtype):
            columns.append(column.to_numpy(dtype=float, na_value=np.nan))
            continue
        states = column.astype("category").cat
        declared = Nominal.declared(tuple(str(state) for state in states.categories))
        numbers = np.array([*declared.codes.values(), np.nan])
        columns.append(numbers[states.codes])  # the code of a missing value is -1
        categories[str(name)] = declared.values
    return np.column_stack(columns), categories
