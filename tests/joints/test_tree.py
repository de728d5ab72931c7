"""Joints in a tree with given marginals."""

import numpy as np
import pytest

from labelfield.joints import IndependentJoint, tree_joint
from labelfield.rules import LabelRules

TREE = LabelRules.from_paths(["a", "a/b", "a/b/c", "a/d", "e"])
P = np.array([[0.9, 0.5, 0.2, 0.6, 0.3], [0.4, 0.7, 0.1, 0.2, 0.9], [0.0, 1.0, 0.5, 0.5, 1.0]])


def test_marginals_are_those_given_lowered_to_the_parents():
    joint = tree_joint(P, TREE)
    lowered = np.minimum(P, P[:, [0, 0, 0, 0, 4]])
    lowered[:, 2] = np.minimum(lowered[:, 2], lowered[:, 1])
    np.testing.assert_allclose(joint.marginals(), lowered, atol=1e-6)
    assert joint.rules == TREE
    assert TREE.keeps(joint.sample(20, 0)).all()


def test_children_are_independent_given_their_parent():
    joint = tree_joint(P[:1], TREE)
    pairs = joint.pair_marginals()[0]
    np.testing.assert_allclose(pairs[1, 3], 0.9 * (0.5 / 0.9) * (0.6 / 0.9), atol=1e-6)
    np.testing.assert_allclose(pairs[1, 4], 0.5 * 0.3, atol=1e-6)


def test_large_trees_keep_their_marginals():
    rng = np.random.default_rng(0)
    parents = np.array([-1, *(rng.random(299) * np.arange(1, 300)).astype(int)])
    rules = LabelRules.from_parents(range(300), parents)
    coherent = IndependentJoint(rng.normal(0, 2, (4, 300))).given_rules(rules).marginals()
    np.testing.assert_allclose(tree_joint(coherent, rules).marginals(), coherent, atol=1e-7)


WRONG = {
    "no tree": (P, LabelRules(list("abcde")).exclusive("a", "b"), "no rule of a tree"),
    "two parents": (P, LabelRules.from_csv(list("abcde"), "a,b\na,c\n"), "'a' has two parents"),
    "a circle": (P, LabelRules(list("abcde")).implies("a", "b").implies("b", "a"), "circle"),
    "other labels": (P[:, :2], TREE, "about 5 labels, the joint has 2"),
    "no probability": (P + 1.0, TREE, "must hold probabilities"),
}


@pytest.mark.parametrize(("P", "rules", "message"), WRONG.values(), ids=WRONG.keys())
def test_what_is_no_tree_is_refused(P, rules, message):
    with pytest.raises(ValueError, match=message):
        tree_joint(P, rules)
