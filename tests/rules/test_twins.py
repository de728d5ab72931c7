"""Labels that equal another, or are its opposite: found, and not learned a second time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from labelfield import (
    BinaryRelevance,
    ClassifierChain,
    LabelRules,
    ProbabilisticClassifierChain,
)
from labelfield.datasets import make_multilabel
from labelfield.kernels.sets.bits import all_sets
from labelfield.rules import Rule
from labelfield.rules.twins import find_twins
from strategies import generators, random_rule

DATA = make_multilabel(n_samples=120, n_features=4, n_labels=3, random_state=0)
NAMES = ["a", "b", "c", "same", "not a"]
RULES = (
    LabelRules(NAMES)
    .implies("same", "b")
    .implies("b", "same")
    .exactly_one("a", "not a")
    .implies("c", "b")
)
SMALL = LabelRules(NAMES[:3]).implies("c", "b")


def all_labels(Y):
    return np.column_stack([Y, Y[:, 1], 1 - Y[:, 0]])


def random_pair_rule(rng, L):
    a, b = rng.choice(L, 2, replace=False).tolist()
    labels = tuple(sorted((a, b)))
    kinds = [Rule((b,), 1, 1, a), Rule((b,), 0, 0, a), Rule(labels, 0, 1), Rule(labels, 1, 1)]
    return [*kinds, Rule(labels, 1, 2)][rng.integers(5)]


@settings(max_examples=150, deadline=None)
@given(rng=generators, L=st.integers(2, 6), pairs=st.booleans())
def test_twins_are_those_of_the_list_of_all_sets(rng, L, pairs):
    draw = random_pair_rule if pairs else random_rule
    rules = [draw(rng, L) for _ in range(2 * L)]
    kept = all_sets(L)[LabelRules([f"y{k}" for k in range(L)], rules).keeps(all_sets(L))]
    source, opposite = find_twins(rules, L)
    if not len(kept):
        return
    np.testing.assert_array_equal(kept, kept[:, source] ^ opposite)
    varying = [k for k in range(L) if kept[:, k].min() < kept[:, k].max()]
    for k in varying if pairs else ():
        same = [j for j in varying if len(np.unique(kept[:, j] ^ kept[:, k])) == 1]
        assert source[k] == same[0]


@pytest.mark.parametrize(
    "model",
    [
        BinaryRelevance(alpha=0.1),
        BinaryRelevance(LogisticRegression()),
        ClassifierChain(alpha=0.1),
        ProbabilisticClassifierChain(alpha=0.1),
    ],
    ids=lambda model: str(model),
)
def test_answers_are_those_of_a_model_that_never_saw_the_twins(model):
    X, Y = DATA.X, SMALL.closure(DATA.Y)
    small = clone(model).set_params(rules=SMALL).fit(X, Y)
    names = LabelRules([f"y{k}" for k in range(5)], RULES.rules)
    full = clone(model).set_params(rules=names).fit(X, all_labels(Y))
    P = small.predict_proba(X)
    expected = np.column_stack([P, P[:, 1], 1.0 - P[:, 0]])
    np.testing.assert_allclose(full.predict_proba(X), expected, atol=1e-5)
    sets = small.predict_joint(X).mode()
    np.testing.assert_array_equal(full.predict_joint(X).mode(), all_labels(sets))


def test_a_twin_tells_what_is_unknown_of_its_source_and_kept_rows_are_learned_as_they_are():
    X, Y = DATA.X, all_labels(SMALL.closure(DATA.Y)).astype(float)
    rules = LabelRules([f"y{k}" for k in range(5)], RULES.rules)
    whole = BinaryRelevance(alpha=0.1, rules=rules).fit(X, Y)
    holes = Y.copy()
    holes[::2, 1], holes[1::2, 0] = np.nan, np.nan
    told = BinaryRelevance(alpha=0.1, rules=rules).fit(X, holes)
    np.testing.assert_allclose(told.coef_, whole.coef_)
    assert not whole.coef_[3:].any()
    assert not whole.intercept_[3:].any()
    kept = BinaryRelevance(alpha=0.1, rules=rules, on_violation="keep").fit(X, Y)
    assert kept.coef_[3:].any()
