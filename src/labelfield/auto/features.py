"""The features of rows, in the shapes that the kinds of base learners want."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from labelfield._gate.reading import as_array, column_names, take_rows

__all__ = ["FeatureViews", "Features", "is_matrix"]


@dataclass(frozen=True, eq=False)
class Features:
    """Rows as they came, and as numbers for linear models, trees and kernels."""

    raw: Any
    linear: Any
    trees: Any
    kernel: Any

    def take(self, rows):
        """Return the features of the chosen rows."""
        return Features(
            take_rows(self.raw, rows),
            take_rows(self.linear, rows),
            take_rows(self.trees, rows),
            take_rows(self.kernel, rows),
        )


class FeatureViews:
    """Turns rows into Features; learns on the training rows what scaling and encoding need.

    Parameters
    ----------
    encoder : TableEncoder or None
        Where X is a table or text rather than a matrix of numbers.
    """

    def __init__(self, encoder=None):
        self.unfitted = encoder

    def fit_transform(self, X):
        """Learn from the training rows; return their Features."""
        self.encoder = self.scaler = None
        if self.unfitted is not None:
            self.encoder = clone(self.unfitted).set_params(view="both", random_state=0)
            return self._encoded(X, self.encoder.fit_transform(X))
        self.n_columns = X.shape[1]
        if not sp.issparse(X):
            self.scaler = StandardScaler().fit(X)
        return self.transform(X)

    def transform(self, X):
        """Return the Features of rows like those of `fit_transform`."""
        if self.encoder is not None:
            return self._encoded(X, self.encoder.transform(X))
        return Features(X, X if self.scaler is None else self.scaler.transform(X), X, X)

    def feature_names(self, columns=None):
        """Return the names of the linear features; `columns` are those of a matrix, if known."""
        if self.encoder is not None:
            return self.encoder.get_feature_names_out()
        if columns is not None:
            return np.asarray(columns, dtype=object)
        return np.array([f"x{j}" for j in range(self.n_columns)], dtype=object)

    def _encoded(self, X, Z):
        return Features(X, Z, self.encoder.reduce(Z) if sp.issparse(Z) else Z, Z)


def is_matrix(X):
    """Tell whether X is numbers without holes: an array, a sparse matrix, a frame or lists of them.

    Examples
    --------
    >>> from labelfield.auto.features import is_matrix
    >>> is_matrix([[1.0, 2.0]]), is_matrix(["a text"]), is_matrix([[1.0, float("nan")]])
    (True, False, False)
    """
    if sp.issparse(X):
        return True
    if column_names(X) is not None and hasattr(X, "dtypes"):
        kinds = {getattr(kind, "kind", "O") for kind in X.dtypes}
        if not kinds <= set("biuf"):
            return False
    values = as_array(X, "X", "rows of one length")
    if values.dtype.kind == "O":
        return _all_numbers(values)
    return values.dtype.kind in "biufc" and not (
        values.dtype.kind == "f" and bool(np.isnan(values).any())
    )


def _all_numbers(values):
    return values.ndim == 2 and all(
        isinstance(value, (int, float, np.number, np.bool_)) and value == value
        for value in values.flat
    )
