"""Rules that a joint is asked to keep: checked, and refused with the rule at fault."""

from typing import TYPE_CHECKING

import numpy as np

from labelfield._namespaces import to_host
from labelfield._typing import FloatArray
from labelfield.rules import LabelRules

if TYPE_CHECKING:
    from labelfield.joints.base import Joint

__all__ = ["check_rules", "require_size", "where_impossible"]

LEAST = 1e-6  # probability of labels that were certain, in the product to fall back on


def check_rules(rules: object, n_labels: int) -> None:
    """Refuse what are no rules about as many labels."""
    if not isinstance(rules, LabelRules):
        raise ValueError(f"rules must be LabelRules, got {type(rules).__name__}.")
    if rules.n_labels != n_labels:
        raise ValueError(
            f"the rules are about {rules.n_labels} labels, the joint has {n_labels}; make "
            "LabelRules with the label names of the model."
        )


def where_impossible(
    fallback: str, joint: "Joint", rules: LabelRules, bound: "Joint", log_prob: FloatArray
) -> "Joint":
    """Return the joint given rules, mended in rows (n,) whose log p(rules) is -inf.

    Raise an error that names rules at fault, or take the product of the joint's marginals there,
    given the rules.
    """
    if fallback not in ("error", "product"):
        raise ValueError(f"fallback must be 'error' or 'product', got {fallback!r}.")
    impossible = to_host(log_prob) == -np.inf
    if not impossible.any():
        return bound
    joined = rules if joint.rules is None else joint.rules & rules
    joined.require_satisfiable()
    if fallback == "error":
        raise ValueError(_reason(joint, rules, int(impossible.argmax())))
    from labelfield.joints.independent import IndependentJoint
    from labelfield.joints.pooled import PooledJoint

    p = np.clip(to_host(joint.marginals()), LEAST, 1.0 - LEAST)
    product = IndependentJoint.from_probabilities(p).given_rules(joined)
    weights = np.stack([~impossible, impossible], axis=1).astype(float)
    return PooledJoint([bound.to_host(), product], weights, names=["joint", "product"])


def _reason(joint: "Joint", rules: LabelRules, row: int) -> str:
    broken = rules.check(to_host(joint.take(np.array([row])).mode()))
    told = f"; its best set breaks {broken.sentences[broken.rules[0]]!r}" if len(broken) else ""
    return (
        f"no set of any probability in row {row} keeps the rules{told}. Change the rules, use a "
        "model that gives every set some probability, or call given_rules with fallback='product'."
    )


def require_size(rules: LabelRules, min_size: int, max_size: int) -> None:
    """Refuse size bounds that no set with rules fits."""
    if not rules.between(min_size, max_size).satisfiable:
        raise ValueError(
            f"no set with between {min_size} and {max_size} labels keeps the rules; change the "
            "size bounds or the rules."
        )
