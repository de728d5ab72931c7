"""Label sets given as lists of tags, [["rain", "fog"], [], ["snow"]], or as "rain;fog"."""

import reprlib
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from labelfield._gate.reading import column_names, is_missing

__all__ = ["holds_tags", "read_tags", "split_tags", "tags_as_sets"]

COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)
SEPARATORS = (";", "|", ",")  # that are seen without being told


def split_tags(
    values: Any, sep: str = ";", *, missing: Literal["empty", "unknown"] | None = None
) -> list[tuple[str, ...] | None]:
    """Split texts such as "rain; fog" into tags, which `fit` takes as label sets.

    Parameters
    ----------
    values : list, 1-d array or Series of n str
        Blanks around tags do not count, and neither do empty tags.
    sep : str, default=";"
    missing : {"empty", "unknown"}, optional
        What a missing entry (None, NaN) means: no tag, or that the tags are not known, which models
        that take NaN in Y can learn from. By default missing entries are refused.

    Returns
    -------
    tags : list of n tuples of str, None where the tags are not known

    Examples
    --------
    >>> from labelfield import split_tags
    >>> split_tags(["rain; fog", "", "snow"])
    [('rain', 'fog'), (), ('snow',)]
    """
    if not isinstance(sep, str) or not sep:
        raise ValueError(f"sep={sep!r} must be a text of at least one character.")
    if missing not in (None, "empty", "unknown"):
        raise ValueError(f"missing={missing!r} must be 'empty', 'unknown' or None.")
    tags: list[tuple[str, ...] | None] = []
    for row, text in enumerate(_as_list(values)):
        if _is_gap(text):
            if missing is None:
                raise ValueError(
                    f"values[{row}] is missing; say missing='empty' if that means no tag, or "
                    "missing='unknown' if the tags are not known."
                )
            tags.append(() if missing == "empty" else None)
            continue
        if not isinstance(text, str):
            raise ValueError(f"values[{row}] is {reprlib.repr(text)}; give texts to split.")
        tags.append(tuple(tag.strip() for tag in text.split(sep) if tag.strip()))
    return tags


def holds_tags(Y: Any, names: Sequence[str] = ()) -> bool:
    """Return whether `Y` is a list, 1-d array or Series of collections of texts, or of texts such
    as "rain;fog".

    Texts are tags if one of `SEPARATORS` occurs in them, or if they name known labels only.
    """
    if column_names(Y) is not None or getattr(Y, "ndim", 1) != 1:
        return False
    listed = isinstance(Y, (list, tuple)) or hasattr(Y, "to_list") or hasattr(Y, "to_pylist")
    if not listed and not (isinstance(Y, np.ndarray) and Y.dtype.kind in "OUT"):
        return False
    for row in _as_list(Y):
        if isinstance(row, COLLECTIONS) and len(row):
            return isinstance(next(iter(row)), str)
        if isinstance(row, str):
            texts = {text for text in _as_list(Y) if isinstance(text, str)}
            return bool(_separators(texts)) or {text.strip() for text in texts} <= {"", *names}
        if not (isinstance(row, COLLECTIONS) or _is_gap(row)):
            return False
    return False


def read_tags(Y: Any, name: str) -> tuple[np.ndarray, list[str]]:
    """Return tags as an indicator (n, L), NaN in rows that are not known, and their names."""
    rows = _rows_of_tags(Y, name)
    if rows and isinstance(_as_list(Y)[0], str) and len(set(_as_list(Y))) == 2:
        first, second = sorted(set(_as_list(Y)))
        raise ValueError(
            f"{name} holds two texts, {first!r} and {second!r}: two classes or tags? Give 0 and 1, "
            f"or labelfield.split_tags({name})."
        )
    names = sorted({tag for row in rows if not _is_gap(row) for tag in _checked(row, name)})
    if set(names) <= {"0", "1"}:
        raise ValueError(f"{name} holds 0 and 1 as text; give numbers, or tags of other names.")
    return _as_indicator(rows, names, name), names


def tags_as_sets(Y: Any, names: Sequence[str], name: str) -> np.ndarray:
    """Return tags as an indicator (n, L) of labels with given names."""
    return _as_indicator(_rows_of_tags(Y, name), names, name)


def _as_indicator(rows: list[Any], names: Sequence[str], name: str) -> np.ndarray:
    column = {label: j for j, label in enumerate(names)}
    ones = np.zeros((len(rows), len(names)), dtype=np.uint8)
    unknown = [i for i, row in enumerate(rows) if _is_gap(row)]
    for i, row in enumerate(rows):
        for tag in () if _is_gap(row) else _checked(row, name):
            if tag not in column:
                raise ValueError(
                    f"{name} holds the tag {tag!r}, which is none of the {len(names)} labels of "
                    "fit; leave it out."
                )
            ones[i, column[tag]] = 1
    if not unknown:
        return ones
    marks = ones.astype(np.float64)
    marks[unknown] = np.nan
    return marks


def _as_list(values: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):  # pyarrow, Series, arrays
        if hasattr(values, method):
            listed: list[Any] = getattr(values, method)()
            return listed
    return list(values)


def _separators(texts: set[str]) -> list[str]:
    return [sep for sep in SEPARATORS if any(sep in text for text in texts)]


def _rows_of_tags(Y: Any, name: str) -> list[Any]:
    """Return the collections of tags; texts are split by the one separator that they have."""
    rows = _as_list(Y)
    texts = {row for row in rows if isinstance(row, str)}
    if not texts or any(isinstance(row, COLLECTIONS) for row in rows):
        return rows
    found = _separators(texts)
    way_out = f"Say it with labelfield.split_tags({name}, sep=...)"
    if len(found) > 1:
        marks = " and ".join(repr(sep) for sep in found)
        raise ValueError(
            f"{name} holds texts with {marks}, of which one separates tags; {way_out}."
        )
    if any(_is_gap(row) for row in rows):
        raise ValueError(
            f"{name} holds texts and missing entries; say what those mean with "
            f"labelfield.split_tags({name}, missing='empty') or missing='unknown'."
        )
    return list(split_tags(rows, sep=found[0] if found else SEPARATORS[0]))


def _is_gap(row: Any) -> bool:
    return is_missing(row) or (isinstance(row, float) and np.isnan(row))


def _checked(row: Any, name: str) -> Any:
    """Return the tags of a row; refuse what is no collection of texts."""
    if not isinstance(row, COLLECTIONS):
        raise ValueError(f"{name} holds {reprlib.repr(row)} among lists of tags.")
    for tag in row:
        if not isinstance(tag, str) or not tag:
            raise ValueError(f"{name} holds the tag {tag!r}; tags are texts that are not empty.")
    return row
