"""Hierarchies of labels: parents by paths, and cycles that no hierarchy has."""

from collections.abc import Mapping, Sequence

__all__ = ["parents_of_paths", "refuse_cycles"]


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
