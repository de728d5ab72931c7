"""Rules that a joint is asked to keep: checked, and refused with the rule at fault."""

from typing import TYPE_CHECKING

import numpy as np

from labelfield._namespaces import row_numbers, to_host
from labelfield._typing import FloatArray
from labelfield.rules import LabelRules

if TYPE_CHECKING:
    from labelfield.joints.base import Joint

__all__ = ["check_rules", "refuse_impossible", "require_size"]


def check_rules(rules: object, n_labels: int) -> None:
    """Refuse what are no rules about as many labels."""
    if not isinstance(rules, LabelRules):
        raise ValueError(f"rules must be LabelRules, got {type(rules).__name__}.")
    if rules.n_labels != n_labels:
        raise ValueError(
            f"the rules are about {rules.n_labels} labels, the joint has {n_labels}; make "
            "LabelRules with the label names of the model."
        )


def refuse_impossible(joint: "Joint", rules: LabelRules, log_prob: FloatArray) -> None:
    """Raise an error where log p(rules) (n,) is -inf; it names rules at fault."""
    impossible = row_numbers(log_prob == -np.inf)
    if not len(impossible):
        return
    (rules if joint.rules is None else joint.rules & rules).require_satisfiable()
    row = int(impossible[0])
    broken = rules.check(to_host(joint.take(np.array([row])).mode()))
    told = f"; its best set breaks {broken.sentences[broken.rules[0]]!r}" if len(broken) else ""
    raise ValueError(
        f"no set of any probability in row {row} keeps the rules{told}. Change the rules or use a "
        "model that gives every set some probability."
    )


def require_size(rules: LabelRules, min_size: int, max_size: int) -> None:
    """Refuse size bounds that no set with rules fits."""
    if not rules.between(min_size, max_size).satisfiable:
        raise ValueError(
            f"no set with between {min_size} and {max_size} labels keeps the rules; change the "
            "size bounds or the rules."
        )
