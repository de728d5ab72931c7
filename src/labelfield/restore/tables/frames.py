"""Tables of any library, column by column: pandas, polars, MixedTable, arrays, masked arrays."""

from collections import Counter

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from labelfield.restore.data.mixed_table import MixedTable
from labelfield.restore.tables.column import Column
from labelfield.restore.tables.dates import KINDS, moments_of

__all__ = ["read_columns", "replace_cells"]


def read_columns(estimator, X, *, reset):
    """Check a table against its estimator and return it with its list of columns.

    A frame comes back as it is, anything else as an array.
    """
    kind = _kind(X)
    if kind in ("array", "masked"):
        X = _checked_array(X, estimator)
    columns = _READERS[kind](X)
    if not columns or not len(columns[0].values):
        raise ValueError("The table has no cell; at least 1 row and 1 column are required.")
    _refuse_twins([column.name for column in columns])
    # scikit-learn counts and names the columns; a MixedTable is nothing it knows
    header = np.empty((1, len(columns))) if kind == "mixed" else X
    validate_data(estimator, header, reset=reset, skip_check_array=True)
    return X, columns


def replace_cells(X, replaced):
    """Copy a table with some cells replaced, dtypes kept.

    `replaced` maps the position of a column to (rows, new values), dates in days. Whole-number
    columns round, and so do dates to the unit they are stored in.
    """
    return _WRITERS[_kind(X)](X, replaced)


def _kind(X) -> str:
    if isinstance(X, MixedTable):
        return "mixed"
    if isinstance(X, np.ma.MaskedArray):
        return "masked"
    library = type(X).__module__.partition(".")[0]
    return library if library in ("pandas", "polars") and hasattr(X, "columns") else "array"


def _checked_array(X, estimator):
    checked = check_array(
        np.ma.getdata(X) if isinstance(X, np.ma.MaskedArray) else X,
        dtype=None,
        ensure_all_finite=False,
        ensure_min_features=1,
        estimator=estimator,
        input_name="X",
    )
    if isinstance(X, np.ma.MaskedArray):
        return np.ma.array(checked, mask=np.ma.getmaskarray(X))
    return checked


def _refuse_twins(names):
    twins = [name for name, count in Counter(names).items() if count > 1]
    if twins:
        raise ValueError(f"Several columns are named {twins[0]!r}; names must differ.")


def _read_array(X) -> list[Column]:
    return [Column.of_array(j, values) for j, values in enumerate(X.T)]


def _read_masked(X) -> list[Column]:
    columns = _read_array(np.where(X.mask, None, X.data) if X.dtype.kind == "O" else X.data)
    return [column.hidden(mask) for column, mask in zip(columns, X.mask.T)]


def _read_pandas(X) -> list[Column]:
    return [_read_series(name, X.iloc[:, j]) for j, name in enumerate(X.columns)]


def _read_series(name, series) -> Column:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.PeriodDtype | pd.IntervalDtype | pd.SparseDtype) or dtype.kind == "c":
        raise ValueError(_odd_dtype(name, dtype))
    if dtype.kind in KINDS:
        if isinstance(dtype, pd.ArrowDtype) and not hasattr(dtype.pyarrow_dtype, "unit"):
            series = series.astype("datetime64[us]")  # dates of Arrow do not convert themselves
        return Column.of_moments(name, series.to_numpy(f"{dtype.kind}8[us]"))
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype):
        return Column.of_numbers(name, series.to_numpy(float, na_value=np.nan))
    values = series.astype(object).to_numpy()
    states = tuple(series.cat.categories) if hasattr(series, "cat") else None
    return Column.of_objects(name, values, states)


def _read_polars(X) -> list[Column]:
    import polars as pl

    columns = []
    for series in X.get_columns():
        dtype = series.dtype
        if dtype.is_numeric():
            values = series.cast(pl.Float64).fill_null(np.nan).to_numpy()
            columns.append(Column.of_numbers(series.name, values))
        elif dtype in (pl.Date, pl.Datetime, pl.Duration):
            columns.append(Column.of_moments(series.name, series.to_numpy()))
        elif dtype in (pl.Boolean, pl.String, pl.Categorical, pl.Enum, pl.Null):
            values = np.empty(len(series), dtype=object)
            values[:] = series.to_list()
            states = tuple(dtype.categories) if isinstance(dtype, pl.Enum) else None
            columns.append(Column.of_objects(series.name, values, states))
        else:
            raise ValueError(_odd_dtype(series.name, dtype))
    return columns


def _odd_dtype(name, dtype) -> str:
    if getattr(dtype, "kind", "O") == "c":
        return (
            f"Complex data not supported: column {name!r} is of dtype {dtype}; give its parts, or "
            "its size and angle, as columns of their own."
        )
    return (
        f"Column {name!r} is of dtype {dtype}, which is neither numbers, dates, text nor booleans; "
        "convert it or drop it."
    )


def _read_mixed(X) -> list[Column]:
    read = {}
    for name, values in zip(X.continuous_names, X.continuous.T):
        read[name] = Column.of_numbers(name, values)
    for name, codes, states in zip(X.categorical_names, X.categorical.T, X.categories):
        values = np.array([*states, None], dtype=object)[codes]
        read[name] = Column(name, values, codes < 0, states)
    return [read[name] for name in X.columns]


def _whole(values, dtype):
    """Whole numbers, the nearest ones that an integer dtype can hold."""
    limits = np.iinfo(dtype)
    return np.clip(np.rint(values.astype(float)), limits.min, limits.max).astype(dtype)


def _write_array(X, replaced):
    result = X.copy()
    for j, (rows, values) in replaced.items():
        if X.dtype.kind in "iu":
            values = _whole(values, X.dtype)
        elif X.dtype.kind in KINDS:
            values = moments_of(values, KINDS[X.dtype.kind], np.datetime_data(X.dtype)[0])
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
        elif series.dtype.kind in KINDS:
            values = _moments_like(series, values)
        else:
            if pd.api.types.is_integer_dtype(series.dtype):
                values = _whole(values, getattr(series.dtype, "numpy_dtype", series.dtype))
            values = pd.Series(values).astype(series.dtype).array
        array = series.array.copy()
        array[rows] = values
        result.isetitem(j, pd.Series(array, index=X.index, copy=False))
    return result


def _moments_like(series, days):
    """Days as the dates or durations that a pandas column holds."""
    import pandas as pd

    dtype = getattr(series.dtype, "pyarrow_dtype", series.dtype)
    if isinstance(dtype, np.dtype):
        unit = np.datetime_data(dtype)[0]
    else:
        unit = getattr(dtype, "unit", "D")  # dates of Arrow have none
    moments = pd.Series(moments_of(days, KINDS[series.dtype.kind], unit))
    if getattr(dtype, "tz", None) is not None:
        moments = moments.dt.tz_localize("UTC").dt.tz_convert(dtype.tz)
    return moments.astype(series.dtype).array


def _write_polars(X, replaced):
    import polars as pl

    columns = X.get_columns()
    for j, (rows, values) in replaced.items():
        series = columns[j].clone()
        if series.dtype.is_integer():
            values = _whole(values, str(series.dtype).lower())
        elif series.dtype.is_temporal():
            unit = "D" if series.dtype == pl.Date else series.dtype.time_unit
            kind = "duration" if series.dtype == pl.Duration else "date"
            values = moments_of(values, kind, unit)
        new = pl.Series(values if values.dtype.kind != "O" else values.tolist())
        if getattr(series.dtype, "time_zone", None) is not None:
            new = new.dt.replace_time_zone("UTC")
        columns[j] = series.scatter(rows, new.cast(series.dtype))
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
    "masked": _read_masked,
    "mixed": _read_mixed,
    "pandas": _read_pandas,
    "polars": _read_polars,
}
_WRITERS = {
    "array": _write_array,
    "masked": _write_array,
    "mixed": _write_mixed,
    "pandas": _write_pandas,
    "polars": _write_polars,
}
