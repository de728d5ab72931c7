"""The features of rows, in the shapes that the kinds of base learners want."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from labelfield._reading import take_rows

__all__ = ["FeatureViews", "Features"]


@dataclass(frozen=True, eq=False)
class Features:
    """Rows as they came, and as numbers: scaled for linear models, plain for trees and kernels."""

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
    """Turns rows into Features; learns on the training rows what scaling needs."""

    def fit_transform(self, X):
        """Learn from the training rows X (n, d), dense or CSR; return their Features."""
        self.scaler = None if sp.issparse(X) else StandardScaler().fit(X)
        return self.transform(X)

    def transform(self, X):
        """Return the Features of rows X (n, d)."""
        linear = X if self.scaler is None else np.asarray(self.scaler.transform(X))
        return Features(X, linear, X, X)
