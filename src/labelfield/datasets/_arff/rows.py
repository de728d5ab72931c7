"""Scan the data section of an ARFF file: bytes in, numbers and their columns out.

The scan decides what plain numbers and short nominal values are; whatever else it meets
(quoted values, long decimals, values it does not know) is left to the caller as a span of bytes.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray

__all__ = [
    "BAD_INDEX",
    "COMMENT_INSIDE_VALUE",
    "EMPTY_VALUE",
    "INDEX_TOO_LARGE",
    "NO_VALUE_AFTER_INDEX",
    "REPEATED_INDEX",
    "SOUND",
    "TEXT_AFTER_ROW",
    "TEXT_AFTER_VALUE",
    "TOO_FEW_VALUES",
    "TOO_MANY_VALUES",
    "UNCLOSED_BRACE",
    "UNCLOSED_QUOTE",
    "scan_rows",
    "token_end",
]

Bytes: TypeAlias = NDArray[np.uint8]

SOUND = 0
TOO_FEW_VALUES = 1
TOO_MANY_VALUES = 2
EMPTY_VALUE = 3
UNCLOSED_QUOTE = 4
UNCLOSED_BRACE = 5
BAD_INDEX = 6
INDEX_TOO_LARGE = 7
REPEATED_INDEX = 8
NO_VALUE_AFTER_INDEX = 9
TEXT_AFTER_VALUE = 10
TEXT_AFTER_ROW = 11
COMMENT_INSIDE_VALUE = 12

_TAB, _NEWLINE, _SPACE, _QUOTE, _APOSTROPHE, _PERCENT = 9, 10, 32, 34, 39, 37
_COMMA, _MINUS, _PLUS, _POINT, _ZERO, _NINE = 44, 45, 43, 46, 48, 57
_QUESTION, _BACKSLASH, _OPEN, _CLOSE = 63, 92, 123, 125
_UPPER_E, _LOWER_E = 69, 101

# Below these bounds mantissa and power of ten are exact doubles, so one product or quotient
# rounds once and equals the correctly rounded decimal.
_EXACT_MANTISSA = 2**53
_POWERS = 10.0 ** np.arange(23)
_MAX_DIGITS = 17
_INTEGER_POWERS = 10 ** np.arange(_MAX_DIGITS + 1)


@compiled
def _after_blanks(text: Bytes, at: int) -> int:
    while text[at] == _SPACE or text[at] == _TAB:
        at += 1
    return at


@compiled
def _next_line(text: Bytes, at: int) -> int:
    while text[at] != _NEWLINE:
        at += 1
    return at + 1


@compiled
def _ends_value(byte: int, closing: int) -> bool:
    return bool(byte in (_COMMA, closing, _SPACE, _NEWLINE, _TAB))


@compiled
def token_end(text: Bytes, at: int, closing: int) -> tuple[int, int]:
    """End of the value that starts at `at`, and SOUND or what is wrong with it."""
    first = text[at]
    if first in (_APOSTROPHE, _QUOTE):
        at += 1
        while text[at] != first:
            if text[at] == _BACKSLASH:
                at += 1
            if text[at] == _NEWLINE:
                return at, UNCLOSED_QUOTE
            at += 1
        return at + 1, SOUND
    start = at
    while not _ends_value(text[at], closing):
        if text[at] == _PERCENT:
            return at, COMMENT_INSIDE_VALUE
        at += 1
    return at, EMPTY_VALUE if at == start else SOUND


@compiled
def _digits(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """The integer written from `at` on, and the position after its digits."""
    integer = 0
    while at < end and _ZERO <= text[at] <= _NINE:
        integer = integer * 10 + (text[at] - _ZERO)
        at += 1
    return integer, at


@compiled
def _plain_number(text: Bytes, at: int, closing: int) -> tuple[float, int]:
    """The decimal at `at` and the position after it; (0, at) if it cannot be read exactly."""
    start = at
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    mantissa = 0
    exponent = 0
    first = at
    byte = text[at]
    while _ZERO <= byte <= _NINE:
        mantissa = mantissa * 10 + (byte - _ZERO)
        at += 1
        byte = text[at]
    n_digits = at - first
    if byte == _POINT:
        at += 1
        first = at
        byte = text[at]
        while _ZERO <= byte <= _NINE:
            mantissa = mantissa * 10 + (byte - _ZERO)
            at += 1
            byte = text[at]
        exponent = first - at
        n_digits -= exponent
    if n_digits == 0 or n_digits > _MAX_DIGITS or mantissa > _EXACT_MANTISSA:
        return 0.0, start
    if byte in (_LOWER_E, _UPPER_E):
        at += 1
        minus = text[at] == _MINUS
        if minus or text[at] == _PLUS:
            at += 1
        power = 0
        first = at
        while _ZERO <= text[at] <= _NINE:
            power = power * 10 + (text[at] - _ZERO)
            at += 1
        if at == first or at > first + 4:
            return 0.0, start
        exponent += -power if minus else power
        byte = text[at]
    if abs(exponent) >= _POWERS.shape[0] or not _ends_value(byte, closing):
        return 0.0, start
    value = mantissa * _POWERS[exponent] if exponent >= 0 else mantissa / _POWERS[-exponent]
    return (-value if negative else value), at


@compiled
def _choice(
    text: Bytes, at: int, closing: int, low: int, high: int, bounds: IntArray, choices: Bytes
) -> tuple[int, int]:
    """Which of the declared values low..high-1 stands at `at`, and the position after it."""
    for k in range(low, high):
        start = bounds[k]
        length = bounds[k + 1] - start
        i = 0
        while i < length and choices[start + i] == text[at + i]:
            i += 1
        if i == length and _ends_value(text[at + i], closing):
            return k, at + i
    return 0, at


@compiled
def _read_index(text: Bytes, at: int, n_columns: int) -> tuple[int, int, int]:
    """Column number at `at`: (column, position of its value, SOUND or what is wrong)."""
    start = at
    column = 0
    while _ZERO <= text[at] <= _NINE:
        column = column * 10 + (text[at] - _ZERO)
        if column >= n_columns:
            return column, start, INDEX_TOO_LARGE
        at += 1
    if at == start:
        return 0, start, BAD_INDEX
    if text[at] != _SPACE and text[at] != _TAB:
        return column, at, NO_VALUE_AFTER_INDEX
    return column, _after_blanks(text, at), SOUND


@compiled
def _row_tail(text: Bytes, at: int, sparse: bool, missing: bool) -> tuple[int, int]:
    """Next line after the last value of a row, and SOUND or what is wrong with the rest."""
    if sparse:
        if text[at] != _CLOSE:
            return at, UNCLOSED_BRACE if text[at] == _NEWLINE else TEXT_AFTER_VALUE
        at = _after_blanks(text, at + 1)
    if text[at] != _NEWLINE and text[at] != _PERCENT:
        return at, TEXT_AFTER_ROW if sparse else TEXT_AFTER_VALUE
    if missing:
        return at, TOO_FEW_VALUES
    return _next_line(text, at), SOUND


@compiled
def _scan_row(
    text: Bytes,
    at: int,
    row: int,
    kind: IntArray,
    first: IntArray,
    bounds: IntArray,
    choices: Bytes,
    codes: FloatArray,
    last_row: IntArray,
    columns: IntArray,
    values: FloatArray,
    n_values: int,
) -> tuple[int, int, int]:
    """One row from `at`: (position after it, number of values so far, SOUND or the fault)."""
    sparse = text[at] == _OPEN
    closing = _CLOSE if sparse else _NEWLINE
    if sparse:
        at = _after_blanks(text, at + 1)
    n_cells = 0
    while not (sparse and n_cells == 0 and text[at] == _CLOSE):
        column, fault = n_cells, SOUND
        if sparse:
            column, at, fault = _read_index(text, at, kind.shape[0])
            if fault == SOUND and last_row[column] == row:
                fault = REPEATED_INDEX
        elif column == kind.shape[0]:
            fault = TOO_MANY_VALUES
        if fault != SOUND:
            return at, n_values, UNCLOSED_BRACE if sparse and text[at] == _NEWLINE else fault
        if text[at] == _QUESTION and _ends_value(text[at + 1], closing):
            value, end = np.nan, at + 1
        elif kind[column] < 0:
            value, end = _plain_number(text, at, closing)
        else:
            low, high = first[kind[column]], first[kind[column] + 1]
            k, end = _choice(text, at, closing, low, high, bounds, choices)
            value = codes[k]
        last_row[column] = row
        if end == at:
            end, fault = token_end(text, at, closing)
            if fault != SOUND:
                return at, n_values, UNCLOSED_BRACE if sparse and text[at] == _NEWLINE else fault
            value, column = float(at), -1 - column
        columns[n_values] = column
        values[n_values] = value
        n_values += 1
        n_cells += 1
        at = _after_blanks(text, end)
        if text[at] != _COMMA:
            break
        at = _after_blanks(text, at + 1)
    at, fault = _row_tail(text, at, sparse, not sparse and n_cells < kind.shape[0])
    return at, n_values, fault


@compiled
def scan_rows(
    text: Bytes,
    kind: IntArray,
    first: IntArray,
    bounds: IntArray,
    choices: Bytes,
    codes: FloatArray,
    row_at: IntArray,
    row_end: IntArray,
    columns: IntArray,
    values: FloatArray,
) -> tuple[int, int, int, int]:
    """Read every row of the text into flat (columns, values), rows delimited by row_end.

    text (T,): bytes, the last one a newline. kind (m,): -1 for a numeric column, else its
    declaration q, whose values are choices[bounds[k]:bounds[k+1]] with number codes[k],
    k = first[q] .. first[q+1]-1. Filled: row_at, row_end (lines,); columns, values
    (commas + lines,). A value that this scan cannot tell is left to the caller: its column
    is stored as -1 - column, and in its place stands the byte where it starts.
    Returns the number of rows and of values, and the fault that ended the scan (SOUND for
    none) with the byte where it stands.
    """
    last_row = np.zeros(kind.shape[0], np.int64)
    at = n_rows = n_values = int(np.int64(0))  # a plain 0 would compile every callee twice
    while at < text.shape[0]:
        at = _after_blanks(text, at)
        if text[at] == _NEWLINE or text[at] == _PERCENT:
            at = _next_line(text, at)
            continue
        row_at[n_rows] = at
        at, n_values, fault = _scan_row(
            text,
            at,
            n_rows + 1,
            kind,
            first,
            bounds,
            choices,
            codes,
            last_row,
            columns,
            values,
            n_values,
        )
        if fault != SOUND:
            return n_rows + 1, n_values, fault, at
        row_end[n_rows] = n_values
        n_rows += 1
    return n_rows, n_values, SOUND, at
