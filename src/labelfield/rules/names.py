"""Names of labels: a list of them, and what to say of one that is not there."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from labelfield._names import visible

__all__ = ["checked_names", "unknown_label"]

SHOWN = 10


def checked_names(label_names: Any) -> tuple[str, ...]:
    """Return the names as text; refuse one text, none at all, or one twice."""
    if isinstance(label_names, str):
        raise ValueError(f"label_names must list the labels, got the text {label_names!r}.")
    names = tuple(str(name) for name in label_names)
    if not names:
        raise ValueError("label_names is empty; rules need labels.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"label_names holds {twice!r} twice; names must differ.")
    return names


def unknown_label(name: Any, names: Sequence[str]) -> ValueError:
    """Return the error for a name that no label has, with the nearest names."""
    near = get_close_matches(str(name), names, n=3)
    more = ", ..." if len(names) > SHOWN else ""
    known = f"the labels are {', '.join(map(visible, names[:SHOWN]))}{more}."
    hint = f"did you mean {', '.join(map(repr, near))}?" if near else known
    return ValueError(f"there is no label {visible(str(name))!r}; {hint}")
