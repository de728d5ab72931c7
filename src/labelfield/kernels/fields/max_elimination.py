"""The best label set of a field on a sparse graph, by elimination of one label after the other.

Labels are signs, -1 and +1; the score of a set is a sum of weights times products of one, two or
three signs ("terms"; the first L are the labels themselves).
"""

from typing import NamedTuple

import numpy as np

from labelfield._compile import compiled
from labelfield._typing import FloatArray, IntArray
from labelfield.kernels.fields.enumeration import fill_scores

__all__ = ["BucketPlan", "Workspace", "best_sets", "best_signs", "make_workspace"]


class BucketPlan(NamedTuple):
    """Which labels to eliminate in which order, and which terms and tables they bring along.

    Bucket b eliminates label `order[b]`; its scope are the neighbours eliminated later, sooner ones
    first. What it leaves is a table over its scope, which goes to the bucket of the scope's first
    label; `project` maps every state of that bucket's scope to a place in the table.
    """

    order: IntArray  # (L,)
    scope_start: IntArray  # (L + 1,)
    scope: IntArray  # labels
    pair_term: IntArray  # term of the eliminated label and each of the scope, -1 for none
    triple_start: IntArray  # (L + 1,)
    triple: IntArray  # (R, 3): two places in the scope, and the term
    table_start: IntArray  # (L + 1,)
    link_start: IntArray  # (L + 1,)
    link: IntArray  # buckets whose tables arrive here
    project_start: IntArray  # one per link
    project: IntArray


class Workspace(NamedTuple):
    """Room for one elimination."""

    linear: FloatArray
    quadratic: FloatArray
    gain: FloatArray
    up: FloatArray
    down: FloatArray
    tables: FloatArray
    choice: IntArray


@compiled
def make_workspace(plan: BucketPlan) -> Workspace:
    """Return the room that a plan needs."""
    width = np.max(np.diff(plan.scope_start))
    size = 1 << width
    return Workspace(
        np.zeros(width),
        np.zeros((width, width)),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(plan.table_start[-1]),
        np.empty(plan.table_start[-1], dtype=np.int8),
    )


@compiled
def _fill_bucket(plan: BucketPlan, b: int, weights: FloatArray, room: Workspace) -> None:
    """Fill `up` and `down` with what label `order[b]` adds at +1 and -1, per state of its scope."""
    first, last = plan.scope_start[b], plan.scope_start[b + 1]
    width = last - first
    size = 1 << width
    base = weights[plan.order[b]]
    for j in range(width):
        term = plan.pair_term[first + j]
        weight = weights[term] if term >= 0 else 0.0
        room.linear[j] = 2.0 * weight
        base -= weight
    for t in range(plan.triple_start[b], plan.triple_start[b + 1]):
        i, j, term = plan.triple[t, 0], plan.triple[t, 1], plan.triple[t, 2]
        base += weights[term]
        room.linear[i] -= 2.0 * weights[term]
        room.linear[j] -= 2.0 * weights[term]
        room.quadratic[i, j] = 4.0 * weights[term]
        room.quadratic[j, i] = 4.0 * weights[term]
    fill_scores(room.linear[:width], room.quadratic[:width, :width], room.gain, room.up)
    for t in range(plan.triple_start[b], plan.triple_start[b + 1]):
        i, j = plan.triple[t, 0], plan.triple[t, 1]
        room.quadratic[i, j] = 0.0
        room.quadratic[j, i] = 0.0
    for s in range(size):
        room.up[s] += base
        room.down[s] = -room.up[s]
    for k in range(plan.link_start[b], plan.link_start[b + 1]):
        child = plan.link[k]
        absent = plan.table_start[child]
        present = (absent + plan.table_start[child + 1]) // 2
        shift = plan.project_start[k]
        for s in range(size):
            place = plan.project[shift + s]
            room.down[s] += room.tables[absent + place]
            room.up[s] += room.tables[present + place]


@compiled
def best_signs(plan: BucketPlan, weights: FloatArray, room: Workspace, signs: FloatArray) -> float:
    """Write the signs (L,) of largest score for term weights (T,) and return that score."""
    n_labels = len(plan.order)
    total = 0.0
    for b in range(n_labels):
        _fill_bucket(plan, b, weights, room)
        start = plan.table_start[b]
        for s in range(plan.table_start[b + 1] - start):
            chosen = room.up[s] > room.down[s]
            room.choice[start + s] = chosen
            room.tables[start + s] = room.up[s] if chosen else room.down[s]
        if plan.scope_start[b] == plan.scope_start[b + 1]:
            total += room.tables[start]
    for b in range(n_labels - 1, -1, -1):
        place = 0
        for j in range(plan.scope_start[b], plan.scope_start[b + 1]):
            place = 2 * place + (signs[plan.scope[j]] > 0.0)
        signs[plan.order[b]] = 1.0 if room.choice[plan.table_start[b] + place] else -1.0
    return total


@compiled
def best_sets(plan: BucketPlan, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the best signs (n, L) and their scores (n,) for term weights (n, T)."""
    room = make_workspace(plan)
    signs = np.empty((len(weights), len(plan.order)))
    scores = np.empty(len(weights))
    for i in range(len(weights)):
        scores[i] = best_signs(plan, weights[i], room, signs[i])
    return signs, scores
