"""Which sets break which rules, many at once."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse

from labelfield._typing import BoolArray, IntArray
from labelfield.rules.rule import Rule

__all__ = ["RuleCounts", "with_implied"]

BLOCK_CELLS = 2**24


class RuleCounts:
    """R rules about L labels as arrays: who is counted, and how many there may be."""

    def __init__(self, rules: Sequence[Rule], n_labels: int) -> None:
        rows = np.repeat(np.arange(len(rules)), [len(rule.labels) for rule in rules])
        labels = [label for rule in rules for label in rule.labels]
        shape = (len(rules), n_labels)
        self._member = sparse.csr_array((np.ones(len(labels), np.int32), (rows, labels)), shape)
        self._low = np.array([[rule.low] for rule in rules], dtype=np.int32)
        self._high = np.array([[rule.high] for rule in rules], dtype=np.int32)
        given = [-1 if rule.given is None else rule.given for rule in rules]
        self._given = np.array(given, dtype=np.intp)

    def broken(self, present: BoolArray, possible: BoolArray) -> Iterator[tuple[slice, BoolArray]]:
        """Walk over rows: a slice, and which rules (R, rows) they break however completed.

        present (n, L) are labels known to be there, possible (n, L) those that may be.
        """
        n_rules, n_labels = self._member.shape
        if n_rules == 0:
            return
        step = max(1, BLOCK_CELLS // (n_rules + n_labels))
        for start in range(0, len(present), step):
            rows = slice(start, min(start + step, len(present)))
            there = present[rows].T
            count = most = self._member @ there.astype(np.int32)
            if possible is not present:
                most = self._member @ possible[rows].T.astype(np.int32)
            broken = (count > self._high) | (most < self._low)
            broken &= (self._given < 0)[:, None] | there[self._given]
            yield rows, broken

    def broken_pairs(self, present: BoolArray, possible: BoolArray) -> tuple[IntArray, IntArray]:
        """Return rows and rules (m,), (m,): every rule that a row breaks, by row."""
        none = np.empty(0, dtype=np.intp)
        pairs = [(none, none)]
        for rows, broken in self.broken(present, possible):
            row, rule = np.nonzero(broken.T)
            pairs.append((rows.start + row, rule))
        return np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs])

    def kept(self, sets: BoolArray) -> BoolArray:
        """Return which sets (n, L) break no rule: (n,)."""
        answer = np.ones(len(sets), dtype=bool)
        for rows, broken in self.broken(sets, sets):
            answer[rows] = ~broken.any(axis=0)
        return answer


def with_implied(rules: Sequence[Rule], present: BoolArray) -> BoolArray:
    """Return sets (n, L) with all labels that the present ones imply."""
    closed = present.copy()
    adding = [rule for rule in rules if rule.adds_all]
    while True:
        before = int(closed.sum())
        for rule in adding:
            where = slice(None) if rule.given is None else closed[:, rule.given]
            for label in rule.labels:
                closed[where, label] = True
        if int(closed.sum()) == before:
            return closed
