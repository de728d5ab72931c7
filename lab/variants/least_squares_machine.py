"""A Gaussian kernel machine for hundreds of classes."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import gen_batches
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from labelfield.learners.ridge import kernel_ridge

__all__ = ["LeastSquaresMachine"]

BLOCK = 1000  # rows that are answered together


class LeastSquaresMachine(ClassifierMixin, BaseEstimator):
    """Kernel ridge regression of the indicators of all classes: one solve, whatever their number.

    `sklearn.svm.SVC` fits every pair of classes, which is out of reach for the label sets of large
    data sets. The kernel and its width are the same.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty.

    Attributes
    ----------
    classes_ : array (K,)

    Examples
    --------
    >>> import numpy as np
    >>> from lab.variants.least_squares_machine import LeastSquaresMachine
    >>> X = np.linspace(0.0, 1.0, 30)[:, None]
    >>> y = np.repeat(["a", "b", "c"], 10)
    >>> str(LeastSquaresMachine(C=10.0).fit(X, y).predict([[0.5]])[0])
    'b'
    """

    def __init__(self, C=1.0):
        self.C = C

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X, y):
        """Fit to X (n, d) and classes y (n,)."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y holds one class; LeastSquaresMachine needs two or more.")
        self.gamma_ = _scale(X)
        kernel = rbf_kernel(X, gamma=self.gamma_)
        targets = np.eye(len(self.classes_))[codes]
        self.weights_, self.mean_ = kernel_ridge(kernel, targets, 1.0 / self.C)
        self.rows_ = X
        return self

    def decision_function(self, X):
        """Return the regressions (n, K), of two classes the difference (n,)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        parts = [
            rbf_kernel(X[rows], self.rows_, gamma=self.gamma_) @ self.weights_ + self.mean_
            for rows in gen_batches(X.shape[0], BLOCK)
        ]
        scores = np.concatenate(parts)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X):
        """Return the class of the largest regression: (n,)."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]


def _scale(X):
    """Return the width gamma="scale" of scikit-learn's machines."""
    mean_square = (X.multiply(X) if hasattr(X, "multiply") else X * X).mean()
    variance = mean_square - X.mean() ** 2
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
