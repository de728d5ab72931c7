"""Why a label set: what speaks for each label, which parts carry the set, what else it might be."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

import numpy as np

from labelfield._typing import FloatArray, LabelArray
from labelfield.joints._parts.arrays import as_count, as_sets
from labelfield.joints._parts.terms import Term, label_terms, set_parts
from labelfield.joints.base import Joint
from labelfield.kernels.sets.logspace import logsumexp
from labelfield.rules import LabelRules

__all__ = ["LabelReason", "PartShare", "RivalSet", "SetExplanation", "explain_set"]

SHOWN = 5  # terms, features and absent labels that are printed
LEVEL = 1e-6  # of the largest feature: less is no difference between two


@dataclass(frozen=True)
class LabelReason:
    """What speaks for one label beside the other labels of the set.

    Attributes
    ----------
    label : str
    present : bool
        Whether the set holds it.
    own : float
        Its log-odds without the other labels: by the features alone, or those of its marginal.
    others : list of (str, float)
        What the labels of the set, hidden units and evidence add, largest first; two labels that
        act together are joined by " + ".
    features : list of (str, float)
        What `own` is made of where it is linear in the features; else empty.
    rules : list of str
        Rules that the set would break if this label alone were changed.

    Examples
    --------
    >>> from labelfield.joints import LabelReason
    >>> LabelReason("beach", True, -0.5, [("sea", 2.0)]).log_odds
    1.5
    """

    label: str
    present: bool
    own: float
    others: list[Term]
    features: list[Term] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)

    @property
    def by_rule(self) -> bool:
        """Whether a rule decided, against the label's log-odds or beyond them."""
        sure = np.isfinite(self.log_odds) and (self.log_odds > 0.0) == self.present
        return bool(self.rules) and not sure

    @property
    def log_odds(self) -> float:
        """Log-odds of the label given the rest of the set: `own` and all of `others`."""
        return self.own + sum(weight for _, weight in self.others)


@dataclass(frozen=True)
class PartShare:
    """What one component of a mixture or one member of a pool says about a set.

    Attributes
    ----------
    name : str
    weight : float
        Of the part in the mixture.
    probability : float
        That the part gives to the set.
    share : float
        Of the set's probability that comes from the part: weight times probability, normalised.

    Examples
    --------
    >>> from labelfield.joints import PartShare
    >>> PartShare("trees", 0.5, 0.9, 0.75).share
    0.75
    """

    name: str
    weight: float
    probability: float
    share: float


@dataclass(frozen=True)
class RivalSet:
    """Another label set of the same row, one of the most probable.

    Attributes
    ----------
    labels : tuple of str
    added, removed : tuple of str
        How it differs from the set that is explained.
    log_ratio : float
        Log of how much more probable it is than that set.

    Examples
    --------
    >>> from labelfield.joints import RivalSet
    >>> RivalSet(("sea",), (), ("beach",), -1.2).removed
    ('beach',)
    """

    labels: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    log_ratio: float


@dataclass(frozen=True, repr=False)
class SetExplanation:
    """Why a label set was chosen; printed, it reads as text.

    Attributes
    ----------
    labels : tuple of str
        The set.
    score : float
        Its log-probability up to a constant of the row.
    probability : float or None
        None where only ratios of probabilities are known.
    reasons : list of LabelReason
        Every label, those of the set first, each group by the size of its log-odds.
    parts : list of PartShare
        Components of a mixture or members of a pool, the largest share first; else empty.
    rivals : list of RivalSet
        The most probable other sets.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.joints import IndependentJoint, PooledJoint, SupportJoint, explain_set
    >>> product = IndependentJoint.from_probabilities([[0.7, 0.6]])
    >>> seen = SupportJoint([[1, 0], [0, 1]], np.log([[0.9, 0.1]]))
    >>> pool = PooledJoint([product, seen], [0.5, 0.5], names=["product", "seen sets"])
    >>> explain_set(pool, names=["sea", "beach"])
    sea, probability 0.590
    + sea      2.29 =  1.39 alone  +0.90 the other labels
    - beach   -1.03 = -0.62 alone  -0.41 the other labels
    from
       76 % seen sets (weight 0.50, probability 0.900)
       24 % product (weight 0.50, probability 0.280)
    rather than
      sea + beach: 0.36 times as probable (with beach)
      beach: 0.24 times as probable (with beach, without sea)
      no label: 0.10 times as probable (without sea)
    """

    labels: tuple[str, ...]
    score: float
    probability: float | None
    reasons: list[LabelReason]
    parts: list[PartShare]
    rivals: list[RivalSet]

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain dictionaries, lists, strings and numbers."""
        answer = asdict(self)
        for plain, reason in zip(answer["reasons"], self.reasons):
            plain["log_odds"] = reason.log_odds
        return answer

    def __repr__(self) -> str:
        known = "" if self.probability is None else f", probability {self.probability:.3f}"
        lines = [_joined(self.labels) + known, *self._reason_lines()]
        if self.parts:
            lines += ["from", *map(_part_line, self.parts[:SHOWN])]
        if self.rivals:
            lines += ["rather than", *map(_rival_line, self.rivals)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"

    def _reason_lines(self) -> list[str]:
        shown = self.reasons[: len(self.labels) + SHOWN]
        width = max(len(reason.label) for reason in shown)
        lines = []
        for reason in shown:
            mark, name = "+" if reason.present else "-", reason.label.ljust(width)
            start = f"{mark} {name} {reason.log_odds:7.2f} = {reason.own:5.2f} alone"
            decided = f"  by the rule: {'; '.join(reason.rules)}" if reason.by_rule else ""
            lines.append(start + _as_sum(reason.others) + decided)
            if reason.features:
                lines.append(f"{'':{width}}   alone:{_as_sum(reason.features, SHOWN + 2)}")
        n_left = len(self.reasons) - len(shown)
        return [*lines, f"  and {n_left} more that are absent"] if n_left else lines


def _joined(labels: Sequence[str]) -> str:
    return " + ".join(labels) or "no label"


def _as_sum(terms: list[Term], n_shown: int = SHOWN) -> str:
    shown = "".join(f"  {weight:+.2f} {name}" for name, weight in terms[:n_shown])
    rest = terms[n_shown:]
    return shown + (f"  {sum(weight for _, weight in rest):+.2f} {len(rest)} more" if rest else "")


def _part_line(part: PartShare) -> str:
    given = f"(weight {part.weight:.2f}, probability {part.probability:.3f})"
    return f"  {100 * part.share:3.0f} % {part.name} {given}"


def _rival_line(rival: RivalSet) -> str:
    changes = [f"with {name}" for name in rival.added]
    changes += [f"without {name}" for name in rival.removed]
    ratio = f"{np.exp(rival.log_ratio):.2f} times as probable"
    return f"  {_joined(rival.labels)}: {ratio} ({', '.join(changes)})"


def explain_set(
    joint: Joint,
    row: int = 0,
    *,
    labels: Any = None,
    names: Sequence[str] | None = None,
    n_rivals: int = 3,
    features: tuple[FloatArray, FloatArray, Sequence[str]] | None = None,
) -> SetExplanation:
    """Explain a label set of one row of any joint.

    Parameters
    ----------
    joint : Joint
        What `predict_joint` returns. Fields are explained by their unary terms and couplings,
        chains by what earlier labels add to a label and what it changes for later ones, machines
        by their hidden units, mixtures and pools by the parts that carry the set.
    row : int, default=0
    labels : (L,) array of 0 and 1, optional
        The set to explain; the most probable one if not given.
    names : sequence of L str, optional
        Names of the labels, such as `model.label_names_`.
    n_rivals : int, default=3
        How many of the other sets to name.
    features : (weights (L, d), values (d,), names), optional
        Where the labels' own log-odds are linear in the features of the row.

    Returns
    -------
    SetExplanation

    See Also
    --------
    JointClassifier.explain : the same for a fitted model, down to the features.

    Examples
    --------
    >>> from labelfield import IsingJoint
    >>> from labelfield.joints import explain_set
    >>> joint = IsingJoint([[2.0, -0.5, -1.0]], edges=[(0, 1)], coupling=[3.0])
    >>> explain_set(joint, names=["sea", "beach", "snow"], n_rivals=1)
    sea + beach, probability 0.665
    + sea      5.00 =  2.00 alone  +3.00 beach
    + beach    2.50 = -0.50 alone  +3.00 sea
    - snow    -1.00 = -1.00 alone
    rather than
      sea + beach + snow: 0.37 times as probable (with snow)
    """
    if not 0 <= row < len(joint):
        raise ValueError(f"row must be from 0 to {len(joint) - 1}; got {row}.")
    one = joint.take(np.array([row]))
    present = one.mode()[0] if labels is None else as_sets(labels, "labels")
    if present.shape != (joint.n_labels,):
        raise ValueError(f"labels must be {joint.n_labels} numbers 0 or 1, got {labels!r}.")
    named = [f"y{k}" for k in range(joint.n_labels)] if names is None else [str(n) for n in names]
    if len(named) != joint.n_labels:
        raise ValueError(f"names must be {joint.n_labels} names, got {len(named)}.")
    return SetExplanation(
        labels=_chosen(present, named),
        score=float(one.log_score(present[None])[0]),
        probability=float(np.exp(one.log_prob(present[None])[0])) if one.normalized else None,
        reasons=_reasons(one, present, named, features),
        parts=_shares(*set_parts(one, present)),
        rivals=_rivals(one, present, named, as_count(n_rivals, "n_rivals", 0)),
    )


def _reasons(
    one: Joint,
    present: LabelArray,
    named: list[str],
    features: tuple[FloatArray, FloatArray, Sequence[str]] | None,
) -> list[LabelReason]:
    own, others = label_terms(one, present, named)
    binding = [[] for _ in named] if one.rules is None else _binding(one.rules, present, named)
    reasons = []
    for k, label in enumerate(named):
        linear = []
        if features is not None:
            weights, values, columns = features
            linear = _feature_terms(float(own[k]), weights[k] * values, columns)
        terms = sorted(others[k], key=lambda term: -abs(term[1]))
        there = bool(present[k])
        reasons.append(LabelReason(label, there, float(own[k]), terms, linear, binding[k]))
    return sorted(reasons, key=lambda reason: (not reason.present, -reason.log_odds))


def _binding(rules: LabelRules, present: LabelArray, named: list[str]) -> list[list[str]]:
    """Return for every label the rules that the set breaks once that label alone is changed."""
    found = rules.check(present ^ np.eye(len(named), dtype=np.uint8))
    already = set(rules.check(present[None]).rules.tolist())
    binding: list[list[str]] = [[] for _ in named]
    for label, rule in zip(found.rows, found.rules.tolist()):
        if rule not in already:
            binding[label].append(rules.rules[rule].sentence(named))
    return binding


def _feature_terms(own: float, added: FloatArray, columns: Sequence[str]) -> list[Term]:
    """Return what the largest features, all others and the constant add up to `own`."""
    total, sizes = float(added.sum()), np.abs(added)
    grain = LEVEL * max(float(sizes.max(initial=0.0)), 1e-300)  # columns that say the same tie
    best = np.argsort(-np.round(sizes / grain), kind="stable")[:SHOWN]
    terms = [(str(columns[j]), float(added[j])) for j in best if added[j]]
    if len(added) > SHOWN:
        terms.append(("other features", total - float(added[best].sum())))
    return [*terms, ("constant", own - total)]


def _shares(names: list[str], log_weights: FloatArray, log_probs: FloatArray) -> list[PartShare]:
    if not names:
        return []
    carried: FloatArray = log_weights + log_probs
    if np.isneginf(carried).all():  # an impossible set
        carried = log_weights
    shares = np.exp(carried - logsumexp(carried, axis=0))
    numbers = zip(names, np.exp(log_weights), np.exp(log_probs), shares)
    parts = [PartShare(name, float(w), float(p), float(share)) for name, w, p, share in numbers]
    return sorted(parts, key=lambda part: -part.share)


def _rivals(one: Joint, present: LabelArray, named: list[str], n_rivals: int) -> list[RivalSet]:
    sets = one.top_k(n_rivals + 1)[0]
    score, *scores = one.log_score(np.concatenate([present[None, None], sets], axis=1))[0]
    possible = (sets[0] != present).any(axis=1) & np.isfinite(scores)
    chosen = np.flatnonzero(possible)[:n_rivals]
    return [
        RivalSet(
            _chosen(other, named),
            _chosen(other & ~present & 1, named),
            _chosen(present & ~other & 1, named),
            float(other_score - score),
        )
        for other, other_score in zip(sets[0, chosen], np.take(scores, chosen))
    ]


def _chosen(present: LabelArray, named: list[str]) -> tuple[str, ...]:
    return tuple(name for name, chosen in zip(named, present) if chosen)
