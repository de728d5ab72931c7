"""A joint inside a hierarchy that has given marginals."""

from typing import Any

import numpy as np

from labelfield._typing import FloatArray, IntArray
from labelfield.joints._parts.arrays import as_numbers
from labelfield.joints._parts.rules import check_rules
from labelfield.joints.ising import IsingJoint
from labelfield.kernels.sets.logspace import clipped_logit
from labelfield.rules import LabelRules

__all__ = ["tree_joint"]

LEAST = 1e-9


def tree_joint(P: Any, rules: LabelRules) -> IsingJoint:
    """Return the joint inside a tree of labels that has the marginals P.

    For probabilities that are right label by label, such as those of a forest or of binary
    relevance: `IndependentJoint.from_probabilities(P).given_rules(rules)` conditions a product in
    which a rare child pulls its parents down and counts their rarity twice; this joint keeps P.
    Given its parent a label depends on no other that is not below it.

    Parameters
    ----------
    P : (n, L) array
        Probabilities; those above the one of the label's parent are lowered to it.
    rules : LabelRules
        A hierarchy in which every label has one parent at most, such as
        `LabelRules.from_parents(names, parents)`.

    Returns
    -------
    IsingJoint
        With these rules: all its sets keep them.

    Examples
    --------
    >>> from labelfield import LabelRules
    >>> from labelfield.joints import tree_joint
    >>> tree = LabelRules.from_paths(["pet", "pet/dog", "pet/cat"])
    >>> joint = tree_joint([[0.6, 0.5, 0.7]], tree)
    >>> joint.marginals().round(3).tolist(), joint.mode().tolist()
    ([[0.6, 0.5, 0.6]], [[1, 1, 1]])
    """
    P = np.array(as_numbers(P, "P"), dtype=float)
    if P.ndim != 2 or not ((P >= 0.0) & (P <= 1.0)).all():
        raise ValueError(f"P must hold probabilities, shape (n, L), without NaN; got {P.shape}.")
    check_rules(rules, P.shape[1])
    parent = _parents_in(rules)
    P = np.clip(P, LEAST, 1.0 - LEAST)
    order = _top_down(parent)
    for label in order[parent[order] >= 0]:
        P[:, label] = np.minimum(P[:, label], (1.0 - LEAST) * P[:, parent[label]])
    return IsingJoint.given_only(_scores(P, parent), rules)


def _scores(P: FloatArray, parent: IntArray) -> FloatArray:
    """Return the log-odds of labels given their parents, less what their children add: (n, L).

    A present label weighs exp(score) times 1 + exp(log-odds) for each of its children.
    """
    below = np.flatnonzero(parent >= 0)
    share = P.copy()
    share[:, below] /= P[:, parent[below]]
    log_odds = clipped_logit(share)
    scores = log_odds.copy()
    for label in below:
        scores[:, parent[label]] -= np.logaddexp(0.0, log_odds[:, label])
    return scores


def _parents_in(rules: LabelRules) -> IntArray:
    """Return the number of each label's parent, -1 at the top: (L,)."""
    parent = np.full(rules.n_labels, -1)
    for rule in rules:
        if rule.given is None or not rule.adds_all or len(rule.labels) > 1:
            sentence = rule.sentence(rules.label_names)
            raise ValueError(f"{sentence!r} is no rule of a tree; use joint.given_rules(rules).")
        if parent[rule.given] >= 0:
            name = rules.label_names[rule.given]
            raise ValueError(f"{name!r} has two parents; use joint.given_rules(rules).")
        parent[rule.given] = rule.labels[0]
    return parent


def _top_down(parent: IntArray) -> IntArray:
    """Return the labels, those above before those below."""
    depth, above = np.zeros(len(parent), dtype=np.intp), parent
    for _ in range(len(parent)):
        if (above < 0).all():
            return np.argsort(depth, kind="stable")
        depth += above >= 0
        above = np.where(above >= 0, parent[above], -1)
    raise ValueError("labels imply each other in a circle, which is no tree.")
