"""Rows of a request as the model takes them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["RowReader"]


class RowReader:
    """Reads rows for a model: a matrix, a data frame, or texts.

    Parameters
    ----------
    feature_names : sequence of str, optional
        The columns of the training data.
    kinds : mapping of str to str, optional
        What each column was taken for, where the training data were a table and not a matrix.
    n_features : int, optional

    Examples
    --------
    >>> from labelfield.desk.service.rows import RowReader
    >>> reader = RowReader(["height", "width"])
    >>> reader.records([{"width": 2.0, "height": 1.0}])
    array([[1., 2.]])
    >>> reader.cells([[1.0]])
    Traceback (most recent call last):
    ...
    ValueError: Row 0 has 1 cells; the model has 2 columns.
    """

    def __init__(
        self,
        feature_names: Sequence[str] | None = None,
        kinds: Mapping[str, str] | None = None,
        n_features: int | None = None,
    ) -> None:
        self.names = None if feature_names is None else list(feature_names)
        self.is_table = bool(kinds)
        self.n_features = n_features if self.names is None else len(self.names)

    def read(self, X: Any, records: Any) -> Any:
        """Return the rows of a request, given as cells, as texts or as records."""
        if records is not None:
            return self.records(records)
        if isinstance(X[0], str):
            return self.texts(X)
        return self.cells(X)

    def texts(self, texts: list[str]) -> Any:
        """Return texts, one a row."""
        if self.is_table:
            return self.cells([[text] for text in texts])
        if self.names is not None or self.n_features is not None:
            raise ValueError("The model takes rows of numbers; X holds texts.")
        return texts

    def cells(self, rows: list[list[Any]]) -> Any:
        """Return rows of cells, which stand in the order of the columns."""
        for number, row in enumerate(rows):
            if self.n_features is not None and len(row) != self.n_features:
                raise ValueError(
                    f"Row {number} has {len(row)} cells; the model has {self.n_features} columns."
                )
        if self.is_table:
            return self._frame(rows)
        try:
            return np.array(rows, dtype=float)  # None becomes NaN
        except (TypeError, ValueError):
            raise ValueError("The model takes rows of numbers; X holds texts.") from None

    def records(self, records: list[dict[str, Any]]) -> Any:
        """Return rows given as {column: value}; columns unknown to the model are left out."""
        if self.names is None:
            raise ValueError("The model does not know the names of its columns; give X.")
        for number, one in enumerate(records):
            missing = [name for name in self.names if name not in one]
            if missing:
                shown = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
                raise ValueError(f"Record {number} lacks {len(missing)} columns: {shown}.")
        return self.cells([[one[name] for name in self.names] for one in records])

    def _frame(self, rows: list[list[Any]]) -> Any:
        import pandas as pd

        return pd.DataFrame(rows, columns=self.names)


def join_rows(parts: list[Any]) -> Any:
    """Return the rows of several requests below each other; all of one kind."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    if isinstance(parts[0], list):
        return [row for part in parts for row in part]
    import pandas as pd

    return pd.concat(parts, ignore_index=True)
