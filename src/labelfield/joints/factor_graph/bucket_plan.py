"""The order in which the labels of a field are eliminated, laid out for the compiled loops."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from labelfield import kernels
from labelfield._typing import IntArray
from labelfield.joints.factor_graph.elimination import min_fill
from labelfield.joints.factor_graph.factor_graph import FactorGraph

if TYPE_CHECKING:
    from labelfield.kernels.fields.max_elimination import BucketPlan

__all__ = ["MAX_WIDTH", "elimination_width", "plan_buckets"]

MAX_WIDTH = 19  # labels beside the eliminated one: a table of 2^19 scores


def elimination_width(n_labels: int, cliques: Any) -> int:
    """Return over how many labels the largest table of an elimination runs, L if over too many."""
    around = [len(neighbours) for _, neighbours in _steps(n_labels, cliques)]
    return max(around, default=n_labels)


def plan_buckets(n_labels: int, terms: Sequence[tuple[int, ...]]) -> "BucketPlan":
    """Return the BucketPlan for terms: tuples of one, two or three labels, the L single ones first.

    Examples
    --------
    >>> from labelfield.joints.factor_graph.bucket_plan import plan_buckets
    >>> plan = plan_buckets(3, [(0,), (1,), (2,), (0, 1), (1, 2)])
    >>> plan.order.tolist(), plan.scope.tolist()
    ([0, 1, 2], [1, 2])
    """
    steps = _steps(n_labels, [term for term in terms if len(term) > 1])
    if not steps:
        raise ValueError(
            "The graph couples labels so tightly that exact inference takes tables over more than "
            f"{MAX_WIDTH} labels. Give a sparser graph, such as a tree."
        )
    order = [label for label, _ in steps]
    place = np.argsort(order)
    scopes = [sorted(around, key=place.__getitem__) for _, around in steps]
    pair_term = [np.full(len(scope), -1) for scope in scopes]
    triples: list[list[tuple[int, ...]]] = [[] for _ in order]
    for number, term in enumerate(terms):
        label, *others = sorted(term, key=place.__getitem__)
        b = place[label]
        positions = [scopes[b].index(other) for other in others]
        if len(others) == 1:
            pair_term[b][positions[0]] = number
        elif len(others) == 2:
            triples[b].append((*positions, number))
    links: list[list[int]] = [[] for _ in order]
    for b, scope in enumerate(scopes):
        if scope:
            links[place[scope[0]]].append(b)
    projects = [
        _project(scopes[b], scopes[child][1:]) for b in range(n_labels) for child in links[b]
    ]
    plan: BucketPlan = kernels.fields.max_elimination.BucketPlan(
        order=np.array(order),
        scope_start=_starts(map(len, scopes)),
        scope=_flat(scopes),
        pair_term=_flat(pair_term),
        triple_start=_starts(map(len, triples)),
        triple=_flat(triples).reshape(-1, 3),
        table_start=_starts(2 ** len(scope) for scope in scopes),
        link_start=_starts(map(len, links)),
        link=_flat(links),
        project_start=_starts(map(len, projects)),
        project=_flat(projects),
    )
    return plan


def _steps(n_labels: int, cliques: Any) -> list[tuple[int, set[int]]]:
    """Return labels in order of elimination with their neighbours then, nothing if too many."""
    return min_fill(*FactorGraph(n_labels, cliques).neighbours, MAX_WIDTH)


def _project(scope: list[int], kept: list[int]) -> IntArray:
    """Return the number of the state of `kept` within every state of `scope`."""
    states = np.arange(2 ** len(scope))
    numbers = np.zeros(len(states), dtype=np.intp)
    for label in kept:
        digit = len(scope) - 1 - scope.index(label)
        numbers = 2 * numbers + (states >> digit & 1)
    return numbers


def _starts(sizes: Iterable[int]) -> IntArray:
    return np.cumsum([0, *sizes])


def _flat(parts: Iterable[Iterable[Any]]) -> IntArray:
    return np.array([entry for part in parts for entry in part], dtype=np.intp)
