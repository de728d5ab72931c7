"""Dates in tables of text: read as days, and written again as the others of their column are."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from labelfield._dates import ISO, find_notation, parse_moments
from labelfield.restore.tables.dates import days_of

__all__ = ["DateWriting"]

_ISO_CELL = re.compile(r"[^T ]*([T ])\d\d:?\d\d(:?\d\d)?(.*)")
_OFFSET = re.compile(r".*(Z|[+-]\d\d(:?\d\d)?)")


class DateWriting:
    """How the dates of a column are written.

    Examples
    --------
    >>> from labelfield.restore.tables.written_dates import DateWriting
    >>> writing = DateWriting.of(["31.12.1970", "01.01.1970"])
    >>> writing.days("02.01.1970"), writing.text(364.2), writing.days("soon")
    (1.0, '31.12.1970', None)
    """

    def __init__(self, notation: str, pattern: str):
        self.notation = notation
        self.pattern = pattern

    @classmethod
    def of(cls, cells: Iterable[str]) -> "DateWriting | None":
        """The way in which all of these cells are dates, or None."""
        words = list(dict.fromkeys(cells))
        notation = find_notation(words)
        if notation is None:
            return None
        return cls(notation, _iso_pattern(words) if notation == ISO else notation)

    def days(self, cell: str) -> float | None:
        """Days since 1970 of a cell, None if it is no such date."""
        (days,) = days_of(parse_moments([cell], self.notation)).tolist()
        return None if days != days else days

    def text(self, days: float) -> str:
        """Days since 1970 as the column writes them, rounded to the last part that it shows."""
        seconds = 86_400 if "%H" not in self.pattern and "%I" not in self.pattern else 60
        if "%S" in self.pattern:
            seconds = 1
        whole = round(days * 86_400 / seconds) * seconds
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=whole)
        return moment.strftime(self.pattern)


def _iso_pattern(words: Sequence[str]) -> str:
    """The pattern of the finest of dates in ISO 8601."""
    timed = [found for found in map(_ISO_CELL.fullmatch, words) if found]
    if not timed:
        return "%Y-%m-%d"
    has_seconds = any(found[2] for found in timed)
    offset = "+00:00" if any(_OFFSET.fullmatch(found[3]) for found in timed) else ""
    return f"%Y-%m-%d{timed[0][1]}%H:%M{':%S' if has_seconds else ''}{offset}"
