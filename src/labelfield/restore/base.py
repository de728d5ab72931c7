"""What every restorer shares: read a table, work on encoded cells, write the same table back."""

from abc import abstractmethod
from typing import Any, ClassVar

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from labelfield.restore.tables.codec import EncodedTable, TableCodec
from labelfield.restore.tables.frames import read_columns

__all__ = ["TableRestorer"]


class TableRestorer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Base of transformers from a dirty table to a clean one of the same kind.

    A subclass takes `categorical` and `handle_unknown`, adds its other parameters to
    `_parameter_constraints`, and writes `_learn(encoded)` and `_clean(encoded)`, both on
    `EncodedTable`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "categorical": [StrOptions({"auto"}), "array-like"],
        "handle_unknown": [StrOptions({"error", "missing"})],
    }

    def fit(self, X, y=None):
        """Learn from a clean table; holes are allowed.

        Parameters
        ----------
        X : pandas or polars frame, or array, of shape (n_samples, n_columns)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        X, columns = read_columns(self, X, reset=True)
        self.codec_ = TableCodec.learn(columns, self.categorical)
        self._learn(self.codec_.encode(columns))
        return self

    def transform(self, X):
        """Restore a dirty table.

        Parameters
        ----------
        X : table with the columns seen in `fit`

        Returns
        -------
        table of the same kind, with the same columns and dtypes
        """
        X, columns, dirty = self._encode(X)
        return self.codec_.decode(X, columns, dirty, self._clean(dirty))

    def _encode(self, X):
        check_is_fitted(self)
        self._validate_params()  # what may have changed since `fit`
        X, columns = read_columns(self, X, reset=False)
        return X, columns, self.codec_.encode(columns, unknown=self.handle_unknown)

    @abstractmethod
    def _learn(self, clean: EncodedTable) -> None:
        """Learn from encoded training rows."""

    @abstractmethod
    def _clean(self, dirty: EncodedTable) -> EncodedTable:
        """Return encoded rows without holes."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
