"""Hierarchical measures against their definitions, row by row."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from labelfield.metrics import (
    average_prc_area,
    hierarchical_f1,
    hierarchical_precision,
    hierarchical_recall,
    rule_violations,
)
from labelfield.rules import LabelRules

PARENTS = {"b": ["a"], "c": ["a"], "d": ["b", "e"], "f": ["e"]}
NAMES = list("abcdef")
RULES = LabelRules.from_parents(NAMES, PARENTS)


def with_ancestors(y):
    found, waiting = set(), [NAMES[k] for k in np.flatnonzero(y)]
    while waiting:
        label = waiting.pop()
        found.add(label)
        waiting += PARENTS.get(label, [])
    return found


def test_sets_are_compared_with_their_ancestors():
    rng = np.random.default_rng(0)
    T, P = rng.random((2, 40, 6)) < 0.2
    pairs = [(with_ancestors(t), with_ancestors(p)) for t, p in zip(T, P)]
    hits = sum(len(t & p) for t, p in pairs)
    n_true, n_pred = (sum(len(pair[k]) for pair in pairs) for k in (0, 1))
    assert hierarchical_precision(T, P, RULES) == pytest.approx(hits / n_pred)
    assert hierarchical_recall(T, P, RULES) == pytest.approx(hits / n_true)
    assert hierarchical_f1(T, P, RULES) == pytest.approx(2 * hits / (n_true + n_pred))
    f1 = [2 * len(t & p) / (len(t) + len(p)) if t or p else 1.0 for t, p in pairs]
    assert hierarchical_f1(T, P, RULES, average="samples") == pytest.approx(np.mean(f1))


def test_the_area_pools_all_pairs_of_rows_and_classes():
    rng = np.random.default_rng(0)
    Y, P = rng.random((30, 6)) < 0.3, np.round(rng.random((30, 6)), 1)
    expected = average_precision_score(Y.ravel(), P.ravel())
    assert average_prc_area(Y, P) == pytest.approx(expected)


def test_violations_are_a_share_of_rows():
    assert rule_violations([[0, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0]], RULES) == 0.5
    with pytest.raises(ValueError, match="2 labels, the rules are about 6"):
        rule_violations([[0, 1]], RULES)
