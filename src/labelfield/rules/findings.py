"""What is found when rules meet data, or each other."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from labelfield._typing import BoolArray, IntArray
from labelfield.rules.logic import Logic, smallest_conflict
from labelfield.rules.rule import Rule

if TYPE_CHECKING:
    from labelfield.rules.label_rules import LabelRules

__all__ = ["Finding", "Violations", "review"]

SHOWN = 5


@dataclass(frozen=True)
class Violations:
    """Rows of label sets that break rules.

    Attributes
    ----------
    rows, rules : int arrays of shape (m,)
        Every pair of a row and a rule it breaks, by row.
    sentences : tuple of str
        The rules.
    n_rows : int
        Number of rows looked at.

    Examples
    --------
    >>> from labelfield import LabelRules
    >>> found = LabelRules(["flu", "fever"]).implies("flu", "fever").check([[1, 0], [1, 1]])
    >>> print(found)
    1 of 2 rows break a rule
    flu implies fever: 1 row, first row 0
    """

    rows: IntArray
    rules: IntArray
    sentences: tuple[str, ...]
    n_rows: int

    def __len__(self) -> int:
        """Return the number of rows that break a rule."""
        return len(np.unique(self.rows))

    @property
    def broken(self) -> BoolArray:
        """Which rows break a rule: (n,)."""
        return np.isin(np.arange(self.n_rows), self.rows)

    @property
    def counts(self) -> IntArray:
        """Number of rows that break each rule: (number of rules,)."""
        return np.bincount(self.rules, minlength=len(self.sentences))

    def __str__(self) -> str:
        lines = [f"{len(self)} of {self.n_rows} rows break a rule"]
        for rule in np.argsort(-self.counts, kind="stable"):
            if self.counts[rule]:
                rows = "row" if self.counts[rule] == 1 else "rows"
                first = self.rows[self.rules == rule][0]
                count = f"{self.counts[rule]} {rows}, first row {first}"
                lines.append(f"{self.sentences[rule]}: {count}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Finding:
    """Something odd about rules: a contradiction, a label that cannot occur, a rule to spare.

    Attributes
    ----------
    kind : {"contradiction", "never", "always", "redundant"}
    labels : tuple of str
        The labels concerned.
    rules : tuple of str
        The rules that say so; for "redundant" the rule to spare.

    Examples
    --------
    >>> from labelfield import LabelRules
    >>> rules = LabelRules(["flu", "fever"]).implies("flu", "fever").forbids("flu", "fever")
    >>> print(rules.review()[0])
    flu can never be present: flu implies fever; flu forbids fever
    """

    kind: str
    labels: tuple[str, ...]
    rules: tuple[str, ...]

    def __str__(self) -> str:
        because = "; ".join(self.rules[:SHOWN]) + (" ..." if len(self.rules) > SHOWN else "")
        if self.kind == "contradiction":
            return f"no label set keeps all rules: {because}"
        if self.kind == "redundant":
            return f"redundant, it follows from the others: {because}"
        return f"{self.labels[0]} can never be {ABSENT_OR_PRESENT[self.kind]}: {because}"


ABSENT_OR_PRESENT = {"never": "present", "always": "absent"}


def review(rules: "LabelRules") -> list[Finding]:
    """Return contradictions, labels that can never be present or absent, and redundant rules."""
    listed, logic = rules.rules, Logic(rules.rules)
    if not logic.possible({}):
        return [_conflict(rules, "contradiction", {})]
    findings = []
    for label in sorted({label for rule in listed for label in rule.scope}):
        for kind, value in (("never", 1), ("always", 0)):
            if not logic.possible({label: value}):
                findings.append(_conflict(rules, kind, {label: value}))
    for number, rule in enumerate(listed):
        if logic.follows(rule, without=number):
            findings.append(_finding(rules, "redundant", rule.scope, [rule]))
    return findings


def _conflict(rules: "LabelRules", kind: str, known: dict[int, int]) -> Finding:
    """Return a finding with the rules that contradict known labels."""
    guilty = [rules.rules[number] for number in smallest_conflict(rules.rules, known)]
    labels = tuple(known) or tuple(sorted({label for rule in guilty for label in rule.scope}))
    return _finding(rules, kind, labels, guilty)


def _finding(rules: "LabelRules", kind: str, labels: tuple[int, ...], shown: list[Rule]) -> Finding:
    names = rules.label_names
    named = tuple(names[label] for label in labels)
    return Finding(kind, named, tuple(rule.sentence(names) for rule in shown))
