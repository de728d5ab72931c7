"""Between a table of mixed columns and standardised numbers with state codes."""

from dataclasses import dataclass
from datetime import date, timedelta
from numbers import Integral, Real
from typing import Any

import numpy as np

from labelfield.restore.shape import FieldShape
from labelfield.restore.tables.column import Column
from labelfield.restore.tables.dates import moments_of
from labelfield.restore.tables.frames import replace_cells

__all__ = ["EncodedTable", "TableCodec", "best_states"]

FEWEST_IDS = 20  # in a small table many categories occur once


@dataclass(frozen=True)
class EncodedTable:
    """Standardised numbers (n, mc), NaN where missing, and state codes (n, md), -1 where missing.

    Constant training columns carry no information and are left out.
    """

    numbers: np.ndarray
    codes: np.ndarray

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows) -> "EncodedTable":
        """The table of these rows."""
        return EncodedTable(self.numbers[rows], self.codes[rows])

    def observed(self) -> np.ndarray:
        """Mask (n, mc + md) of the cells that are there."""
        return np.concatenate([~np.isnan(self.numbers), self.codes >= 0], axis=1)

    def states(self, sizes) -> np.ndarray:
        """Indicators (n, K) of the states; a missing cell has none."""
        parts = [np.eye(size)[np.maximum(c, 0)] for size, c in zip(sizes, self.codes.T)]
        for part, column in zip(parts, self.codes.T):
            part[column < 0] = 0.0
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(self), 0))


@dataclass(frozen=True)
class TableCodec:
    """What was learned about the columns of a training table.

    Attributes
    ----------
    names : tuple
        Every column of the table, in order.
    numeric, categorical : tuple of int
        Positions of the columns that vary, by kind.
    mean, scale : ndarray of shape (mc,)
        Of dates and durations in days.
    states : tuple of tuple
        States of every categorical column that varies.
    constant : dict of int to value
        Columns with a single value, which is what their holes are filled with.
    clocks : dict of int to {"date", "duration"}
        Columns whose numbers are days.
    whole_days : tuple of int
        Those of them without a time of day.
    """

    names: tuple
    numeric: tuple[int, ...]
    categorical: tuple[int, ...]
    mean: np.ndarray
    scale: np.ndarray
    states: tuple[tuple, ...]
    constant: dict
    clocks: dict
    whole_days: tuple[int, ...]

    @classmethod
    def learn(cls, columns: list[Column], categorical) -> "TableCodec":
        """Read kinds, scales and states off training columns."""
        chosen = _categorical_mask(columns, categorical)
        numeric, nominal, states, constant = [], [], [], {}
        for j, column in enumerate(columns):
            found = _states(column)
            if len(found) == 1:
                constant[j] = found[0]
            elif chosen[j]:
                nominal.append(j)
                states.append(found)
            else:
                numeric.append(j)
        values = [_numbers(columns[j]) for j in numeric]
        clocks = {j: column.clock for j, column in enumerate(columns) if column.clock is not None}
        return cls(
            names=tuple(column.name for column in columns),
            numeric=tuple(numeric),
            categorical=tuple(nominal),
            mean=np.array([np.nanmean(v) for v in values]),
            scale=np.array([np.nanstd(v) for v in values]),
            states=tuple(states),
            constant=constant,
            clocks=clocks,
            whole_days=tuple(j for j in clocks if _has_whole_days(columns[j])),
        )

    @property
    def shape(self) -> FieldShape:
        """Widths of the nodes, one node for every column that varies."""
        return FieldShape(len(self.numeric), tuple(len(s) for s in self.states))

    @property
    def positions(self) -> tuple[int, ...]:
        """Table position of every node, numbers first."""
        return self.numeric + self.categorical

    def schema(self) -> list[dict]:
        """Kind of every column as plain data: name, kind, and its states or its constant."""
        rows = []
        for j, name in enumerate(self.names):
            if j in self.constant:
                value = self.value(j, self.constant[j])
                rows.append({"column": name, "kind": "constant", "value": value})
            elif j in self.numeric:
                rows.append({"column": name, "kind": self.clocks.get(j, "numeric")})
            else:
                states = list(self.states[self.categorical.index(j)])
                rows.append({"column": name, "kind": "categorical", "states": states})
        return rows

    def value(self, position: int, value) -> Any:
        """A value of a column as its user knows it: days as a date or a duration."""
        if position not in self.clocks:
            return value
        return moments_of(value, self.clocks[position]).item()

    def position(self, name) -> int:
        """Position of a column given by name or index."""
        if name in self.names:
            return self.names.index(name)
        if isinstance(name, Integral) and 0 <= name < len(self.names):
            return int(name)
        raise ValueError(f"There is no column {name!r}; the table has {list(self.names)}.")

    def encode(self, columns: list[Column], *, unknown="error") -> EncodedTable:
        """Standardise the numbers and look up the states.

        `unknown` says what becomes of a state that training never showed: "error" or "missing".
        """
        for j, column in enumerate(columns):
            _refuse_other_clock(column, self.clocks.get(j))
        numbers = [
            (_numbers(columns[j]) - m) / s for j, m, s in zip(self.numeric, self.mean, self.scale)
        ]
        codes = [
            _codes(columns[j], states, unknown) for j, states in zip(self.categorical, self.states)
        ]
        n = len(columns[0].values)
        return EncodedTable(
            np.column_stack(numbers) if numbers else np.zeros((n, 0)),
            np.column_stack(codes) if codes else np.zeros((n, 0), dtype=np.int64),
        )

    def decode(self, X, columns: list[Column], dirty: EncodedTable, clean: EncodedTable):
        """Write the cells that differ between `dirty` and `clean` into a copy of the table X."""
        replaced = {}
        for s, j in enumerate(self.numeric):
            rows = np.flatnonzero(~(clean.numbers[:, s] == dirty.numbers[:, s]))
            values = clean.numbers[rows, s] * self.scale[s] + self.mean[s]
            replaced[j] = rows, np.rint(values) if j in self.whole_days else values
        for k, j in enumerate(self.categorical):
            rows = np.flatnonzero(clean.codes[:, k] != dirty.codes[:, k])
            lookup = np.empty(len(self.states[k]), dtype=object)
            lookup[:] = self.states[k]
            replaced[j] = rows, lookup[clean.codes[rows, k]]
        for j, value in self.constant.items():
            rows = np.flatnonzero(columns[j].missing)
            replaced[j] = rows, np.full(len(rows), value, dtype=object)
        return replace_cells(X, {j: cells for j, cells in replaced.items() if len(cells[0])})


def best_states(proba: np.ndarray, shape: FieldShape) -> np.ndarray:
    """Most probable state (n, md) of every categorical node from probabilities (n, K)."""
    codes = np.zeros((len(proba), len(shape.n_states)), dtype=np.int64)
    for j, (start, size) in enumerate(zip(shape.state_starts, shape.n_states)):
        codes[:, j] = proba[:, start : start + size].argmax(axis=1)
    return codes


def _categorical_mask(columns: list[Column], categorical) -> np.ndarray:
    if isinstance(categorical, str):  # "auto"
        for column in columns:
            if not column.numeric and column.states is None:
                _refuse_mixture(column)
                _refuse_dates(column)
                _refuse_ids(column)
        return np.array([not c.numeric or c.states is not None for c in columns])
    chosen = _named_columns(columns, categorical)
    for column in np.array(columns, dtype=object)[chosen]:
        if column.clock is not None:
            raise ValueError(
                f"Column {column.name!r} holds {column.clock}s, which are numbers here; leave it "
                "out of `categorical`, or give it as text."
            )
    return chosen


def _named_columns(columns: list[Column], categorical) -> np.ndarray:
    chosen = np.zeros(len(columns), dtype=bool)
    given = list(categorical)
    if len(given) == len(columns) and all(isinstance(g, bool | np.bool_) for g in given):
        return np.array(given, dtype=bool)
    names = [column.name for column in columns]
    for name in given:
        if name in names:
            chosen[names.index(name)] = True
        elif isinstance(name, Integral) and 0 <= name < len(names):
            chosen[name] = True
        else:
            raise ValueError(f"categorical names {name!r}, but the columns are {names}.")
    return chosen


def _refuse_mixture(column: Column) -> None:
    """An object column of numbers and text is a broken numeric column, or wants to be named."""
    known = column.values[~column.missing]
    text = np.array([isinstance(v, str) for v in known], dtype=bool)
    if text.any() and not text.all():
        raise ValueError(
            f"Column {column.name!r} mixes text such as {known[text][0]!r} with values such as "
            f"{known[~text][0]!r}; clean it, or name it in `categorical`."
        )


def _refuse_dates(column: Column) -> None:
    """Dates as objects would be categories, one a date."""
    for value in column.values[~column.missing]:
        if isinstance(value, date | timedelta | np.datetime64 | np.timedelta64):
            raise ValueError(
                f"Column {column.name!r} holds dates as objects, such as {value!r}; give it a "
                "dtype of dates (pandas.to_datetime), or name it in `categorical`."
            )


def _refuse_ids(column: Column) -> None:
    """Categories that hardly ever repeat carry no information, but each needs its own weights."""
    known = column.values[~column.missing]
    different = len(set(known))
    if different > max(FEWEST_IDS, len(known) / 2):
        raise ValueError(
            f"Column {column.name!r} has {different} different values in {len(known)} cells, as "
            "names or ids have; drop it, or name it in `categorical` if they are categories."
        )


def _refuse_other_clock(column: Column, clock: str | None) -> None:
    """Days and other numbers must not be taken for each other."""
    if column.clock != clock:
        before, now = (f"{one}s" if one else "no dates" for one in (clock, column.clock))
        raise ValueError(
            f"Column {column.name!r} had {before} in training and has {now} here; "
            "give it the dtype it had."
        )


def _has_whole_days(column: Column) -> bool:
    days = column.values[~column.missing]
    return bool((days == np.rint(days)).all())


def _numbers(column: Column) -> np.ndarray:
    """Values as floats, NaN where missing; text and infinity are refused."""
    values = column.values
    if not column.numeric:
        values = np.full(len(column.values), np.nan)
        for row in np.flatnonzero(~column.missing):
            if not isinstance(column.values[row], Real):
                raise ValueError(
                    f"Column {column.name!r} is numeric, but row {row} holds "
                    f"{column.values[row]!r}; mend the cell, empty it, or name the column in "
                    "`categorical` when fitting."
                )
            values[row] = column.values[row]
    bad = np.flatnonzero(np.isinf(values))
    if len(bad):
        raise ValueError(
            f"Column {column.name!r} contains infinity in row {bad[0]}; empty the cell (NaN) to "
            "have it filled in."
        )
    return values


def _states(column: Column) -> tuple:
    """Declared states of a column, else the sorted values that it takes."""
    known = column.values[~column.missing]
    if not len(known):
        raise ValueError(
            f"Column {column.name!r} has no value at all in the training table; "
            "drop it, nothing can be learned about it."
        )
    if column.states:
        return tuple(column.states)
    states = list(dict.fromkeys(known.tolist()))
    try:
        return tuple(sorted(states))
    except TypeError:
        return tuple(sorted(states, key=lambda v: (type(v).__name__, str(v))))


def _codes(column: Column, states: tuple, unknown: str) -> np.ndarray:
    position = {state: k for k, state in enumerate(states)}
    codes = np.full(len(column.values), -1, dtype=np.int64)
    for row in np.flatnonzero(~column.missing):
        code = position.get(column.values[row], -1)
        if code < 0 and unknown == "error":
            raise ValueError(
                f"Column {column.name!r} holds {column.values[row]!r} in row {row}, a category "
                f"not seen in training (known: {list(states)[:8]}). Add such rows to the training "
                "table, or pass handle_unknown='missing' to have the cell restored."
            )
        codes[row] = code
    return codes
