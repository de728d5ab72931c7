"""Ways to scale features, learned on the training part only."""

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.utils.validation import check_is_fitted

__all__ = ["SCALES", "FeatureScaler"]

SCALES = ("standard", "unit", "standard-root", "mean-norm")


class FeatureScaler(TransformerMixin, BaseEstimator):
    """Scale features in one of the ways that the documents' figures need.

    Parameters
    ----------
    scale : {"standard", "unit", "standard-root", "mean-norm"}
        "standard": mean 0 and deviation 1 (sparse features keep their zeros: deviation 1 only);
        "unit": rows of length 1; "standard-root": "standard" divided by the root of the number of
        features; "mean-norm": all divided by the root of the mean squared row norm, after
        "standard" where the features are dense.

    Examples
    --------
    >>> import numpy as np
    >>> from lab.scaling import FeatureScaler
    >>> FeatureScaler(scale="unit").fit_transform(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """

    def __init__(self, *, scale="standard"):
        self.scale = scale

    def fit(self, X, y=None):
        """Learn means, deviations and norms of X (n, d)."""
        if self.scale not in SCALES:
            raise ValueError(f"scale must be one of {', '.join(SCALES)}; got {self.scale!r}.")
        sparse = sp.issparse(X)
        self.columns_ = None
        if self.scale != "unit" and not (self.scale == "mean-norm" and sparse):
            self.columns_ = StandardScaler(with_mean=not sparse)
            X = self.columns_.fit_transform(X)
        self.divisor_ = 1.0
        if self.scale == "standard-root":
            self.divisor_ = np.sqrt(X.shape[1])
        elif self.scale == "mean-norm":
            squares = X.multiply(X).sum() if sparse else np.square(X).sum()
            self.divisor_ = max(np.sqrt(squares / X.shape[0]), np.finfo(float).tiny)
        return self

    def transform(self, X):
        """Return X (n, d) scaled."""
        check_is_fitted(self)
        if self.scale == "unit":
            return Normalizer().transform(X)
        if self.columns_ is not None:
            X = self.columns_.transform(X)
        return X / self.divisor_
