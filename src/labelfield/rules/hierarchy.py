"""Hierarchies of labels: parents by paths, and cycles that no hierarchy has."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["listed", "named_parents", "parents_of_paths", "read_declared_parents", "refuse_cycles"]

DECLARATION = re.compile(
    r"^\s*@attribute\s.*\shierarchical\s+(\S.*)$", re.IGNORECASE | re.MULTILINE
)


def listed(parents: Any) -> list[Any]:
    """Return one parent, several or none (None) as a list."""
    if parents is None:
        return []
    several = isinstance(parents, Iterable) and not isinstance(parents, str)
    return list(parents) if several else [parents]


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


def read_declared_parents(text: str, known: Callable[[str], bool]) -> dict[str, list[str]]:
    """Return the parents of known labels as the header of a hierarchical ARFF file declares them.

    Labels are paths; where the file lists pairs parent/child instead, the children are labels.
    """
    found = DECLARATION.search(text)
    if found is None:
        raise ValueError("no line '@attribute NAME hierarchical ...' declares a hierarchy.")
    paths = [path.strip() for path in found[1].split("%")[0].split(",")]
    names = dict.fromkeys(name for path in paths for name in _upwards(path) if known(name))
    if any("/" in name for name in names):
        return {child: [above] for child, above in parents_of_paths(list(names), "/").items()}
    parents: dict[str, list[str]] = {}
    for above, _, child in (path.partition("/") for path in paths):
        if known(above) and known(child):
            parents.setdefault(child, []).append(above)
    return parents


def _upwards(path: str) -> list[str]:
    """Return a path and all it begins with, the shortest first."""
    steps = path.split("/")
    return ["/".join(steps[: k + 1]) for k in range(len(steps))]


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
