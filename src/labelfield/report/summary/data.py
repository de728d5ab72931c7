"""What the data look like: sizes, label frequencies, label sets, co-occurrence."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelfield._names import read_names
from labelfield._typing import BoolArray, FloatArray
from labelfield.label_graph.layout import similarity_order
from labelfield.label_graph.pairs import conditional_shares, pair_counts, phi_coefficients
from labelfield.report.summary.reading import number, read_labels

__all__ = ["describe_data"]

IN_GIVEN_ORDER = 20
IN_MAP = 100


def describe_data(
    Y: Any,
    *,
    label_names: Sequence[str] | None = None,
    n_features: int | None = None,
    n_pairs: int = 8,
) -> dict[str, Any]:
    """Describe labels in plain numbers.

    Parameters
    ----------
    Y : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    label_names : sequence of L str, optional
    n_features : int, optional
    n_pairs : int, default=8
        How many of the pairs that occur together most often are listed.

    Returns
    -------
    dict
        "rows", "features", "labels", "cardinality" (labels per row), "density" (share of known
        entries that are 1), "distinct_sets" (among rows without unknown entries), "empty_rows",
        "empty_share", "unknown", "unknown_share", "frequencies", "set_sizes", "co_occurrence"
        (P(b | a) of at most 100 labels) and "top_pairs". JSON can hold all of it.

    Examples
    --------
    >>> from labelfield.report.summary import describe_data
    >>> data = describe_data([[1, 1], [1, 0], [0, 0], [1, 1]], label_names=["sun", "beach"])
    >>> data["cardinality"], data["distinct_sets"], data["empty_share"]
    (1.25, 3, 0.25)
    >>> data["top_pairs"][0]["a"], data["top_pairs"][0]["count"]
    ('sun', 2)
    """
    ones, known = read_labels(Y, "Y")
    n, L = ones.shape
    if not n or not L:
        raise ValueError(f"Y has shape {ones.shape}; a report needs at least one row and a label.")
    names = read_names(label_names, L)
    counts = pair_counts(ones, known)
    empty = int((~ones.any(axis=1) & known.all(axis=1)).sum())
    return {
        "rows": n,
        "features": n_features,
        "labels": L,
        "cardinality": float(ones.sum() / n),
        "density": float(ones.sum() / max(1, known.sum())),
        "distinct_sets": _distinct_sets(ones[known.all(axis=1)]),
        "empty_rows": empty,
        "empty_share": empty / n,
        "unknown": int((~known).sum()),
        "unknown_share": float((~known).mean()),
        "frequencies": _frequencies(ones, known, names),
        "set_sizes": _set_sizes(ones),
        "co_occurrence": _co_occurrence(counts, names),
        "top_pairs": _top_pairs(counts, names, n_pairs),
    }


def _distinct_sets(ones: BoolArray) -> int:
    return len({row.tobytes() for row in np.packbits(ones, axis=1)})


def _frequencies(ones: BoolArray, known: BoolArray, names: list[str]) -> list[dict[str, Any]]:
    present, certain = ones.sum(axis=0), known.sum(axis=0)
    return [
        {
            "name": names[k],
            "count": int(present[k]),
            "share": float(present[k] / max(1, certain[k])),
            "unknown": int(len(ones) - certain[k]),
        }
        for k in np.argsort(-present, kind="stable")
    ]


def _set_sizes(ones: BoolArray) -> list[dict[str, Any]]:
    rows = np.bincount(ones.sum(axis=1))
    return [
        {"size": size, "count": int(count), "share": float(count / len(ones))}
        for size, count in enumerate(rows)
    ]


def _co_occurrence(counts: dict[str, FloatArray], names: list[str]) -> dict[str, Any]:
    L = len(names)
    shown = np.arange(L)
    if L > IN_MAP:
        shown = np.sort(np.argsort(-np.diag(counts["both"]), kind="stable")[:IN_MAP])
    if L > IN_GIVEN_ORDER:
        shown = shown[similarity_order(phi_coefficients(counts)[np.ix_(shown, shown)])]
    given = conditional_shares(counts)[np.ix_(shown, shown)].round(4)
    return {
        "names": [names[k] for k in shown],
        "given": [[number(value) for value in row] for row in given],
    }


def _top_pairs(counts: dict[str, FloatArray], names: list[str], n: int) -> list[dict[str, Any]]:
    first, second = np.triu_indices(len(names), k=1)
    both = counts["both"][first, second]
    strongest = np.argsort(-both, kind="stable")[:n]
    given = conditional_shares(counts)
    return [
        {
            "a": names[a],
            "b": names[b],
            "count": int(counts["both"][a, b]),
            "b_given_a": number(given[a, b]),
            "a_given_b": number(given[b, a]),
            "lift": float(
                counts["both"][a, b]
                * counts["rows"][a, b]
                / (counts["first"][a, b] * counts["second"][a, b])
            ),
        }
        for a, b in zip(first[strongest], second[strongest])
        if counts["both"][a, b] > 0
    ]
