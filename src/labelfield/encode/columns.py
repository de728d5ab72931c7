"""Tables of any make as named columns of three forms: numbers, moments, words."""

import datetime
import reprlib
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from labelfield._gate.reading import column_names, columns_of, is_missing

__all__ = ["Column", "read_columns"]

ONE_TEXT = "text"
MOMENTS = (datetime.date, np.datetime64)
SPANS = (datetime.timedelta, np.timedelta64)
SHAPES = "give a data frame, a list of rows, or a list of texts"


class Column(NamedTuple):
    """One column of a table.

    `values` (n,) are float64 with NaN, datetime64 with NaT, or an object array of str with None
    for missing cells; `declared` is the kind that the column's own type tells, if it does.
    """

    name: str
    values: np.ndarray
    declared: str | None = None

    def missing(self) -> np.ndarray:
        """Return a mask (n,) of the empty cells."""
        if self.values.dtype.kind == "O":
            return np.equal(self.values, None)
        return np.isnan(self.values) if self.values.dtype.kind == "f" else np.isnat(self.values)

    def words(self) -> np.ndarray:
        """Return the cells as text, None where empty; whole numbers are written without a point."""
        if self.values.dtype.kind == "O":
            return self.values
        words = [
            str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
            for value in self.values.tolist()
        ]
        return np.where(self.missing(), None, np.array(words, dtype=object))


def read_columns(X: Any) -> tuple[Column, ...]:
    """Return the columns of a data frame, of rows, or of one list of texts (a column "text").

    Columns of arrays are called x0, x1, ... Empty text counts as missing. What is neither number,
    date nor text is refused by name.
    """
    if sp.issparse(X):
        raise TypeError(
            "X is a sparse matrix, which needs no encoding; hand it to the model, or give it as "
            "X.toarray()."
        )
    names = column_names(X)
    if names is not None:
        _refuse_repeated(list(map(str, names)))
        pairs = zip(map(str, names), columns_of(X), strict=True)
        columns = tuple(_read(name, column) for name, column in pairs)
        shape = (len(columns[0].values) if columns else 0, len(columns))
    else:
        array = _rows(X)
        shape = (len(array), 1 if array.ndim == 1 else array.shape[1])
        if array.ndim == 1:
            columns = (_read(ONE_TEXT, array)._replace(declared="text"),)
        else:
            columns = tuple(_read(f"x{j}", column) for j, column in enumerate(array.T))
    if 0 in shape:
        raise ValueError(
            f"Found array with {shape[0]} sample(s) and {shape[1]} feature(s) (shape={shape}) "
            "while a minimum of 1 is required."
        )
    return columns


def _refuse_repeated(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"X has two columns called {name!r}; rename or remove one.")
        seen.add(name)


def _rows(X: Any) -> np.ndarray:
    if isinstance(X, str | bytes):
        raise ValueError(f"X is one text; {SHAPES}.")
    if isinstance(X, list | tuple) and X and isinstance(X[0], str):
        array = np.empty(len(X), dtype=object)
        array[:] = X
        return array
    try:
        array = X if isinstance(X, np.ndarray) else np.asarray(X)
        if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
            array = np.asarray(X, dtype=object)  # as text, numbers beside words would lose digits
    except ValueError as error:
        raise ValueError(f"X has rows of different lengths; {SHAPES}.") from error
    if array.ndim == 1 and (array.dtype.kind not in "OUT" or not _holds_text(array)):
        raise ValueError(
            f"Expected 2D array, got 1D array instead: X holds one number a row; {SHAPES}. "
            "Reshape your data with X.reshape(-1, 1) if it is one column."
        )
    if array.ndim not in (1, 2):
        raise ValueError(f"X has {array.ndim} dimensions; {SHAPES}.")
    return array


def _holds_text(array: np.ndarray) -> bool:
    return all(isinstance(entry, str) or _is_empty(entry) for entry in array.tolist())


def _read(name: str, values: Any) -> Column:
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    is_category = kind.startswith(("category", "categorical", "enum", "dictionary"))
    array = np.asarray(values)
    if array.dtype.kind == "b":
        return Column(name, array.astype(np.float64), "boolean")
    if array.dtype.kind in "iuf":
        found = Column(name, array.astype(np.float64))
    elif array.dtype.kind == "M":
        found = Column(name, array.astype("datetime64[us]"))
    elif array.dtype.kind == "m":
        found = Column(name, _days(array))
    elif array.dtype.kind in "OUT":
        found = _read_objects(name, array.astype(object))
    else:
        word = "Complex data not supported" if array.dtype.kind == "c" else "It cannot be encoded"
        raise ValueError(f"{word}: column {name!r} of X is of type {array.dtype}; leave it out.")
    return found._replace(declared="category") if is_category else found


def _read_objects(name: str, array: np.ndarray) -> Column:
    entries = array.tolist()
    missing = np.array([_is_empty(entry) for entry in entries], dtype=bool)
    kinds = {type(entry) for entry, hole in zip(entries, missing) if not hole}
    for kind in kinds:
        if not issubclass(kind, (str, Real, Decimal, np.bool_, *MOMENTS, *SPANS)):
            example = next(entry for entry in entries if type(entry) is kind)
            raise TypeError(
                f"Column {name!r} of X holds {reprlib.repr(example)}, whose type "
                f"{kind.__name__!r} is no number, date or text: argument must be a string or a "
                "number; turn it into text, or leave the column out."
            )
    if kinds and all(issubclass(kind, MOMENTS) for kind in kinds):
        moments = [None if hole else _plain(entry) for entry, hole in zip(entries, missing)]
        return Column(name, np.array(moments, dtype="datetime64[us]"))
    if kinds and all(issubclass(kind, SPANS) for kind in kinds):
        spans = [
            np.timedelta64("NaT") if h else np.timedelta64(e) for e, h in zip(entries, missing)
        ]
        return Column(name, _days(np.array(spans, dtype="timedelta64[us]")))
    if kinds and all(issubclass(kind, (Real, Decimal, np.bool_)) for kind in kinds):
        is_boolean = all(issubclass(kind, (bool, np.bool_)) for kind in kinds)
        try:
            numbers = [np.nan if hole else float(entry) for entry, hole in zip(entries, missing)]
        except OverflowError:
            raise ValueError(f"Column {name!r} of X holds a number beyond float64.") from None
        return Column(name, np.array(numbers), "boolean" if is_boolean else None)
    words = np.empty(len(entries), dtype=object)
    words[:] = [None if hole else str(entry) for entry, hole in zip(entries, missing)]
    return Column(name, words)


def _is_empty(entry: Any) -> bool:
    if isinstance(entry, str):
        return not entry or entry.isspace()
    return is_missing(entry) or entry != entry  # NaN and NaT differ from themselves


def _plain(moment: Any) -> Any:
    """A date or moment without its time zone, in UTC."""
    if getattr(moment, "tzinfo", None) is not None:
        return moment.astimezone(datetime.UTC).replace(tzinfo=None)
    return moment


def _days(spans: np.ndarray) -> np.ndarray:
    return spans / np.timedelta64(1, "D")
