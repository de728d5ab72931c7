"""One rule between labels, and how it reads as a sentence."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Rule", "quoted"]

# Words of the sentences below: a name that holds one of them stands in quotes.
WORDS = re.compile(
    r"\b(implies|forbids|needs one of|exclude each other|given)\b|"
    r"^(exactly|at most|at least|between)\b|[,\"#]|\s\s|^\s|\s$|^$"
)


@dataclass(frozen=True)
class Rule:
    """Where `given` is present, between `low` and `high` of `labels` are present.

    Every kind of rule has this form: "a implies b" is at least one of {b} given a, exclusive labels
    are at most one of them. Labels are numbered.

    Attributes
    ----------
    labels : tuple of int
        Ascending, all different.
    low, high : int, int
        0 <= low <= high <= number of labels.
    given : int or None
        None for a rule that always holds.

    Examples
    --------
    >>> from labelfield.rules import Rule
    >>> Rule((1, 2), 1, 1, given=0).sentence(["fever", "mild", "severe"])
    'exactly 1 of mild, severe given fever'
    """

    labels: tuple[int, ...]
    low: int
    high: int
    given: int | None = None

    @property
    def scope(self) -> tuple[int, ...]:
        """All labels the rule is about."""
        return self.labels if self.given is None else (self.given, *self.labels)

    @property
    def adds_all(self) -> bool:
        """Whether all `labels` must be present."""
        return self.low == len(self.labels)

    @property
    def bars_all(self) -> bool:
        """Whether none of `labels` may be present."""
        return self.high == 0

    def moved(self, place: Sequence[int]) -> "Rule":
        """Return the rule about labels whose numbers are now `place[number]`."""
        given = None if self.given is None else place[self.given]
        labels = tuple(sorted(place[label] for label in self.labels))
        return Rule(labels, self.low, self.high, given)

    def to_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the rule as plain data with names of labels."""
        listed = [names[label] for label in self.labels]
        stored: dict[str, Any] = {"labels": listed, "low": self.low, "high": self.high}
        return stored if self.given is None else {**stored, "given": names[self.given]}

    def sentence(self, names: Sequence[str]) -> str:
        """Return the rule as a line that `LabelRules.from_text` reads."""
        listed = ", ".join(quoted(names[label]) for label in self.labels)
        if self.given is None:
            if (self.low, self.high) == (0, 1):
                return f"{listed} exclude each other"
            return f"{self._amount()} of {listed}"
        given = quoted(names[self.given])
        if self.adds_all:
            return f"{given} implies {listed}"
        if self.bars_all:
            return f"{given} forbids {listed}"
        if self.low == 1 and self.high == len(self.labels):
            return f"{given} needs one of {listed}"
        return f"{self._amount()} of {listed} given {given}"

    def _amount(self) -> str:
        if self.low == self.high:
            return f"exactly {self.low}"
        if self.high == len(self.labels):
            return f"at least {self.low}"
        if self.low == 0:
            return f"at most {self.high}"
        return f"between {self.low} and {self.high}"


def quoted(name: str) -> str:
    """Return a name as it stands in a sentence: in double quotes where it could be misread."""
    if name.isprintable() and not WORDS.search(name):
        return name
    return json.dumps(name, ensure_ascii=not name.isprintable())
