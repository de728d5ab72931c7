"""Rows worth looking at: confident mistakes, confident correct sets, and those to review first."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from labelfield import metrics
from labelfield._names import read_names
from labelfield._typing import IntArray
from labelfield.report.pictures import data_uri
from labelfield.report.summary.reading import number, read_labels, set_names

__all__ = ["pick_examples"]

MAX_LETTERS = 600


def pick_examples(
    Y_true: Any,
    Y_pred: Any,
    *,
    confidence: Any = None,
    label_names: Sequence[str] | None = None,
    row_ids: Sequence[Any] | None = None,
    pictures: Any = None,
    texts: Sequence[str] | None = None,
    reasons: Callable[[int], Mapping[str, Sequence[str]]] | None = None,
    n_examples: int = 6,
) -> dict[str, list[dict[str, Any]]]:
    """Pick the worst, the most confident and the least confident rows.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_pred : (n, L) array or sparse matrix of 0 or 1
    confidence : (n,) array in [0, 1], optional
        Without it the worst are the rows with most wrong labels, and no other rows are picked.
    label_names : sequence of L str, optional
    row_ids : sequence of n, optional
        What the rows are called; their number, from 0, if not given.
    pictures : callable or sequence, optional
        `pictures(row)` or `pictures[row]` is what `data_uri` takes: a small array of grey or RGB
        values, an SVG text or a data URI.
    texts : sequence of n str, optional
        The text of each row, shown with it; long ones are cut.
    reasons : callable, optional
        `reasons(row)` says what speaks for each label of the predicted set, the strongest first.
    n_examples : int, default=6

    Returns
    -------
    dict
        "worst" (wrong, most confident first), "surest" (right, most confident first) and "unsure"
        (least confident first), each a list of dict with "row", "id", "true", "predicted",
        "missed", "added" (lists of names), "wrong" (number of wrong labels), "confidence",
        "picture" (a data URI or None), "text" (or None) and "reasons" (each "label" with
        the "terms" that speak for it).

    Examples
    --------
    >>> from labelfield.report.summary import pick_examples
    >>> picked = pick_examples([[1, 0], [0, 1]], [[1, 0], [1, 1]], confidence=[0.9, 0.8])
    >>> picked["worst"][0]["added"], picked["surest"][0]["row"]
    (['label 1'], 0)
    """
    truth, known = read_labels(Y_true, "Y_true")
    predicted = read_labels(Y_pred, "Y_pred")[0]
    names = read_names(label_names, truth.shape[1])
    right = metrics.subset_accuracy(Y_true, Y_pred, average="rows")
    mistakes = ((truth != predicted) & known).sum(axis=1)
    stated = None if confidence is None else np.asarray(confidence, dtype=np.float64)

    def described(row: int) -> dict[str, Any]:
        return {
            "row": row,
            "id": str(row if row_ids is None else row_ids[row]),
            "true": set_names(truth[row], names),
            "predicted": set_names(predicted[row], names),
            "missed": set_names(truth[row] & ~predicted[row], names),
            "added": set_names(~truth[row] & predicted[row] & known[row], names),
            "wrong": int(mistakes[row]),
            "confidence": None if stated is None else number(stated[row]),
            "picture": _picture(pictures, row),
            "text": None if texts is None else _cut(texts[row]),
            "reasons": [
                {"label": label, "terms": list(terms)}
                for label, terms in (reasons(row) if reasons else {}).items()
            ],
        }

    wrong, hit = np.flatnonzero(right == 0), np.flatnonzero(right == 1)
    if stated is None:
        chosen = {"worst": _first(wrong, -mistakes, n_examples), "surest": [], "unsure": []}
    else:
        chosen = {
            "worst": _first(wrong, -stated, n_examples),
            "surest": _first(hit, -stated, n_examples),
            "unsure": _first(np.arange(len(truth)), stated, n_examples),
        }
    return {key: [described(int(row)) for row in rows] for key, rows in chosen.items()}


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LETTERS else f"{text[:MAX_LETTERS]} ..."


def _first(rows: IntArray, key: Any, n: int) -> Any:
    return rows[np.argsort(key[rows], kind="stable")][:n]


def _picture(pictures: Any, row: int) -> str | None:
    if pictures is None:
        return None
    return data_uri(pictures(row) if callable(pictures) else pictures[row])
