"""What speaks for the labels of predicted sets, in a few words."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["strongest_reasons"]

Term = tuple[str, float]

SHOWN = 3
LETTERS = " ~ "  # marks features of TableEncoder that are runs of letters


def strongest_reasons(
    model: Any, X: Any, sets: np.ndarray, columns: Sequence[Any]
) -> list[dict[str, list[str]]]:
    """Return for each row, and each label of its set, what speaks for it: words and other labels.

    Parameters
    ----------
    model : classifier
        Only one that explains itself has reasons.
    X : rows as the model takes them
    sets : array of shape (n, L)
    columns : sequence of str
        Names of the features as the model sees them.

    Returns
    -------
    reasons : list of n dict of label to names, the strongest first

    Examples
    --------
    >>> from labelfield import BinaryRelevance
    >>> from labelfield.evaluation.reasons import strongest_reasons
    >>> X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] * 10
    >>> model = BinaryRelevance(alpha=0.1).fit(X, [["rain"], ["wind"], ["rain", "wind"]] * 10)
    >>> strongest_reasons(model, X[:1], model.predict(X[:1]), ["clouds", "leaves"])
    [{'rain': ['clouds']}]
    """
    if not hasattr(model, "explain"):
        return [{} for _ in sets]
    explained = model.explain(X, sets, n_rivals=0)
    more_terms = _pool_terms(model, X) or _inner_terms(model, X, sets)
    names = {f"x{j}": str(name) for j, name in enumerate(columns)}
    return [
        {
            reason.label: _strongest(
                [
                    (names.get(name, name), weight)
                    for name, weight in [*reason.features, *more_terms(i, reason.label)]
                ],
                reason.others,
            )
            for reason in one.reasons
            if reason.present
        }
        for i, one in enumerate(explained)
    ]


def _inner_terms(model: Any, X: Any, sets: np.ndarray) -> Callable[[int, str], list[Term]]:
    """Return what adds to a label of a row in the model that a calibrated one is built on."""
    inner = getattr(model, "estimator_", None)
    if not hasattr(inner, "explain"):
        return lambda i, label: []
    last = inner.steps[-1][1] if hasattr(inner, "steps") else inner
    own_name = dict(zip(map(str, model.label_names_), map(str, last.label_names_)))
    found = [
        {reason.label: reason.features for reason in one.reasons}
        for one in inner.explain(X, sets, n_rivals=0)
    ]
    return lambda i, label: found[i][own_name[label]]


def _pool_terms(model: Any, X: Any) -> Callable[[int, str], list[Term]] | None:
    """Return what the linear part of a pool adds to a label of a row, feature by feature."""
    if not hasattr(model, "linear_part"):
        return None
    weights, features, names = model.linear_part(X)
    features = sp.csr_matrix(features)
    labels = [str(name) for name in model.label_names_]

    def terms(i: int, label: str) -> list[Term]:
        row = features[i]
        added = weights[labels.index(label), row.indices] * row.data
        return [(str(names[j]), float(one)) for j, one in zip(row.indices, added)]

    return terms


def _strongest(features: list[Term], others: list[Term]) -> list[str]:
    """What adds most to the log-odds of a label; runs of letters only where no word does."""
    terms = [term for term in features if term[0] not in ("other features", "constant")]
    helping = [term for term in [*terms, *others] if term[1] > 0]
    words = [term for term in helping if LETTERS not in term[0]]
    best = sorted(words or helping, key=lambda term: -term[1])[:SHOWN]
    return [name for name, _ in best]
