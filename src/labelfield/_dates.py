"""Dates as people write them: which notation a column has, and the moments it means."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import numpy as np

__all__ = ["ISO", "find_notation", "parse_moments"]

ISO = "ISO 8601"
_ISO_SHAPE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d.*)?")
# Where a column can be read both ways, the first notation counts.
_DAYS = (
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%d.%m.%y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%b %d, %Y",
    "%d %B %Y",
    "%B %d, %Y",
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_NOTATIONS = (ISO, *(day + time for day in _DAYS for time in _TIMES))
_FEW = 20


def find_notation(words: Sequence[str], share: float = 1.0) -> str | None:
    """Return the notation in which at least this share of the words are dates, or None.

    Examples
    --------
    >>> from labelfield._dates import find_notation
    >>> find_notation(["03/04/2024", "03/25/2024"])
    '%m/%d/%Y'
    """
    needed = share * len(words)
    few = words[:_FEW]
    for notation in _NOTATIONS if words else ():
        if not any(_moment(word, notation) for word in few):
            continue
        if sum(_moment(word, notation) is not None for word in words) >= needed:
            return notation
    return None


def parse_moments(words: Iterable[str | None], notation: str) -> np.ndarray:
    """Return moments (n,), datetime64 in microseconds, NaT where a word is none in this notation.

    Moments with an offset are counted in UTC.
    """
    known: dict[str | None, datetime | None] = {None: None}
    moments = []
    for word in words:
        if word not in known:
            known[word] = _moment(word, notation)
        moments.append(known[word])
    return np.array(moments, dtype="datetime64[us]")


def _moment(word: str, notation: str) -> datetime | None:
    word = word.strip()
    try:
        if notation != ISO:
            return datetime.strptime(word, notation)
        if not _ISO_SHAPE.fullmatch(word):
            return None
        moment = datetime.fromisoformat(word)
    except (ValueError, OverflowError):
        return None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
