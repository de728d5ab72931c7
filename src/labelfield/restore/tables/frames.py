"""Tables of any make, column by column: pandas, polars, MixedTable, arrays."""

from dataclasses import dataclass
from numbers import Number

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from labelfield.restore.data.mixed_table import MixedTable

__all__ = ["Column", "read_columns", "replace_cells"]


@dataclass(frozen=True)
class Column:
    """One column: values (n,), floats with NaN or objects, `missing` (n,) and declared states."""

    name: object
    values: np.ndarray
    missing: np.ndarray
    states: tuple | None = None

    @property
    def numeric(self) -> bool:
        """Whether the values are stored as numbers."""
        return self.values.dtype.kind == "f"


def read_columns(estimator, X, *, reset):
    """Check a table against its estimator and return it with its list of columns.

    A frame comes back as it is, anything else as an array.
    """
    make = _make(X)
    if make == "array":
        X = check_array(
            X,
            dtype=None,
            ensure_all_finite=False,
            ensure_min_features=1,
            estimator=estimator,
            input_name="X",
        )
    columns = _READERS[make](X)
    if not columns or not len(columns[0].values):
        raise ValueError("The table has no cell; at least 1 row and 1 column are required.")
    # scikit-learn counts and names the columns; a MixedTable is nothing it knows
    header = np.empty((1, len(columns))) if make == "mixed" else X
    validate_data(estimator, header, reset=reset, skip_check_array=True)
    return X, columns


def replace_cells(X, replaced):
    """Copy a table with some cells replaced, dtypes kept.

    `replaced` maps the position of a column to (rows, new values). Whole-number columns round.
    """
    return _WRITERS[_make(X)](X, replaced)


def _make(X) -> str:
    if isinstance(X, MixedTable):
        return "mixed"
    library = type(X).__module__.partition(".")[0]
    return library if library in ("pandas", "polars") and hasattr(X, "columns") else "array"


def _read_array(X) -> list[Column]:
    return [_objects_or_numbers(j, column) for j, column in enumerate(X.T)]


def _objects_or_numbers(name, values) -> Column:
    if values.dtype.kind in "iuf":
        values = values.astype(float)
        return Column(name, values, np.isnan(values))
    values = values.astype(object)
    missing = np.array([v is None or v is not v or _is_nan(v) for v in values], dtype=bool)
    known = values[~missing]
    if len(known) and all(isinstance(v, Number) and not isinstance(v, bool) for v in known):
        numbers = np.full(len(values), np.nan)
        numbers[~missing] = known.astype(float)
        return Column(name, numbers, missing)
    return Column(name, values, missing)


def _is_nan(value) -> bool:
    return isinstance(value, float) and value != value


def _read_pandas(X) -> list[Column]:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    columns = []
    for j, name in enumerate(X.columns):
        series = X.iloc[:, j]
        if is_numeric_dtype(series.dtype) and not is_bool_dtype(series.dtype):
            values = series.to_numpy(float, na_value=np.nan)
            columns.append(Column(name, values, np.isnan(values)))
        else:
            missing = series.isna().to_numpy()
            values = series.astype(object).to_numpy(copy=True)
            values[missing] = None
            column = _objects_or_numbers(name, values)
            if hasattr(series, "cat"):
                column = Column(name, values, missing, tuple(series.cat.categories))
            columns.append(column)
    return columns


def _read_polars(X) -> list[Column]:
    import polars as pl

    columns = []
    for series in X.get_columns():
        if series.dtype.is_numeric():
            values = series.cast(pl.Float64).fill_null(np.nan).to_numpy().copy()
            columns.append(Column(series.name, values, np.isnan(values)))
        else:
            values = np.empty(len(series), dtype=object)
            values[:] = series.to_list()
            column = _objects_or_numbers(series.name, values)
            if isinstance(series.dtype, pl.Enum):
                states = tuple(series.dtype.categories)
                column = Column(series.name, values, column.missing, states)
            columns.append(column)
    return columns


def _read_mixed(X) -> list[Column]:
    read = {}
    for name, values in zip(X.continuous_names, X.continuous.T):
        read[name] = Column(name, values.astype(float), np.isnan(values))
    for name, codes, states in zip(X.categorical_names, X.categorical.T, X.categories):
        values = np.array([*states, None], dtype=object)[codes]
        read[name] = Column(name, values, codes < 0, states)
    return [read[name] for name in X.columns]


def _write_array(X, replaced):
    result = X.copy()
    for j, (rows, values) in replaced.items():
        if X.dtype.kind in "iu":
            values = np.rint(values.astype(float))
        result[rows, j] = values
    return result


def _write_pandas(X, replaced):
    import pandas as pd

    result = X.copy()
    for j, (rows, values) in replaced.items():
        series = X.iloc[:, j].copy()
        if hasattr(series, "cat"):
            new = [v for v in dict.fromkeys(values) if v not in series.cat.categories]
            series = series.cat.add_categories(new)
        else:
            if pd.api.types.is_integer_dtype(series.dtype):
                values = np.rint(values.astype(float))
            values = pd.Series(values).astype(series.dtype).array
        array = series.array.copy()
        array[rows] = values
        result.isetitem(j, pd.Series(array, index=X.index, copy=False))
    return result


def _write_polars(X, replaced):
    import polars as pl

    columns = X.get_columns()
    for j, (rows, values) in replaced.items():
        series = columns[j]
        if series.dtype.is_integer():
            values = np.rint(values.astype(float)).astype(np.int64)
        cells = series.to_list()
        for row, value in zip(rows, values.tolist()):
            cells[row] = value
        columns[j] = pl.Series(series.name, cells, dtype=series.dtype)
    return pl.DataFrame(columns)


def _write_mixed(X, replaced):
    continuous, categorical = X.continuous.copy(), X.categorical.copy()
    for j, (rows, values) in replaced.items():
        name = X.columns[j]
        if name in X.continuous_names:
            continuous[rows, X.continuous_names.index(name)] = values
        else:
            k = X.categorical_names.index(name)
            position = {state: code for code, state in enumerate(X.categories[k])}
            categorical[rows, k] = [position[value] for value in values]
    return X.with_cells(continuous, categorical)


_READERS = {
    "array": _read_array,
    "mixed": _read_mixed,
    "pandas": _read_pandas,
    "polars": _read_polars,
}
_WRITERS = {
    "array": _write_array,
    "mixed": _write_mixed,
    "pandas": _write_pandas,
    "polars": _write_polars,
}
