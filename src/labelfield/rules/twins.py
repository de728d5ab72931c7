"""Labels that say nothing new: equal to another, or its opposite, in every set that keeps rules."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from labelfield._typing import BoolArray, IntArray, LabelArray
from labelfield.rules.rule import Rule

__all__ = ["Twins", "find_twins", "without_twins"]


class Twins(NamedTuple):
    """What every label follows: label l is label `source[l]`, or its opposite.

    source (L,) holds the first label of all that say the same, opposite (L,) who says the reverse.
    """

    source: IntArray
    opposite: BoolArray

    @property
    def labels(self) -> IntArray:
        """The labels that follow an earlier one."""
        return np.flatnonzero(self.source != np.arange(len(self.source)))


def find_twins(rules: Sequence[Rule], n_labels: int) -> Twins:
    """Return which labels follow from another one alone by rules about pairs of labels.

    "a is present" and "a is absent" are nodes, what follows from each is an arrow; statements that
    follow from each other in a circle are the same.

    Examples
    --------
    >>> from labelfield.rules import LabelRules
    >>> from labelfield.rules.twins import find_twins
    >>> names = ["flu", "influenza", "ill", "well"]
    >>> rules = LabelRules(names).implies("flu", "influenza").implies("influenza", "flu")
    >>> rules = rules.exactly_one("ill", "well")
    >>> twins = find_twins(rules.rules, 4)
    >>> twins.source.tolist(), twins.opposite.tolist()
    ([0, 0, 2, 2], [False, False, False, True])
    """
    arrows = np.array(list(_arrows(rules, n_labels)), dtype=np.intp).reshape(-1, 2)
    contrary = (arrows[:, ::-1] + n_labels) % (2 * n_labels)
    start, end = np.concatenate([arrows, contrary]).T
    shape = (2 * n_labels, 2 * n_labels)
    graph = sparse.csr_array((np.ones(len(start)), (start, end)), shape=shape)
    circle = csgraph.connected_components(graph, connection="strong")[1]
    label = np.arange(2 * n_labels) % n_labels
    first = np.full(circle.max() + 1, n_labels)
    np.minimum.at(first, circle, label)
    source = first[circle[:n_labels]]
    possible = circle[:n_labels] != circle[n_labels:]  # else the rules contradict each other
    source = np.where(possible, source, np.arange(n_labels))
    return Twins(source, circle[:n_labels] != circle[source])


def _arrows(rules: Sequence[Rule], n_labels: int) -> Iterator[tuple[int, int]]:
    """Yield (statement, what follows); statement n_labels + l is that label l is absent."""
    pairs = [rule for rule in rules if rule.given is None and len(rule.labels) == 2]
    needed = {label for rule in pairs if rule.low == 1 for label in rule.labels}
    for rule in rules:
        if rule.given is not None and (rule.adds_all or rule.bars_all):
            shift = 0 if rule.adds_all else n_labels
            yield from ((rule.given, label + shift) for label in rule.labels)
        elif rule.given is None and rule.high == 1:
            # only of labels of which one must be there can a circle come
            a_few = [label for label in rule.labels if label in needed]
            yield from ((a, b + n_labels) for a in a_few for b in a_few if a != b)
    for rule in pairs:
        if rule.low == 1:
            yield rule.labels[0] + n_labels, rule.labels[1]


def without_twins(twins: Twins, Y: LabelArray) -> LabelArray:
    """Return Y (n, L) as numbers, unknown (NaN) for labels that follow an earlier one.

    What they say of that one where it is unknown is kept.

    Examples
    --------
    >>> import numpy as np
    >>> from labelfield.rules.twins import Twins, without_twins
    >>> twins = Twins(np.array([0, 0]), np.array([False, True]))
    >>> without_twins(twins, np.array([[1.0, 0.0], [np.nan, 1.0]])).tolist()
    [[1.0, nan], [0.0, nan]]
    """
    if not len(twins.labels):
        return Y
    told = np.array(Y, dtype=float)
    for label in twins.labels:
        first = told[:, twins.source[label]]
        said = 1.0 - told[:, label] if twins.opposite[label] else told[:, label]
        told[:, twins.source[label]] = np.where(np.isnan(first), said, first)
        told[:, label] = np.nan
    return told
