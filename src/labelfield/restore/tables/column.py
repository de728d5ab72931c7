"""One column of a table, whatever library the table is of."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np

from labelfield.restore.tables.dates import KINDS, days_of, moments_of

__all__ = ["Column"]

UNLIKE_ITSELF = (float, np.generic, date, Decimal)  # whose NaN and NaT differ from themselves


@dataclass(frozen=True)
class Column:
    """Values (n,), floats with NaN or objects; which are missing; declared states.

    `clock` is "date" or "duration" where the numbers are days.
    """

    name: Any
    values: np.ndarray
    missing: np.ndarray
    states: tuple | None = None
    clock: str | None = None

    @property
    def numeric(self) -> bool:
        """Whether the values are stored as numbers."""
        return self.values.dtype.kind == "f"

    def cell(self, row: int) -> Any:
        """One value as a plain Python object, a date as a datetime."""
        if self.clock is not None and not self.missing[row]:
            return moments_of(self.values[row], self.clock).item()
        return self.values[row : row + 1].tolist()[0]

    @classmethod
    def of_numbers(cls, name: Any, values: np.ndarray) -> "Column":
        """A column of numbers, NaN where missing."""
        values = values.astype(float)
        return cls(name, values, np.isnan(values))

    @classmethod
    def of_moments(cls, name: Any, values: np.ndarray) -> "Column":
        """A column of dates or durations."""
        days = days_of(values)
        return cls(name, days, np.isnan(days), clock=KINDS[values.dtype.kind])

    @classmethod
    def of_objects(cls, name: Any, values: np.ndarray, states: tuple | None = None) -> "Column":
        """A column of any objects; numbers where all of them are, unless states are declared."""
        missing = np.array([_is_missing(value) for value in values], dtype=bool)
        known = values[~missing]
        for value in known:
            _refuse_odd(name, value)
        if states is None and len(known) and all(_is_number(value) for value in known):
            numbers = np.full(len(values), np.nan)
            numbers[~missing] = known.astype(float)
            return cls(name, numbers, missing)
        return cls(name, np.where(missing, None, values), missing, states)

    @classmethod
    def of_array(cls, name: Any, values: np.ndarray) -> "Column":
        """A column of a numpy array, by its dtype."""
        if values.dtype.kind in "iuf":
            return cls.of_numbers(name, values)
        if values.dtype.kind in KINDS:
            return cls.of_moments(name, values)
        return cls.of_objects(name, values.astype(object))

    def hidden(self, rows: np.ndarray) -> "Column":
        """The column with the rows of a mask missing."""
        values = self.values.copy()
        values[rows] = np.nan if self.numeric else None
        return Column(self.name, values, self.missing | rows, self.states, self.clock)


def _is_missing(value: Any) -> bool:
    if value is None or value is np.ma.masked or type(value).__name__ == "NAType":
        return True
    return isinstance(value, UNLIKE_ITSELF) and bool(value != value)


def _is_number(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool)


def _refuse_odd(name: Any, value: Any) -> None:
    if isinstance(value, complex | np.complexfloating):
        raise ValueError(
            f"Complex data not supported: column {name!r} holds {value!r}; give its parts, or its "
            "size and angle, as columns of their own."
        )
    try:
        hash(value)
    except TypeError:
        raise ValueError(
            f"Column {name!r} holds {value!r}, which is neither a number nor a category; drop the "
            "column, or spread its parts over columns."
        ) from None
