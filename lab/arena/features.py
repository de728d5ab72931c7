"""Numbers for every row of the arena, learned on the training part only."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler

from labelfield import TableEncoder
from labelfield.datasets import Dataset

__all__ = ["encode"]


def encode(data: Dataset, train: np.ndarray, test: np.ndarray) -> tuple[Any, Any]:
    """Return the features of training and test rows as every row of the arena sees them.

    Dense columns have mean 0 and deviation 1, holes get the median; sparse ones are divided by
    their largest value. Nominal values that are no numbers become indicators. A data frame goes
    through `TableEncoder`.

    Parameters
    ----------
    data : Dataset
    train, test : int arrays
        Row numbers.
    """
    encoder = _encoder(data)
    known, new = data.take(train).X, data.take(test).X
    known, new = encoder.fit_transform(known), encoder.transform(new)
    return (known.tocsr(), new.tocsr()) if sp.issparse(known) else (known, new)


def _encoder(data: Dataset) -> Pipeline:
    if hasattr(data.X, "iloc"):
        return make_pipeline(TableEncoder(random_state=0))
    words = [
        position
        for position, name in enumerate(data.feature_names)
        if len(data.categories.get(name, ())) > 2 and not _are_numbers(data.categories[name])
    ]
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=sp.issparse(data.X))
    first = ColumnTransformer([("words", indicators, words)], remainder="passthrough")
    steps = [first] if words else []
    if sp.issparse(data.X):
        return make_pipeline(*steps, MaxAbsScaler())
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_pipeline(*steps, imputer, StandardScaler())


def _are_numbers(values: tuple[str, ...]) -> bool:
    try:
        np.array(values, dtype=float)
    except ValueError:
        return False
    return True
