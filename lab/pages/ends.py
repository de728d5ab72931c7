"""Strengths that were chosen at the end of their grid, so that a better one may lie beyond it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from lab.table import Search

__all__ = ["at_ends"]

STRENGTHS = ("alpha", "edge_alpha", "clique_alpha", "C")  # settings that could go on without end


def at_ends(search: Search | None, choices: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return, in words, which strengths were chosen at an end, and in how many cells.

    Parameters
    ----------
    search : Search or None
    choices : sequence of mappings of parameter to value
        What each cell has chosen.

    Examples
    --------
    >>> from lab import Search
    >>> from lab.pages.ends import at_ends
    >>> search = Search({"alpha": (0.1, 1.0, 10.0), "n_neighbors": (5, 10)}, "f1_samples")
    >>> at_ends(search, [{"alpha": 10.0, "n_neighbors": 5}, {"alpha": 1.0, "n_neighbors": 5}])
    ['alpha 10 in 1 of 2 cells']
    """
    found = Counter(
        (name, choice[name])
        for choice in choices
        for name, values in (search.grid if search else {}).items()
        if _is_strength(name) and choice[name] in (min(values), max(values))
    )
    return [
        f"{name.rpartition('__')[2]} {value:g} in {count} of {len(choices)} cells"
        for (name, value), count in sorted(found.items())
    ]


def _is_strength(name: str) -> bool:
    return name.rpartition("__")[2] in STRENGTHS
