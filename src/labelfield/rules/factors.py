"""Rules as small tables over labels and hidden counters, for sums and maxima over sets."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from labelfield._typing import BoolArray, IntArray
from labelfield.rules.rule import Rule

__all__ = ["Factors", "Table", "factors_of"]

MAX_DIRECT = 4  # labels of a rule that is written as one table


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
    rank = _ranks(rules, n_labels)
    tables: list[Table] = []
    n_variables = n_labels
    for rule in rules:
        if rule.given is not None and (rule.adds_all or rule.bars_all):
            tables += [_pair(rule.given, label, rule.adds_all) for label in rule.labels]
        elif len(rule.scope) <= MAX_DIRECT:
            tables.append(_direct(rule))
        else:
            chain, n_variables = _counted(rule, rank, n_variables)
            tables += chain
    return Factors(n_variables - n_labels, tables)


def _pair(given: int, label: int, wanted: bool) -> Table:
    """Return that `label` is present (`wanted`), or absent, where `given` is present."""
    return Table((given, label), np.array([True, True, not wanted, wanted]))


def _direct(rule: Rule) -> Table:
    bits = _bits(np.arange(2 ** len(rule.scope)), len(rule.scope))
    given = bits[:, 0] == 1 if rule.given is not None else np.ones(len(bits), dtype=bool)
    count = bits[:, -len(rule.labels) :].sum(axis=1)
    return Table(rule.scope, ~given | ((count >= rule.low) & (count <= rule.high)))


def _counted(rule: Rule, rank: dict[int, int], n_variables: int) -> tuple[list[Table], int]:
    """Return tables that count the labels one after the other, and the variables now in use.

    The count so far is a number in binary; counts beyond what matters are all the same. It takes
    2 log2(count) + 1 variables a table, whatever the number of labels.
    """
    labels = sorted(rule.labels, key=rank.__getitem__)
    upper = rule.high < len(labels)
    cap = rule.high + 1 if upper else rule.low
    width = max(1, cap.bit_length())
    tables: list[Table] = []
    before: tuple[int, ...] = ()
    for label in labels[:-1]:
        after = tuple(range(n_variables, n_variables + width))
        n_variables += width
        bits = _bits(np.arange(2 ** (len(before) + 1 + width)), len(before) + 1 + width)
        count = _number(bits[:, : len(before)]) + bits[:, len(before)]
        reached = np.minimum(count, cap)
        allowed = (_number(bits[:, : len(before)]) <= cap) & (_number(bits[:, -width:]) == reached)
        if upper and rule.given is None:
            allowed &= reached <= rule.high
        tables.append(Table((*before, label, *after), allowed))
        before = after
    given = () if rule.given is None else (rule.given,)
    bits = _bits(np.arange(2 ** (width + 1 + len(given))), width + 1 + len(given))
    count = np.minimum(_number(bits[:, :width]) + bits[:, width], cap)
    kept = (count >= rule.low) & ((count <= rule.high) | (not upper))
    if given:
        kept |= bits[:, -1] == 0
    tables.append(Table((*before, labels[-1], *given), kept))
    return tables, n_variables


def _ranks(rules: Sequence[Rule], n_labels: int) -> dict[int, int]:
    """Number labels such that those below one another in a hierarchy follow each other.

    Counters that walk along a hierarchy share few labels with the rest of it.
    """
    below: dict[int, list[int]] = {}
    has_parent = set()
    for rule in rules:
        if rule.given is not None and rule.adds_all:
            has_parent.add(rule.given)
            for label in rule.labels:
                below.setdefault(label, []).append(rule.given)
    rank: dict[int, int] = {}
    tops = [label for label in range(n_labels) if label not in has_parent]
    stack = [*range(n_labels - 1, -1, -1), *reversed(tops)]
    while stack:
        label = stack.pop()
        if label not in rank:
            rank[label] = len(rank)
            stack += reversed(below.get(label, []))
    return rank


def _bits(numbers: IntArray, width: int) -> IntArray:
    return (numbers[:, None] >> np.arange(width - 1, -1, -1)) & 1


def _number(bits: IntArray) -> IntArray:
    digits: IntArray = 1 << np.arange(bits.shape[1] - 1, -1, -1)
    return np.asarray(bits @ digits)
