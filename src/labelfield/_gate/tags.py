"""Label sets given as lists of tags, such as [["rain", "fog"], [], ["snow"]]."""

import reprlib
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from labelfield._gate.reading import column_names, is_missing

__all__ = ["holds_tags", "read_tags", "split_tags", "tags_as_sets"]

COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)


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


def holds_tags(Y: Any) -> bool:
    """Return whether `Y` is a list, 1-d array or Series of collections of texts."""
    if column_names(Y) is not None or getattr(Y, "ndim", 1) != 1:
        return False
    listed = isinstance(Y, (list, tuple)) or hasattr(Y, "to_list") or hasattr(Y, "to_pylist")
    if not listed and not (isinstance(Y, np.ndarray) and Y.dtype.kind == "O"):
        return False
    for row in _as_list(Y):
        if isinstance(row, COLLECTIONS) and len(row):
            return isinstance(next(iter(row)), str)
        if not (isinstance(row, COLLECTIONS) or _is_gap(row)):
            return False
    return False


def read_tags(Y: Any, name: str) -> tuple[np.ndarray, list[str]]:
    """Return tags as an indicator (n, L), NaN in rows that are not known, and their names."""
    rows = _as_list(Y)
    names = sorted({tag for row in rows if not _is_gap(row) for tag in _checked(row, name)})
    if set(names) <= {"0", "1"}:
        raise ValueError(f"{name} holds 0 and 1 as text; give numbers, or tags of other names.")
    return tags_as_sets(rows, names, name), names


def tags_as_sets(Y: Any, names: Sequence[str], name: str) -> np.ndarray:
    """Return tags as an indicator (n, L) of labels with given names."""
    rows = _as_list(Y)
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
