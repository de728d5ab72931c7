"""Rules that label sets never break, although they would if labels were independent."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.rules.rule import Rule

__all__ = ["Suggestion", "suggested_rules"]

SURPRISE = 5.0  # rows that would break a rule if labels were independent: chance is exp(-5) below
MAX_PARTS = 12  # labels among which groups that cover another label are looked for
MAX_GROUPS = 8


@dataclass(frozen=True)
class Suggestion:
    """A rule that no row breaks.

    Attributes
    ----------
    sentence : str
    count : int
        Rows that the rule says something about: those with the label that implies, or with any of
        the labels that exclude each other.
    expected : float
        Rows that would break it if labels were independent.
    rule : Rule

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield import LabelRules
    >>> Y = np.repeat([[1, 1], [0, 1], [0, 0]], 20, axis=0)
    >>> for found in LabelRules(["flu", "fever"]).suggest(Y):
    ...     print(found)
    flu implies fever (20 rows, 6.7 expected to break it)
    """

    sentence: str
    count: int
    expected: float
    rule: Rule

    def __str__(self) -> str:
        return f"{self.sentence} ({self.count} rows, {self.expected:.1f} expected to break it)"


def suggested_rules(Y: LabelArray, min_count: int) -> list[tuple[Rule, int, float]]:
    """Return rules, the rows each is about, and how many would break it by chance."""
    counts = Y.sum(axis=0, dtype=np.intp)
    both = Y.T.astype(np.float64) @ Y
    share = counts / max(len(Y), 1)
    frequent = (counts >= min_count) & (counts < len(Y))
    implied = (both == counts[:, None]) & (counts[:, None] * (1.0 - share) >= SURPRISE)
    implied &= frequent[:, None] & frequent[None]
    np.fill_diagonal(implied, False)
    apart = (both == 0) & (counts[:, None] * share >= SURPRISE) & frequent[:, None] & frequent
    np.fill_diagonal(apart, False)
    found = []
    for a, b in zip(*np.nonzero(_direct(implied))):
        found.append((Rule((int(b),), 1, 1, int(a)), int(counts[a]), counts[a] * (1.0 - share[b])))
    grouped, covers = _covers(Y, counts, implied, apart)
    found += covers
    found += _exclusions(counts, share, _own(apart, implied) & ~grouped)
    return found


def _direct(implied: BoolArray) -> BoolArray:
    """Return implications that do not follow from two others; of equal labels all are kept."""
    strict = implied & ~implied.T
    through = (strict.astype(np.float64) @ strict) > 0.0
    return implied & ~through


def _own(apart: BoolArray, implied: BoolArray) -> BoolArray:
    """Return exclusions that do not follow from those of implied labels."""
    above = implied & ~implied.T
    inherited = (above.astype(np.float64) @ apart) > 0.0
    return apart & ~(inherited | inherited.T)


def _covers(
    Y: LabelArray, counts: IntArray, implied: BoolArray, apart: BoolArray
) -> tuple[BoolArray, list[tuple[Rule, int, float]]]:
    """Return groups of which exactly one, or at least one, goes with a label they imply.

    And which pairs of labels such groups keep apart.
    """
    grouped = np.zeros_like(apart)
    found = []
    for top in range(len(counts)):
        parts = np.flatnonzero(implied[:, top] & ~implied[top])
        if not 2 <= len(parts) <= MAX_PARTS:
            continue
        groups = _partitions(parts, counts, apart, int(counts[top]))
        for group in groups:
            rule = Rule(tuple(sorted(group)), 1, 1, top)
            found.append((rule, int(counts[top]), _expected_off(Y, rule, top)))
            for a, b in combinations(group, 2):
                grouped[a, b] = grouped[b, a] = True
        left = [int(part) for part in parts if not any(part in group for group in groups)]
        lowest = [p for p in left if not any(implied[p, q] for q in left if q != p)]
        if len(lowest) > 1 and Y[:, lowest].any(axis=1).sum() == counts[top]:
            rule = Rule(tuple(lowest), 1, len(lowest), top)
            found.append((rule, int(counts[top]), _expected_off(Y, rule, top)))
    return grouped, found


def _partitions(parts: IntArray, counts: IntArray, apart: BoolArray, total: int) -> list[list[int]]:
    """Return groups of at least two parts that exclude each other and sum up to the total."""
    answer: list[list[int]] = []
    stack: list[tuple[list[int], int, int]] = [([], 0, 0)]
    while stack and len(answer) < MAX_GROUPS:
        group, at, covered = stack.pop()
        if covered == total and len(group) > 1:
            answer.append(group)
            continue
        if at == len(parts):
            continue
        part = int(parts[at])
        stack.append((group, at + 1, covered))
        if covered + counts[part] <= total and all(apart[part, other] for other in group):
            stack.append(([*group, part], at + 1, covered + int(counts[part])))
    return answer


def _expected_off(Y: LabelArray, rule: Rule, top: int) -> float:
    """Return in how many rows of `top` its group would be off if its labels were independent."""
    rows = Y[Y[:, top] == 1][:, rule.labels]
    p = rows.mean(axis=0)
    none = np.prod(1.0 - p)
    one = sum(p[i] * np.prod(np.delete(1.0 - p, i)) for i in range(len(p)))
    kept = one if rule.high == 1 else 1.0 - none
    return float(len(rows) * (1.0 - kept))


def _exclusions(
    counts: IntArray, share: FloatArray, apart: BoolArray
) -> list[tuple[Rule, int, float]]:
    """Return groups of labels that exclude each other, every pair in one of them, large first."""
    left, found = apart.copy(), []
    while left.any():
        first, second = np.unravel_index(np.argmax(left), left.shape)
        group = [int(first), int(second)]
        for label in np.argsort(-left.sum(axis=1), kind="stable"):
            if label not in group and apart[label, group].all():
                group.append(int(label))
        for a, b in combinations(group, 2):
            left[a, b] = left[b, a] = False
        expected = sum(counts[a] * share[b] for a, b in combinations(group, 2))
        found.append((Rule(tuple(sorted(group)), 0, 1), int(counts[group].sum()), float(expected)))
    return found
