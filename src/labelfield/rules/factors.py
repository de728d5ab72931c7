"""Rules as small tables over labels and hidden counters, for sums and maxima over sets."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from labelfield._typing import BoolArray, IntArray
from labelfield.rules.rule import Rule

__all__ = ["Factors", "Table", "factors_of"]

MAX_DIRECT = 4  # labels of a rule that is written as one table
PRESENT = np.array([True, True, False, True])  # the second is present where the first is
ABSENT = np.array([True, True, True, False])


class Table(NamedTuple):
    """Which configurations of some variables are allowed.

    allowed (2^m,) is numbered in binary, the first variable the highest digit.
    """

    scope: tuple[int, ...]
    allowed: BoolArray


class Factors(NamedTuple):
    """Tables over the labels 0..L-1 and hidden variables L, L + 1, ...

    Hidden variables are counters: every set that keeps the rules fixes all of them.
    """

    n_hidden: int
    tables: list[Table]


def factors_of(rules: Sequence[Rule], n_labels: int) -> Factors:
    """Return tables that are all satisfied by exactly the sets that keep the rules."""
    forest = _forest(rules, n_labels)
    tables: list[Table] = []
    n_variables = n_labels
    for rule in rules:
        if rule.given is not None and (rule.adds_all or rule.bars_all):
            tables += [_pair(rule.given, label, rule.adds_all) for label in rule.labels]
        elif len(rule.scope) <= MAX_DIRECT:
            tables.append(_direct(rule))
        else:
            counter = _Counter(rule, n_variables)
            tables += counter.count(forest)
            n_variables = counter.n_variables
    return Factors(n_variables - n_labels, tables)


def _pair(given: int, label: int, wanted: bool) -> Table:
    """Return that `label` is present (`wanted`), or absent, where `given` is present."""
    return Table((given, label), PRESENT if wanted else ABSENT)


def _direct(rule: Rule) -> Table:
    bits = _bits(len(rule.scope))
    given = bits[:, 0] == 1 if rule.given is not None else np.ones(len(bits), dtype=bool)
    count = bits[:, -len(rule.labels) :].sum(axis=1)
    return Table(rule.scope, ~given | ((count >= rule.low) & (count <= rule.high)))


class _Counter:
    """Counts the labels of a rule by hidden variables.

    A count is a number in binary, capped where more does not matter. Labels are added up along
    their hierarchy, every subtree by itself, so that counts and hierarchy share few labels: a table
    takes three counts, whatever the number of labels.
    """

    def __init__(self, rule: Rule, n_variables: int) -> None:
        self.rule, self.n_variables = rule, n_variables
        self._upper = rule.high < len(rule.labels)
        self._cap = rule.high + 1 if self._upper else rule.low
        self._tables: list[Table] = []

    def count(self, forest: "_Forest") -> list[Table]:
        """Return the tables of the counters, and of what the last of them may say."""
        inside = set(self.rule.labels)
        counts: dict[int, _Count] = {}
        total = None
        for label in sorted(inside, key=forest.rank.__getitem__, reverse=True):
            own = _Count((label,), 1)
            count = self._add(own, counts.pop(label)) if label in counts else own
            above = forest.parent.get(label)
            if above in inside:
                counts[above] = self._add(counts[above], count) if above in counts else count
            else:
                total = count if total is None else self._add(total, count)
        assert total is not None
        return [*self._tables, self._last(total)]

    def _add(self, first: "_Count", second: "_Count") -> "_Count":
        """Return the sum of two counts, a new hidden number."""
        highest = min(first.highest + second.highest, self._cap)
        strict = self._upper and self.rule.given is None  # too many are impossible at once
        highest = min(highest, self.rule.high) if strict else highest
        width = max(1, highest.bit_length())
        variables = tuple(range(self.n_variables, self.n_variables + width))
        self.n_variables += width
        ends = np.cumsum([len(first.variables), len(second.variables)])
        bits = _bits(ends[1] + width)
        a, b, c = (_number(part) for part in np.split(bits, ends, axis=1))
        reached = a + b if strict else np.minimum(a + b, self._cap)
        allowed = (a <= first.highest) & (b <= second.highest) & (c == reached) & (c <= highest)
        self._tables.append(Table((*first.variables, *second.variables, *variables), allowed))
        return _Count(variables, highest)

    def _last(self, total: "_Count") -> Table:
        """Return which totals the rule allows."""
        given = () if self.rule.given is None else (self.rule.given,)
        bits = _bits(len(total.variables) + len(given))
        count = _number(bits[:, : len(total.variables)])
        kept = (count >= self.rule.low) & ((count <= self.rule.high) | (not self._upper))
        if given:
            kept |= bits[:, -1] == 0
        return Table((*total.variables, *given), kept)


class _Count(NamedTuple):
    """A number in binary, its highest digit first, and how high it can be."""

    variables: tuple[int, ...]
    highest: int


class _Forest(NamedTuple):
    """Labels numbered such that those below one another follow each other, and one parent each."""

    rank: dict[int, int]
    parent: dict[int, int]


def _forest(rules: Sequence[Rule], n_labels: int) -> _Forest:
    """Return the hierarchy that the implications are, as far as it is a forest."""
    below: dict[int, list[int]] = {}
    has_parent = set()
    for rule in rules:
        if rule.given is not None and rule.adds_all:
            has_parent.add(rule.given)
            for label in rule.labels:
                below.setdefault(label, []).append(rule.given)
    rank: dict[int, int] = {}
    parent: dict[int, int] = {}
    tops = [label for label in range(n_labels) if label not in has_parent]
    stack = [(label, -1) for label in [*range(n_labels - 1, -1, -1), *reversed(tops)]]
    while stack:
        label, above = stack.pop()
        if label not in rank:
            rank[label] = len(rank)
            if above >= 0:
                parent[label] = above
            stack += [(child, label) for child in reversed(below.get(label, []))]
    return _Forest(rank, parent)


def _bits(width: int) -> IntArray:
    """Return all numbers of so many digits, the highest first: (2^width, width)."""
    return (np.arange(2**width)[:, None] >> np.arange(width - 1, -1, -1)) & 1


def _number(bits: IntArray) -> IntArray:
    digits: IntArray = 1 << np.arange(bits.shape[1] - 1, -1, -1)
    return np.asarray(bits @ digits)
