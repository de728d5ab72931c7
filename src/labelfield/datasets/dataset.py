"""What every loader of multi-label data returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from labelfield._shown import as_html

__all__ = ["Dataset", "canonical"]

SHOWN = 10  # labels of a repr in a notebook


def canonical(X: Any) -> sparse.csr_matrix:
    """A sparse matrix from a file as CSR: indices checked, sorted, each once, no stored zeros.

    Raises
    ------
    ValueError
        If an index lies outside the matrix.
    """
    X.check_format(full_check=True)
    X = sparse.csr_matrix(X)
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A multi-label data set: features, labels and their names.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n, d), or data frame with n rows
        Features. A missing value is NaN.
    Y : ndarray of shape (n, L)
        Labels: uint8 zeros and ones, or floats when some entries are unknown (NaN).
    feature_names, label_names : tuple of str
        Names of the d features and the L labels, in column order.
    name, description : str
        What the data set is called and where it comes from.
    categories : mapping of str to tuple of str
        Declared values of the nominal features, by feature name. A nominal feature holds
        the value itself if all its values are numbers, else the position in this tuple.
    reading : mapping of str to object
        What the reader found out for itself, as arguments that read labels in the same way again.
    truth : mapping of str to object
        What a generator knows about the data it made (parameters, edges, ...).

    Examples
    --------
    >>> from labelfield.datasets import make_multilabel
    >>> data = make_multilabel(n_samples=50, n_labels=3, random_state=0)
    >>> data
    Dataset('multilabel', n=50, d=10, L=3, dense)
    >>> data.statistics()["instances"]
    50
    """

    X: Any
    Y: np.ndarray
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    name: str = ""
    description: str = ""
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    truth: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        shapes = {
            "X and Y have the same number of rows": self.X.shape[0] == self.Y.shape[0],
            "every column of X has a name": self.X.shape[1] == len(self.feature_names),
            "every column of Y has a name": self.Y.shape[1] == len(self.label_names),
        }
        for rule, holds in shapes.items():
            if not holds:
                raise ValueError(f"Dataset {self.name!r}: it does not hold that {rule}.")

    def __repr__(self) -> str:
        if sparse.issparse(self.X):
            form = "sparse"
        else:
            form = "dense" if isinstance(self.X, np.ndarray) else "frame"
        (n, d), L = self.X.shape, self.Y.shape[1]
        return f"Dataset({self.name!r}, n={n}, d={d}, L={L}, {form})"

    def _repr_html_(self) -> str:
        frequent = np.argsort(-np.nansum(self.Y, axis=0), kind="stable")[:SHOWN]
        shares = np.nansum(self.Y[:, frequent], axis=0) / max(len(self.Y), 1)
        rows = [[self.label_names[j], f"{share:.1%}"] for j, share in zip(frequent, shares)]
        return as_html(["most frequent labels", "rows"], rows, caption=repr(self))

    def statistics(self) -> dict[str, float]:
        """Instances, features, labels, mean number of labels a row, distinct label sets."""
        return {
            "instances": self.Y.shape[0],
            "features": self.X.shape[1],
            "labels": self.Y.shape[1],
            "cardinality": float(np.nansum(self.Y, axis=1).mean()) if len(self.Y) else 0.0,
            "label_sets": len({row.tobytes() for row in self.Y}),
        }

    def take(self, rows) -> "Dataset":
        """The data set of these rows (integers or a mask), everything else unchanged.

        Examples
        --------
        >>> from labelfield.datasets import make_multilabel
        >>> make_multilabel(n_samples=9, random_state=0).take([0, 2]).Y.shape
        (2, 4)
        """
        X = self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
        return replace(self, X=X, Y=self.Y[rows])
