"""What a column is taken for, and why."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from labelfield._dates import find_notation
from labelfield.encode.columns import Column

__all__ = ["BOOLEANS", "DROPPED", "TOLD", "Guess", "guess_kind", "guess_kinds", "number_of"]

TOLD = ("text", "category", "date", "number", "id", "drop")  # what a user may call a column
DROPPED = ("id", "constant", "dropped")
BOOLEANS = {
    "true": 1.0,
    "false": 0.0,
    "yes": 1.0,
    "no": 0.0,
    "y": 1.0,
    "n": 0.0,
    "t": 1.0,
    "f": 0.0,
}

MOSTLY = 0.95  # so much of a column must be numbers, or dates, for the rest to count as missing
FEW_VALUES = 30
FEWEST_IDS = 20  # in a small table many values occur once
TEXT_WORDS = 3.0
_ID_NAME = re.compile(r"(?i:(^|[\W_])(id|uuid|guid|index|key|row|nr|number))$|Id$|^Unnamed: \d+$")
_ID_CELL = re.compile(r"[!-~]+")  # one word of ASCII


Told = Mapping[str, Sequence[str] | None]


class Guess(NamedTuple):
    """The kind of a column, the reason in words, and the notation of dates written as text."""

    kind: str
    why: str
    notation: str | None = None


def guess_kinds(columns: Sequence[Column], told: Told) -> dict[str, Guess]:
    """Return what each column is taken for: what the user told, by kind, or else a guess."""
    kind_of = _by_name(told, [column.name for column in columns])
    guesses = {
        column.name: _as_told(column, kind_of[column.name])
        if column.name in kind_of
        else guess_kind(column)
        for column in columns
    }
    if all(guess.kind in DROPPED for guess in guesses.values()):
        shown = "; ".join(f"{name}: {guess.why}" for name, guess in [*guesses.items()][:5])
        raise ValueError(
            f"X has {len(columns)} feature(s) and {len(columns[0].values)} sample(s), and no "
            f"column to learn from ({shown}). Name columns in text=, category= or number=."
        )
    return guesses


def _by_name(told: Told, names: list[str]) -> dict[str, str]:
    kind_of: dict[str, str] = {}
    for kind, given in told.items():
        for name in () if given is None else map(str, given):
            if name not in names:
                raise ValueError(
                    f"{kind} names the column {name!r}; X has {', '.join(names[:20])}."
                )
            if name in kind_of:
                raise ValueError(f"{kind} and {kind_of[name]} both name the column {name!r}.")
            kind_of[name] = kind
    return kind_of


def _as_told(column: Column, kind: str) -> Guess:
    """A guess made for us; what makes no sense for a column is refused."""
    why = f"named in {kind}="
    if kind in ("text", "category", "id"):
        return Guess(kind, why)
    if kind == "drop":
        return Guess("dropped", why)
    words = [word for word in column.words() if word is not None]
    shown = f", such as {words[0][:80]!r}" if words else ""
    if kind == "number":
        numbers = [word for word in words if not np.isnan(number_of(word))]
        if 2 * len(numbers) < len(words) or not words:
            raise ValueError(f"number names the column {column.name!r}, which holds none{shown}.")
        return Guess(kind, why)
    if column.values.dtype.kind == "M":
        return Guess(kind, why)
    notation = find_notation(list(dict.fromkeys(words)), 0.5)
    if notation is None:
        raise ValueError(f"date names the column {column.name!r}, which holds no dates{shown}.")
    return Guess(kind, f"{why}, written as {notation}", notation)


def guess_kind(column: Column) -> Guess:
    """Return what a column seems to hold.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.encode.columns import Column
    >>> from labelfield.encode.kinds import guess_kind
    >>> guess_kind(Column("when", np.array(["2024-03-01", "2024-04-07"], dtype=object)))
    Guess(kind='date', why='dates written as ISO 8601', notation='ISO 8601')
    """
    missing = column.missing()
    present = column.values[~missing]
    if len(present) == 0:
        return Guess("constant", "every cell is empty")
    if column.declared is not None:
        return Guess(column.declared, f"its type says {column.declared}")
    if column.values.dtype.kind == "f":
        return _guess_numbers(column.name, present, missing)
    if column.values.dtype.kind == "M":
        if not missing.any() and (present == present[0]).all():
            return Guess("constant", "every cell holds the same moment")
        return Guess("date", "its type says date")
    return _guess_words(column.name, Counter(present.tolist()), bool(missing.any()))


def number_of(word: str) -> float:
    """Return the number that a word is, NaN if it is none."""
    try:
        return np.nan if "_" in word else float(word)
    except ValueError:
        return np.nan


def _guess_numbers(name: str, present: np.ndarray, missing: np.ndarray) -> Guess:
    if not missing.any() and (present == present[0]).all():
        return Guess("constant", f"every cell holds {present[0]:g}")
    if _counts_rows(name, present, bool(missing.any())):
        return Guess("id", "whole numbers of which each occurs once, in order or named like an id")
    return Guess("number", "numbers")


def _counts_rows(name: str, present: np.ndarray, has_missing: bool) -> bool:
    if has_missing or len(present) < FEWEST_IDS or not np.isfinite(present).all():
        return False
    if (present != np.floor(present)).any():
        return False
    if _ID_NAME.search(name) and len(np.unique(present)) == len(present):
        return True
    return bool((np.diff(present) == 1).all())


def _guess_words(name: str, counts: Counter[str], has_missing: bool) -> Guess:
    words, total = list(counts), counts.total()
    if len(words) == 1 and not has_missing:
        return Guess("constant", "every cell holds the same text")
    if all(word.strip().lower() in BOOLEANS for word in words):
        return Guess("boolean", f"only {' and '.join(sorted(words)[:2])}")
    if _holds_numbers(counts):
        numbers = np.array([number_of(word) for word in counts.elements()])
        known = ~np.isnan(numbers)
        if known.all() and _counts_rows(name, numbers, has_missing):
            return Guess("id", "whole numbers of which each occurs once")
        if known.all():
            return Guess("number", "numbers")
        return Guess("number", f"numbers; {(~known).sum()} other cells count as missing")
    notation = find_notation(words, MOSTLY)
    if notation is not None:
        return Guess("date", f"dates written as {notation}", notation)
    return _guess_language(counts, total)


def _holds_numbers(counts: Counter[str]) -> bool:
    known = sum(count for word, count in counts.items() if not np.isnan(number_of(word)))
    return known >= MOSTLY * counts.total()


def _guess_language(counts: Counter[str], total: int) -> Guess:
    """Category, text or id, by how many values there are and how they are written."""
    n_values = len(counts)
    if n_values <= FEW_VALUES and 2 * n_values <= total:
        return Guess("category", f"{n_values} values")
    words_a_cell = sum(len(word.split()) * count for word, count in counts.items()) / total
    if words_a_cell >= TEXT_WORDS:
        return Guess("text", f"{words_a_cell:.0f} words a cell")
    single = sum(count for word, count in counts.items() if _ID_CELL.fullmatch(word.strip()))
    if n_values >= 0.9 * total >= 0.9 * FEWEST_IDS and single >= MOSTLY * total:
        return Guess("id", f"{n_values} different words in {total} cells")
    if 2 * n_values > total and single < MOSTLY * total:
        return Guess("text", f"{n_values} different values in {total} cells")
    return Guess("category", f"{n_values} values")
