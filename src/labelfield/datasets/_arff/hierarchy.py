"""Hierarchical attributes of ARFF files: classes are paths, rows have sets of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labelfield._exceptions import DataFormatError

__all__ = ["Hierarchy"]


@dataclass(frozen=True)
class Hierarchy:
    """The classes of a hierarchical attribute, and the sets of them that rows have.

    To the scan it is a nominal attribute whose values, such as 01/03@20/01, are not known yet: each
    new one gets the next code.

    Attributes
    ----------
    paths : tuple of str
        All classes, those above a declared one too, in order of appearance.
    values, codes : as of a nominal attribute
        A sparse row that leaves the attribute out has no class.
    """

    paths: tuple[str, ...]
    values: tuple[str, ...]
    codes: dict[str, float]

    @classmethod
    def declared(cls, listed: str) -> "Hierarchy":
        """Read the declaration: paths such as 01,01/03,01/03/02."""
        paths = [path.strip(" \t") for path in listed.split(",")]
        if not all(all(path.split("/")) for path in paths):
            raise DataFormatError("a hierarchical attribute lists paths such as 01,01/03,01/03/02")
        steps = {path.count("/") for path in paths}
        children = {path.partition("/")[2] for path in paths}
        if steps == {1} and any(path.partition("/")[0] in children for path in paths):
            raise DataFormatError(
                "the hierarchical attribute lists pairs parent/child, no paths; read the labels "
                "yourself and give the pairs to LabelRules.from_parents"
            )
        found = {above: None for path in paths for above in _upwards(path)}
        return cls(tuple(found), ("",), {"": 0.0})

    @property
    def shown(self) -> tuple[str, ...]:
        """What values are made of, for messages."""
        return self.paths

    def code_of(self, text: str) -> float | None:
        """Return the code of a set of classes, None if one of them is not declared."""
        if text not in self.codes and self._known.issuperset(_names(text)):
            self.codes[text] = float(len(self.codes))
        return self.codes.get(text)

    def labels(self, codes: np.ndarray, chosen: Sequence[str]) -> np.ndarray:
        """Return which of the chosen classes (n, L) rows with these codes have.

        A row has all classes above its own. NaN where the code is NaN.
        """
        column = {path: k for k, path in enumerate(chosen)}
        sets = np.zeros((len(self.codes), len(column)), dtype=np.uint8)
        for text, code in self.codes.items():
            wanted = [column.get(above) for name in _names(text) for above in _upwards(name)]
            sets[int(code), [k for k in wanted if k is not None]] = 1
        unknown = np.isnan(codes)
        Y = sets[np.where(unknown, 0.0, codes).astype(np.intp)]
        return np.where(unknown[:, None], np.nan, Y) if unknown.any() else Y

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.paths)


def _names(text: str) -> list[str]:
    return [name.strip(" \t") for name in text.split("@")] if text else []


def _upwards(path: str) -> list[str]:
    """Return a path and all it begins with, the shortest first."""
    steps = path.split("/")
    return ["/".join(steps[: k + 1]) for k in range(len(steps))]
