"""The table of members that a fitted LabelSetClassifier shows."""

from labelfield._shown import as_html, as_text

__all__ = ["Leaderboard"]

COLUMNS = {
    "member": "member",
    "log_likelihood": "log-likelihood",
    "exact_match": "exact match",
    "f1": "F1",
    "hamming": "Hamming loss",
    "weight": "weight",
    "seconds": "CPU s",
}


class Leaderboard(list):
    """Rows (dictionaries) of what was tried and how it did on rows it had not seen, best first.

    Prints as a table; `pandas.DataFrame(leaderboard)` makes a frame of it.

    Examples
    --------
    >>> from labelfield.auto.leaderboard import Leaderboard
    >>> row = {"member": "pool", "log_likelihood": -1.25, "exact_match": 0.5, "f1": 0.75,
    ...        "hamming": 0.125, "weight": 1.0, "seconds": 2.0}
    >>> print(Leaderboard([row]))
    member log-likelihood exact match    F1 Hamming loss weight CPU s
    pool           -1.250       0.500 0.750        0.125  1.000   2.0
    """

    def __repr__(self):
        return as_text([*COLUMNS.values()], self._cells())

    __str__ = __repr__

    def in_words(self):
        """Return how the pool did and what it is made of, a sentence a line.

        Examples
        --------
        >>> from labelfield.auto.leaderboard import Leaderboard
        >>> rows = [{"member": "pool", "log_likelihood": -1.25, "exact_match": 0.5, "weight": 1.0},
        ...         {"member": "field", "log_likelihood": -1.5, "weight": 1.0}]
        >>> print(Leaderboard(rows).in_words())
        On rows not seen in training: log-likelihood -1.250, exact match 0.500.
        Pool: 100 % field.
        """
        pool, *parts = self
        figures = [
            f"{COLUMNS[name]} {_shown(name, pool[name])}"
            for name in ("log_likelihood", "exact_match", "f1", "hamming")
            if pool.get(name) is not None
        ]
        weights = {row["member"]: row.get("weight") or 0.0 for row in parts}
        shares = [
            f"{weight:.0%} {name}"
            for name, weight in sorted(weights.items(), key=lambda item: -item[1])
            if weight > 0.005
        ]
        return (
            f"On rows not seen in training: {', '.join(figures)}.\n"
            f"Pool: {', '.join(shares).replace('%', ' %')}."
        )

    def _repr_html_(self):
        return as_html([*COLUMNS.values()], self._cells())

    def _cells(self):
        return [[_shown(name, row.get(name)) for name in COLUMNS] for row in self]


def _shown(name, value):
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return f"{value:.1f}" if name == "seconds" else f"{value:.3f}"
