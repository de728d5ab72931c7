"""Numbers for every row of the arena, learned on the training part only."""

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler

from labelfield.datasets import Dataset

__all__ = ["encode"]

TEXT_SHARE = 0.5  # of distinct values in a column of several words a row that is taken as text


def encode(data: Dataset, train: np.ndarray, test: np.ndarray) -> tuple[Any, Any]:
    """Return the features of training and test rows as every row of the arena sees them.

    Dense columns have mean 0 and deviation 1, holes get the median; sparse ones are divided by
    their largest value. Nominal values that are no numbers become indicators, text TF-IDF weights.

    Parameters
    ----------
    data : Dataset
    train, test : int arrays
        Row numbers.
    """
    known, new = data.take(train).X, data.take(test).X
    columns = _columns(data)
    if columns is not None:
        known = columns.fit_transform(known)
        new = columns.transform(new)
    if sp.issparse(known):
        scaler = MaxAbsScaler()
    else:
        imputer = SimpleImputer(strategy="median", keep_empty_features=True)
        scaler = make_pipeline(imputer, StandardScaler())
    known, new = scaler.fit_transform(known), scaler.transform(new)
    return (known.tocsr(), new.tocsr()) if sp.issparse(known) else (known, new)


def _columns(data: Dataset) -> ColumnTransformer | None:
    """Return what makes numbers of the columns; None where they are numbers already."""
    if hasattr(data.X, "iloc"):
        return ColumnTransformer([_step(name, data.X[name]) for name in data.X.columns])
    words = [
        position
        for position, name in enumerate(data.feature_names)
        if len(data.categories.get(name, ())) > 2 and not _are_numbers(data.categories[name])
    ]
    if not words:
        return None
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=sp.issparse(data.X))
    return ColumnTransformer([("words", indicators, words)], remainder="passthrough")


def _step(name: str, column: Any) -> tuple:
    """Return the step for a column of a frame: as it is, TF-IDF weights, or indicators."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return name, "passthrough", [name]
    words = column.astype(str)
    if words.nunique() > TEXT_SHARE * len(words) and words.str.split().str.len().mean() >= 2:
        return name, make_pipeline(FunctionTransformer(_as_texts), TfidfVectorizer(min_df=2)), name
    indicators = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=2)
    return name, indicators, [name]


def _as_texts(column: Any) -> Any:
    return column.astype(object).where(column.notna(), "").astype(str)


def _are_numbers(values: tuple[str, ...]) -> bool:
    try:
        np.array(values, dtype=float)
    except ValueError:
        return False
    return True
