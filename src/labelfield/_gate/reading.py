"""What users hand in, as plain arrays of real numbers or sound CSR matrices, or refused by name."""

import datetime
import reprlib
from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from labelfield._namespaces import chosen_rows, is_tensor

__all__ = [
    "as_array",
    "as_numbers",
    "as_rows",
    "column_names",
    "columns_of",
    "count_rows",
    "is_missing",
    "sound_csr",
    "take_rows",
]

KINDS = {
    "M": "dates",
    "S": "text",
    "T": "text",
    "U": "text",
    "V": "records",
    "m": "time spans",
}
DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
NO_COMPLEX = "Complex data not supported"  # the words of scikit-learn
SHAPES = "give an array, a list of rows or a data frame"


def as_numbers(values: Any, name: str, wanted: str = "real numbers") -> np.ndarray:
    """Return `values` as an array of bool, integers or floats of at most 64 bits.

    Missing entries (masked, None, the NA of pandas) become NaN. Data frames are read column by
    column. Dates, complex numbers, text and other objects are refused: the errors speak of
    `name` and say what is `wanted`.
    """
    if column_names(values) is not None:
        return _read_frame(values, name, wanted)
    if isinstance(values, np.ma.MaskedArray) and values.mask.any():
        return np.where(values.mask, np.nan, as_numbers(values.data, name, wanted))
    array = as_array(values, name, wanted)
    if array.dtype.kind == "O":
        return _read_objects(array, name, wanted)
    if array.dtype.kind == "c":
        raise ValueError(f"{NO_COMPLEX}: {name} holds complex numbers; give {wanted}.")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} holds {KINDS[array.dtype.kind]}; give {wanted}.")
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # infinity is for the caller to judge
            return array.astype(np.float64)
    return array


def as_rows(values: Any, name: str, wanted: str = "real numbers") -> Any:
    """Return `values` so that rows can be chosen and handed on; only numbers are read.

    Frames, texts and other objects come back as they are: lists, 1-d arrays and Series of them, or
    tables with a cell of them. Arrays and lists of numbers are read by `as_numbers`, sparse
    matrices by `sound_csr`.
    """
    if sp.issparse(values):
        return sound_csr(values, name, wanted)
    if column_names(values) is not None or _begins_with_objects(values):
        return values
    array = as_array(values, name, wanted)
    if array.dtype.kind in "biufc":
        return as_numbers(values, name, wanted)
    return values if isinstance(values, (list, tuple)) or hasattr(values, "iloc") else array


def take_rows(values: Any, rows: Any) -> Any:
    """Return some rows (a slice, numbers or a mask) of what `as_rows` returns."""
    if is_tensor(values):
        return chosen_rows(values, rows)
    return _safe_indexing(values, rows)


def count_rows(values: Any) -> int:
    """Return the number of rows of what `as_rows` returns."""
    return int(values.shape[0] if is_tensor(values) else _num_samples(values))


def column_names(values: Any) -> list[Any] | None:
    """Return the names in a data frame (pandas, polars, pyarrow), None for other things."""
    if hasattr(values, "itercolumns"):  # pyarrow, whose `columns` are the values
        return list(values.column_names)
    if hasattr(values, "iter_columns") or (hasattr(values, "items") and hasattr(values, "columns")):
        return list(values.columns)
    return None


def sound_csr(matrix: Any, name: str, wanted: str = "real numbers") -> Any:
    """Return a sparse matrix as CSR with indices inside its shape, sorted, without duplicates.

    Entries given twice are summed. `matrix` is left as it is, and shares its arrays with the
    answer where nothing had to be mended.
    """
    if matrix.ndim != 2:
        raise ValueError(f"{name} is sparse of {matrix.ndim} dimensions; give 2.")
    if matrix.dtype.kind not in "biuf":
        as_numbers(matrix.data, name, wanted)
        raise ValueError(f"{name} is sparse of type {matrix.dtype}; give {wanted}.")
    try:
        rebuilt = _rebuilt(matrix)
        csr = rebuilt.tocsr()
        if csr is not rebuilt:
            _check_indices(csr)
    except (IndexError, ValueError) as error:
        raise ValueError(
            f"{name} is a damaged {matrix.format} matrix: {error}. Build it anew, for example "
            "from (values, (rows, columns))."
        ) from error
    if csr.dtype.kind == "f" and csr.dtype.itemsize > 8:
        csr = csr.astype(np.float64)
    if not csr.has_canonical_format:
        csr = csr.astype(_sum_type(csr.dtype), copy=True)
        csr.sum_duplicates()
    return csr


def as_array(values: Any, name: str, wanted: str) -> np.ndarray:
    """Return `values` as an array of any kind; refuse ragged lists and what is no array at all."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} has rows of different lengths; give {wanted}.") from error
    if array.ndim == 0 and array.dtype.kind in "OSU":
        raise TypeError(f"{name} is of type {type(values).__name__}; {SHAPES}.")
    return array


def _begins_with_objects(values: Any) -> bool:
    """Return whether a list begins with a text, a dict or a list of texts; no array is made."""
    if not isinstance(values, (list, tuple)) or not values:
        return False
    first = values[0]
    if isinstance(first, (list, tuple)) and first:
        first = first[0]
    return isinstance(first, (str, bytes, dict))


def _read_frame(frame: Any, name: str, wanted: str) -> np.ndarray:
    whole = _plain_pandas(frame)
    if whole is not None:
        return whole
    parts = [
        as_numbers(column, f"column {label!r} of {name}", wanted)
        for label, column in zip(column_names(frame) or [], columns_of(frame))
    ]
    return np.column_stack(parts) if parts else np.empty((len(frame), 0))


def _plain_pandas(frame: Any) -> np.ndarray | None:
    """Return a frame of pandas in one go where all its columns are plain numbers, else None."""
    if not hasattr(frame, "items"):  # polars would turn dates into numbers without a word
        return None
    try:
        array = np.asarray(frame)
    except TypeError:  # dates beside numbers
        return None
    return array if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8 else None


def columns_of(frame: Any) -> Iterable[Any]:
    """Return the columns of a data frame (pandas, polars, pyarrow) one by one."""
    if hasattr(frame, "items"):
        return (column for _, column in frame.items())
    return frame.iter_columns() if hasattr(frame, "iter_columns") else frame.itercolumns()


def _read_objects(array: np.ndarray, name: str, wanted: str) -> np.ndarray:
    entries = array.ravel().tolist()
    for kind in set(map(type, entries)):
        _check_type(kind, next(entry for entry in entries if type(entry) is kind), name, wanted)
    numbers = [np.nan if is_missing(entry) else entry for entry in entries]
    try:
        return np.array(numbers, dtype=np.float64).reshape(array.shape)
    except OverflowError as error:
        raise ValueError(f"{name} holds numbers beyond the range of float64.") from error


def _check_type(kind: type, example: Any, name: str, wanted: str) -> None:
    shown = reprlib.repr(example)
    if issubclass(kind, DATES):
        raise ValueError(f"{name} holds dates or times such as {shown}; give {wanted}.")
    if issubclass(kind, (Real, Decimal, np.bool_)) or is_missing(example):
        return
    if issubclass(kind, (str, bytes)):
        raise ValueError(f"{name} holds text such as {shown}; give {wanted}.")
    if issubclass(kind, (complex, np.complexfloating)):
        raise ValueError(f"{NO_COMPLEX}: {name} holds {shown}; give {wanted}.")
    raise TypeError(
        f"{name} holds {shown}: float() argument must be a string or a real number, not "
        f"{kind.__name__!r}; give {wanted}."
    )


def is_missing(entry: Any) -> bool:
    """Return whether an entry is None or the NA of pandas."""
    return entry is None or type(entry).__name__ == "NAType"


def _rebuilt(matrix: Any) -> Any:
    """Return the same matrix around the same arrays, which checks their lengths."""
    if matrix.format in ("bsr", "csc", "csr"):
        parts = (matrix.data, matrix.indices, matrix.indptr)
        if not all(part.dtype.kind in "iu" for part in parts[1:]):
            raise ValueError("its indices are no integers")
        rebuilt = type(matrix)(parts, shape=matrix.shape)
        _check_indices(rebuilt)
        return rebuilt
    if matrix.format == "coo":
        coo = type(matrix)((matrix.data, matrix.coords), shape=matrix.shape)
        return coo.astype(_sum_type(coo.dtype))  # tocsr sums duplicates
    if matrix.format == "dia":
        return type(matrix)((matrix.data, matrix.offsets), shape=matrix.shape)
    if matrix.format == "lil" and list(map(len, matrix.rows)) != list(map(len, matrix.data)):
        raise ValueError("its rows have more or fewer values than indices")
    return matrix


def _sum_type(dtype: np.dtype) -> np.dtype:
    """Return the type in which duplicates are summed; small integers would overflow."""
    return np.dtype(np.float64) if dtype.kind in "iu" else dtype


def _check_indices(matrix: Any) -> None:
    """Refuse indices outside the shape of a fresh CSR, CSC or BSR matrix and falling pointers."""
    if (np.diff(matrix.indptr) < 0).any():
        raise ValueError("its index pointers fall")
    matrix.check_format(full_check=True)
