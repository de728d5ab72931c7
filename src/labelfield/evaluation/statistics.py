"""Tests between methods: paired over folds, and by ranks over data sets."""

from collections.abc import Sequence

import numpy as np
from scipy import stats

__all__ = [
    "average_ranks",
    "critical_difference",
    "friedman_p",
    "indistinct_groups",
    "paired_t_p",
    "wilcoxon_p",
]


def paired_t_p(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the two-sided p-value of the paired t-test; NaN with fewer than two pairs.

    Examples
    --------
    >>> from labelfield.evaluation.statistics import paired_t_p
    >>> round(paired_t_p([1.0, 2.0, 3.0], [1.1, 2.3, 3.2]), 4)
    0.0742
    """
    differences = np.subtract(first, second)
    if len(differences) < 2:
        return float("nan")
    deviation = differences.std(ddof=1)
    if deviation <= 1e-12 * np.abs(differences).max():
        return 1.0 if not differences.any() else 0.0
    statistic = differences.mean() / (deviation / np.sqrt(len(differences)))
    return float(2 * stats.t.sf(abs(statistic), len(differences) - 1))


def wilcoxon_p(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; NaN without pairs.

    Pairs that tie are left out; if all do, the value is 1.
    """
    differences = np.subtract(first, second)
    if len(differences) == 0:
        return float("nan")
    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences[differences != 0]).pvalue)


def average_ranks(scores, *, greater_is_better: bool = True) -> np.ndarray:
    """Return the mean rank of each method over the rows, 1 for the best; ties share their ranks.

    Parameters
    ----------
    scores : array of shape (blocks, methods)
        A row per data set or fold. A method without a score (NaN) ranks last in its row.
    greater_is_better : bool

    Examples
    --------
    >>> from labelfield.evaluation.statistics import average_ranks
    >>> average_ranks([[0.9, 0.8, 0.7], [0.9, 0.9, 0.1]])
    array([1.25, 1.75, 3.  ])
    """
    scores = np.asarray(scores, dtype=float)
    losses = -scores if greater_is_better else scores.copy()
    losses[np.isnan(losses)] = np.inf
    return stats.rankdata(losses, axis=1).mean(axis=0)


def friedman_p(scores) -> float:
    """Return the p-value of Friedman's test that all methods rank alike.

    NaN for fewer than three methods or two rows; 1 if every row is tied throughout.
    """
    scores = np.asarray(scores, dtype=float)
    if scores.shape[1] < 3 or scores.shape[0] < 2:
        return float("nan")
    if (scores == scores[:, :1]).all():
        return 1.0
    return float(stats.friedmanchisquare(*scores.T).pvalue)


def critical_difference(n_methods: int, n_blocks: int, *, level: float = 0.05) -> float:
    """Return Nemenyi's critical difference: average ranks further apart differ significantly.

    Examples
    --------
    >>> from labelfield.evaluation.statistics import critical_difference
    >>> round(critical_difference(5, 30), 3)
    1.114
    """
    if n_methods < 2 or n_blocks < 1:
        raise ValueError(
            "A critical difference needs at least 2 methods and 1 row of scores; "
            f"got {n_methods} and {n_blocks}."
        )
    quantile = stats.studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks)))


def indistinct_groups(ranks: Sequence[float], difference: float) -> list[list[int]]:
    """Return the largest groups of methods whose ranks lie within the critical difference.

    Each group lists positions in `ranks`, best first: the bars of a critical-difference diagram.

    Examples
    --------
    >>> from labelfield.evaluation.statistics import indistinct_groups
    >>> indistinct_groups([1.0, 3.2, 2.0], difference=1.5)
    [[0, 2], [2, 1]]
    """
    order = np.argsort(ranks, kind="stable")
    sorted_ranks = np.asarray(ranks, dtype=float)[order]
    ends = np.searchsorted(sorted_ranks, sorted_ranks + difference, side="right")
    groups = []
    reached = 0
    for start, end in enumerate(ends):
        if end > reached and end - start > 1:
            groups.append([int(i) for i in order[start:end]])
        reached = max(reached, int(end))
    return groups
