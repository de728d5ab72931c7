"""Why a field of coupled labels holds a label set: each label's own part and that of others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelfield.joints._arrays import as_sets
from labelfield.joints.ising import IsingJoint

__all__ = ["LabelReason", "SetExplanation", "explain_set"]


@dataclass(frozen=True)
class LabelReason:
    """What speaks for one label beside the other labels of the set.

    Attributes
    ----------
    label : str
    present : bool
        Whether the set holds it.
    own : float
        Its log-odds by the features alone.
    others : list of (str, float)
        What the labels of the set add, largest first; two that act together are joined by " + ".

    Examples
    --------
    >>> from labelfield.joints import LabelReason
    >>> LabelReason("beach", True, -0.5, [("sea", 2.0)]).log_odds
    1.5
    """

    label: str
    present: bool
    own: float
    others: list[tuple[str, float]]

    @property
    def log_odds(self) -> float:
        """Log-odds of the label given the rest of the set: `own` and all of `others`."""
        return self.own + sum(weight for _, weight in self.others)


@dataclass(frozen=True)
class SetExplanation:
    """Why a label set was chosen.

    Attributes
    ----------
    labels : tuple of str
        The set.
    score : float
        Its log-probability up to a constant of the row.
    reasons : list of LabelReason
        Every label, those of the set first, each group by the size of its log-odds.

    Examples
    --------
    >>> from labelfield import IsingJoint
    >>> from labelfield.joints import explain_set
    >>> joint = IsingJoint([[2.0, -0.5, -1.0]], edges=[(0, 1)], coupling=[3.0])
    >>> why = explain_set(joint, names=["sea", "beach", "snow"])
    >>> why.labels, why.score
    (('sea', 'beach'), 4.5)
    >>> print(why)
    sea + beach
    + sea      5.00 =  2.00 alone  +3.00 beach
    + beach    2.50 = -0.50 alone  +3.00 sea
    - snow    -1.00 = -1.00 alone
    """

    labels: tuple[str, ...]
    score: float
    reasons: list[LabelReason]

    def __str__(self) -> str:
        width = max(len(reason.label) for reason in self.reasons)
        lines = [" + ".join(self.labels) or "no label"]
        for reason in self.reasons:
            added = "".join(f"  {weight:+.2f} {name}" for name, weight in reason.others)
            mark = "+" if reason.present else "-"
            name = reason.label.ljust(width)
            lines.append(f"{mark} {name} {reason.log_odds:7.2f} = {reason.own:5.2f} alone{added}")
        return "\n".join(lines)


def explain_set(
    joint: IsingJoint, row: int = 0, *, labels: Any = None, names: Sequence[str] | None = None
) -> SetExplanation:
    """Explain a label set of one row by its unary terms and couplings.

    Parameters
    ----------
    joint : IsingJoint
        What `predict_joint` of a label field returns.
    row : int, default=0
    labels : (L,) array of 0 and 1, optional
        The set to explain; the most probable one if not given.
    names : sequence of L str, optional
        Names of the labels, such as `model.label_names_`.

    Returns
    -------
    SetExplanation

    Examples
    --------
    Why is "beach" not in the set?

    >>> from labelfield import IsingJoint
    >>> from labelfield.joints import explain_set
    >>> joint = IsingJoint([[2.0, -0.5]], edges=[(0, 1)], coupling=[-3.0])
    >>> explain_set(joint, names=["snow", "beach"]).reasons[1].others
    [('snow', -3.0)]
    """
    if not hasattr(joint, "coupling") or not hasattr(joint, "graph"):
        raise ValueError(
            f"explain_set reads the couplings of an IsingJoint; got a {type(joint).__name__}. "
            'Fit a label field with objective="pseudo" or "exact".'
        )
    if not 0 <= row < len(joint):
        raise ValueError(f"row must be from 0 to {len(joint) - 1}; got {row}.")
    one = joint.take(np.array([row]))
    present = one.mode()[0] if labels is None else as_sets(labels, "labels")
    if present.shape != (joint.n_labels,):
        raise ValueError(f"labels must be {joint.n_labels} numbers 0 or 1, got {labels!r}.")
    named = [f"y{k}" for k in range(joint.n_labels)] if names is None else [str(n) for n in names]
    if len(named) != joint.n_labels:
        raise ValueError(f"names must be {joint.n_labels} names, got {len(named)}.")
    weights = np.broadcast_to(one.coupling, (1, one.graph.n_cliques))[0]
    others: list[list[tuple[str, float]]] = [[] for _ in named]
    for clique, weight in zip(one.graph.cliques, weights):
        for label in clique:
            rest = [other for other in clique if other != label]
            if weight and present[rest].all():
                others[label].append((" + ".join(named[k] for k in rest), float(weight)))
    reasons = [
        LabelReason(
            named[k],
            bool(present[k]),
            float(one.unary[0, k]),
            sorted(others[k], key=lambda pair: -abs(pair[1])),
        )
        for k in range(joint.n_labels)
    ]
    reasons.sort(key=lambda reason: (not reason.present, -reason.log_odds))
    chosen = tuple(name for name, chosen in zip(named, present) if chosen)
    return SetExplanation(chosen, float(one.log_score(present[None])[0]), reasons)
