"""Why a label set: each label's own part and that of others, or the members of a pool."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelfield._typing import LabelArray
from labelfield.joints._parts.arrays import as_sets
from labelfield.joints.ising import IsingJoint
from labelfield.joints.pooled import PooledJoint

__all__ = ["LabelReason", "MemberShare", "PoolExplanation", "SetExplanation", "explain_set"]


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


@dataclass(frozen=True)
class MemberShare:
    """What one member of a pool says about a set.

    Attributes
    ----------
    name : str
    weight : float
        Of the member in the pool.
    probability : float
        That the member gives to the set.
    share : float
        Part of the pool's probability of the set that the member carries.

    Examples
    --------
    >>> from labelfield.joints import MemberShare
    >>> MemberShare("trees", 0.5, 0.9, 0.75).share
    0.75
    """

    name: str
    weight: float
    probability: float
    share: float


@dataclass(frozen=True)
class PoolExplanation:
    """Which members of a pool a label set comes from.

    Attributes
    ----------
    labels : tuple of str
        The set.
    probability : float
    members : list of MemberShare
        The members with the largest share first.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.joints import IndependentJoint, PooledJoint, SupportJoint, explain_set
    >>> product = IndependentJoint.from_probabilities([[0.7, 0.6]])
    >>> seen = SupportJoint([[1, 0], [0, 1]], np.log([[0.9, 0.1]]))
    >>> pool = PooledJoint([product, seen], [0.5, 0.5], names=["product", "seen sets"])
    >>> print(explain_set(pool, names=["sea", "beach"]))
    sea, probability 0.590
      76 %  seen sets  (weight 0.50, probability 0.900)
      24 %  product    (weight 0.50, probability 0.280)
    """

    labels: tuple[str, ...]
    probability: float
    members: list[MemberShare]

    def __str__(self) -> str:
        width = max(len(member.name) for member in self.members)
        lines = [f"{' + '.join(self.labels) or 'no label'}, probability {self.probability:.3f}"]
        lines += [
            f"{100 * m.share:4.0f} %  {m.name.ljust(width)}  "
            f"(weight {m.weight:.2f}, probability {m.probability:.3f})"
            for m in self.members
        ]
        return "\n".join(lines)


def explain_set(
    joint: IsingJoint | PooledJoint,
    row: int = 0,
    *,
    labels: Any = None,
    names: Sequence[str] | None = None,
) -> SetExplanation | PoolExplanation:
    """Explain a label set of one row.

    Parameters
    ----------
    joint : IsingJoint or PooledJoint
        What `predict_joint` returns: a field is explained by its unary terms and couplings, a pool
        by the members that carry the set.
    row : int, default=0
    labels : (L,) array of 0 and 1, optional
        The set to explain; the most probable one if not given.
    names : sequence of L str, optional
        Names of the labels, such as `model.label_names_`.

    Returns
    -------
    SetExplanation or PoolExplanation

    Examples
    --------
    Why is "beach" not in the set?

    >>> from labelfield import IsingJoint
    >>> from labelfield.joints import explain_set
    >>> joint = IsingJoint([[2.0, -0.5]], edges=[(0, 1)], coupling=[-3.0])
    >>> explain_set(joint, names=["snow", "beach"]).reasons[1].others
    [('snow', -3.0)]
    """
    explain = next((e for kind, e in EXPLAINED.items() if isinstance(joint, kind)), None)
    if explain is None:
        raise ValueError(
            "explain_set reads the couplings of an IsingJoint or the members of a PooledJoint; got "
            f'a {type(joint).__name__}. Fit a label field with objective="pseudo" or "exact".'
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
    return explain(one, present, named)


def _explain_field(one: IsingJoint, present: LabelArray, named: list[str]) -> SetExplanation:
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
        for k in range(one.n_labels)
    ]
    reasons.sort(key=lambda reason: (not reason.present, -reason.log_odds))
    score = float(one.log_score(present[None])[0])
    return SetExplanation(_chosen(present, named), score, reasons)


def _explain_pool(one: PooledJoint, present: LabelArray, named: list[str]) -> PoolExplanation:
    shares = one.member_shares(present[None])[0]
    members = [
        MemberShare(
            name,
            float(np.exp(one.log_weights[0, m])),
            float(np.exp(joint.log_prob(present[None])[0])),
            float(shares[m]),
        )
        for m, (name, joint) in enumerate(zip(one.names, one.joints))
    ]
    members.sort(key=lambda member: -member.share)
    probability = float(np.exp(one.log_prob(present[None])[0]))
    return PoolExplanation(_chosen(present, named), probability, members)


def _chosen(present: LabelArray, named: list[str]) -> tuple[str, ...]:
    return tuple(name for name, chosen in zip(named, present) if chosen)


EXPLAINED: dict[type, Callable[..., SetExplanation | PoolExplanation]] = {
    IsingJoint: _explain_field,
    PooledJoint: _explain_pool,
}
