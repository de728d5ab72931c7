"""What every part of the summary does with its arguments: read label sets, give plain numbers."""

import math
from collections.abc import Sequence
from typing import Any

from scipy import sparse

from labelfield._gate.indicator import read_indicator
from labelfield._typing import BoolArray

__all__ = ["number", "read_labels", "set_names"]


def read_labels(Y: Any, name: str) -> tuple[BoolArray, BoolArray]:
    """Return the ones of `Y` and its known entries, both dense (n, L); NaN is unknown."""
    ones, unknown = read_indicator(Y, name)
    if sparse.issparse(ones):
        ones, unknown = ones.toarray(), unknown.toarray()
    return ones, ~unknown


def set_names(chosen: BoolArray, names: Sequence[str]) -> list[str]:
    """Return the names of the labels in one set, chosen (L,)."""
    return [name for name, present in zip(names, chosen) if present]


def number(value: Any) -> float | None:
    """Return a plain float, None for NaN and infinity: what JSON can hold."""
    value = float(value)
    return value if math.isfinite(value) else None
