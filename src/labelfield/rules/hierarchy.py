"""Hierarchies of labels: parents by paths, and cycles that no hierarchy has."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["named_parents", "parents_of_paths", "refuse_cycles"]


def parents_of_paths(names: Sequence[str], separator: str) -> dict[str, str]:
    """Return the parent of every path: the longest shorter path that is a label.

    Examples
    --------
    >>> from labelfield.rules.hierarchy import parents_of_paths
    >>> parents_of_paths(["a", "a/b/c", "d"], "/")
    {'a/b/c': 'a'}
    """
    known = set(names)
    parents = {}
    for name in names:
        above = name
        while separator in above:
            above = above.rpartition(separator)[0]
            if above in known:
                parents[name] = above
                break
    return parents


def named_parents(parents: Any, names: Sequence[str]) -> dict[str, list[str]]:
    """Return parents given as the number of each label's parent, -1 at the top, by name."""
    numbers, n_labels = np.asarray(parents), len(names)
    if numbers.shape != (n_labels,) or numbers.dtype.kind not in "iu":
        raise ValueError(
            f"parents must map names to names or be {n_labels} integers, -1 at the top."
        )
    if (numbers < -1).any() or (numbers >= n_labels).any():
        raise ValueError(f"parents must hold numbers from -1 to {n_labels - 1}.")
    return {names[i]: [names[p]] for i, p in enumerate(numbers.tolist()) if p >= 0}


def refuse_cycles(parents: Mapping[int, Sequence[int]], names: Sequence[str]) -> None:
    """Raise an error that shows a cycle where a label is above itself."""
    finished: set[int] = set()
    for start in parents:
        path: list[int] = []
        waiting = [(start, False)]
        while waiting:
            label, done = waiting.pop()
            if done:
                finished.add(path.pop())
                continue
            if label in path:
                circle = [*path[path.index(label) :], label]
                shown = " -> ".join(repr(names[k]) for k in circle)
                raise ValueError(
                    f"the hierarchy has a cycle: {shown}; a label cannot be above itself."
                )
            if label in finished:
                continue
            path.append(label)
            waiting.append((label, True))
            waiting += [(parent, False) for parent in parents.get(label, ())]
