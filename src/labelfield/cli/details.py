"""What a model can say about single rows: other sets, whether to accept, why."""

from collections.abc import Callable, Sequence
from typing import Any

from labelfield._names import join_names
from labelfield.cli.models import Said

__all__ = ["accept_rows", "name_sets", "other_sets", "reasons"]

Term = tuple[str, float]

SHOWN = 3
LETTERS = " ~ "  # marks features of TableEncoder that are runs of letters


def name_sets(sets: Any, names: tuple[str, ...]) -> list[list[str]]:
    """Return the names in each set."""
    return [[name for name, on in zip(names, row) if on] for row in sets]


def accept_rows(said: Said, accuracy: float) -> Any:
    """Return which sets may skip review at an accuracy (n,), None if the model cannot tell."""
    if not hasattr(said.classifier, "route"):
        return None
    return said.classifier.route(said.X, accuracy=accuracy).accept


def other_sets(said: Said, k: int) -> list[str] | None:
    """Return the k most probable sets beside the chosen one, as text, None without a joint."""
    if not hasattr(said.classifier, "predict_joint") or k == 0:
        return None
    import numpy as np

    joint = said.classifier.predict_joint(said.X)
    sets, log_probs = joint.top_k(k + 1)
    return [
        _listed(said, row, others, np.exp(probs).tolist() if joint.normalized else None)
        for row, others, probs in zip(said.sets, sets, log_probs)
    ]


def _listed(said: Said, chosen: Any, others: Any, probabilities: Any) -> str:
    rest = [j for j, other in enumerate(others) if (other != chosen).any()][: len(others) - 1]
    names = name_sets(others[rest], said.label_names)
    shown = [join_names(labels, "|") or "none" for labels in names]
    if probabilities is None:
        return "; ".join(shown)
    return "; ".join(f"{text} ({probabilities[j]:.3f})" for text, j in zip(shown, rest))


def reasons(said: Said, rows: Sequence[int]) -> list[dict[str, list[str]]]:
    """Return for each row, and each label of its set, what speaks for it: words and other labels.

    Only a model that explains itself has any.
    """
    if not hasattr(said.classifier, "explain"):
        return [{} for _ in rows]
    from labelfield._reading import take_rows

    rows = list(rows)
    X = take_rows(said.X, rows)
    explained = said.classifier.explain(X, said.sets[rows], n_rivals=0)
    more_terms = _pool_terms(said, X) or _inner_terms(said, X, said.sets[rows])
    names = {f"x{j}": str(name) for j, name in enumerate(said.columns)}
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


def _inner_terms(said: Said, X: Any, sets: Any) -> Callable[[int, str], list[Term]]:
    """Return what adds to a label of a row in the model that a calibrated one is built on."""
    inner = getattr(said.classifier, "estimator_", None)
    if not hasattr(inner, "explain"):
        return lambda i, label: []
    last = inner.steps[-1][1] if hasattr(inner, "steps") else inner
    own_name = dict(zip(said.label_names, map(str, last.label_names_)))
    found = [
        {reason.label: reason.features for reason in one.reasons}
        for one in inner.explain(X, sets, n_rivals=0)
    ]
    return lambda i, label: found[i][own_name[label]]


def _pool_terms(said: Said, X: Any) -> Callable[[int, str], list[Term]] | None:
    """Return what the linear part of a pool adds to a label of a row, feature by feature."""
    if not hasattr(said.classifier, "linear_part"):
        return None
    from scipy.sparse import csr_matrix

    weights, features, names = said.classifier.linear_part(X)
    features = csr_matrix(features)

    def terms(i: int, label: str) -> list[Term]:
        row = features[i]
        added = weights[said.label_names.index(label), row.indices] * row.data
        return [(str(names[j]), float(one)) for j, one in zip(row.indices, added)]

    return terms


def _strongest(features: list[Term], others: list[Term]) -> list[str]:
    """What adds most to the log-odds of a label; runs of letters only where no word does."""
    terms = [term for term in features if term[0] not in ("other features", "constant")]
    helping = [term for term in [*terms, *others] if term[1] > 0]
    words = [term for term in helping if LETTERS not in term[0]]
    best = sorted(words or helping, key=lambda term: -term[1])[:SHOWN]
    return [name for name, _ in best]
