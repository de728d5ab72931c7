"""The parts of a pooled model."""

from collections.abc import Mapping, Sequence
from typing import Any

from labelfield.report.summary.reading import number

__all__ = ["summarize_leaderboard"]

FIGURES = ("weight", "log_likelihood", "exact_match", "f1", "hamming", "seconds")


def summarize_leaderboard(leaderboard: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of a leaderboard as plain numbers.

    Parameters
    ----------
    leaderboard : sequence of mappings
        The `leaderboard_` of a `LabelSetClassifier` or a `JointStacking`: "member" and, where they
        are known, "weight", "log_likelihood", "exact_match", "f1", "hamming", "seconds".

    Returns
    -------
    list of dict
        With all of these; None where one is unknown or not finite.

    Examples
    --------
    >>> from labelfield.report.summary import summarize_leaderboard
    >>> (row,) = summarize_leaderboard([{"member": "trees", "weight": 0.5}])
    >>> row["member"], row["weight"], row["f1"]
    ('trees', 0.5, None)
    """
    return [
        {"member": str(row["member"])} | {name: _figure(row.get(name)) for name in FIGURES}
        for row in leaderboard
    ]


def _figure(value: float | None) -> float | None:
    return None if value is None else number(value)
