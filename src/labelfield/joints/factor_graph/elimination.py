"""In which order to sum out labels, and what tables that takes."""

from collections.abc import Sequence
from functools import lru_cache
from heapq import heappop, heappush

import numpy as np

from labelfield._typing import IntArray, LabelArray
from labelfield.kernels.fields.graphs import EliminationPlan
from labelfield.rules.factors import Table

__all__ = ["min_fill", "plan_elimination"]

MAX_KEPT = 6  # digits of tables that are kept: trees ask for the same few thousands of times


def min_fill(neighbours: Sequence[set[int]], max_width: int) -> list[tuple[int, set[int]]]:
    """Return labels in order of elimination, each with its neighbours at that moment.

    Takes the label whose neighbours lack the fewest couplings among themselves, ties by degree and
    number, and couples them. Gives up with an empty list once every label left has more than
    `max_width` neighbours.
    """
    left = {v: set(around) for v, around in enumerate(neighbours)}
    keys: dict[int, tuple[int, int, int]] = {}
    queue: list[tuple[int, int, int]] = []  # keys, outdated ones among them
    changed = set(left)
    steps = []
    while left:
        for v in changed:
            around = left[v]
            keys.pop(v, None)
            if len(around) <= max_width:
                alone = len(around) < 2
                lacking = 0 if alone else sum(len(around - left[u]) - 1 for u in around)
                keys[v] = (lacking, len(around), v)
                heappush(queue, keys[v])
        while queue and keys.get(queue[0][2]) != queue[0]:
            heappop(queue)
        if not queue:
            return []
        chosen = heappop(queue)[2]
        around = left.pop(chosen)
        del keys[chosen]
        steps.append((chosen, around))
        filled = False
        for u in around:
            filled |= len(around - left[u]) > 1
            left[u] |= around
            left[u] -= {u, chosen}
        # new couplings change what their common neighbours lack; a smaller degree changes its own
        changed = around.union(*(left[u] for u in around)) if filled else around
    return steps


def plan_elimination(
    steps: list[tuple[int, set[int]]],
    cliques: Sequence[tuple[int, ...]],
    tables: Sequence[Table] = (),
) -> EliminationPlan:
    """Return the tables of an elimination in the order of `steps`; `tables` say what is allowed."""
    n_labels = len(steps)
    turn = {label: t for t, (label, _) in enumerate(steps)}
    scopes = [[v, *sorted(around, key=turn.__getitem__)] for v, around in steps]
    start = np.cumsum([0] + [2 ** (len(scope) - 1) for scope in scopes])
    pairs = {clique: c for c, clique in enumerate(cliques) if len(clique) == 2}
    larger: list[list[tuple[int, int]]] = [[] for _ in steps]
    for c, clique in enumerate(cliques):
        if len(clique) > 2:
            t = min(turn[label] for label in clique)
            larger[t].append((c, _digits(scopes[t][1:], set(clique) - {steps[t][0]})))
    children: list[list[int]] = [[] for _ in steps]
    for t, scope in enumerate(scopes[:-1]):
        # without a separator the message is a number, which any later step can take
        children[turn[scope[1]] if len(scope) > 1 else n_labels - 1].append(t)
    cells = [_cells(scopes[t], scopes[child][1:]) for t in range(n_labels) for child in children[t]]
    return EliminationPlan(
        label=np.array([v for v, _ in steps], dtype=np.intp),
        start=start.astype(np.intp),
        separator_start=_starts([scope[1:] for scope in scopes]),
        separator=np.array([v for scope in scopes for v in scope[1:]], dtype=np.intp),
        pair=np.array(
            [
                pairs.get((min(scope[0], v), max(scope[0], v)), -1)
                for scope in scopes
                for v in scope[1:]
            ],
            dtype=np.intp,
        ),
        clique_start=_starts(larger),
        clique=np.array([c for part in larger for c, _ in part], dtype=np.intp),
        mask=np.array([mask for part in larger for _, mask in part], dtype=np.intp),
        child_start=_starts(children),
        child=np.array([child for part in children for child in part], dtype=np.intp),
        child_cell_start=_starts(cells)[:-1],
        child_cell=np.concatenate([np.zeros(0, dtype=np.intp), *cells]),
        barred=_barred(scopes, start, turn, tables),
    )


def _barred(
    scopes: list[list[int]], start: IntArray, turn: dict[int, int], tables: Sequence[Table]
) -> LabelArray:
    """Return for each cell whether its label may be absent (1 if not) and present (2 if not)."""
    if not tables:
        return np.zeros(0, dtype=np.uint8)
    barred = np.zeros(start[-1], dtype=np.uint8)
    for table in tables:
        t = min(turn[label] for label in table.scope)
        wrong = ~table.allowed[_cells(scopes[t], list(table.scope))]
        half = len(wrong) // 2
        barred[start[t] : start[t + 1]] |= wrong[:half] | (wrong[half:] << np.uint8(1))
    return barred


def _starts(parts: Sequence[Sequence[object] | IntArray]) -> IntArray:
    return np.cumsum([0, *map(len, parts)], dtype=np.intp)


def _digits(scope: list[int], chosen: set[int]) -> int:
    """Return the number whose digits are one where `scope`, highest digit first, is chosen."""
    return sum(2 ** (len(scope) - 1 - i) for i, label in enumerate(scope) if label in chosen)


def _cells(scope: list[int], part: list[int]) -> IntArray:
    """Return for each configuration of `scope` the number of what it says of `part`."""
    numbers = _kept_numbers if len(scope) <= MAX_KEPT else _numbers
    return numbers(len(scope), tuple(map(scope.index, part)))


def _numbers(n_digits: int, places: tuple[int, ...]) -> IntArray:
    """Return for all numbers of so many digits the number that some of the digits make."""
    configurations = np.arange(2**n_digits)
    answer = np.zeros(len(configurations), dtype=np.intp)
    for place in places:
        answer = 2 * answer + ((configurations >> (n_digits - 1 - place)) & 1)
    answer.flags.writeable = False
    return answer


_kept_numbers = lru_cache(maxsize=256)(_numbers)
