"""Answers to requests, as plain data."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from labelfield._gate.reading import count_rows
from labelfield.desk.assist import Consultation, DeskModel
from labelfield.desk.assist.promise import stated_joint
from labelfield.desk.service.rows import join_rows
from labelfield.evaluation.answers import OWN, answer, unwrap

__all__ = ["condition", "explain", "plain", "predict_all", "route"]


def predict_all(model: DeskModel, works: Sequence[tuple[Any, int, bool]]) -> list[list[Any]]:
    """Answer several requests (X, number of alternatives, whether probabilities) together."""
    kinds = {type(X) for X, _, _ in works}
    if len(kinds) > 1:
        return [predict_all(model, [work])[0] for work in works]
    sizes = [count_rows(X) for X, _, _ in works]
    classifier, seen = unwrap(model.fitted, join_rows([X for X, _, _ in works]))
    wanted = any(probabilities for _, _, probabilities in works)
    told = answer(classifier, seen, confidence=True, scores=wanted and model.has_joint)
    sure = told.confidence.get(OWN)
    longest = max(k for _, k, _ in works) if model.has_joint else 0
    best = _best_sets(stated_joint(classifier, seen), longest) if longest else None
    answers, start = [], 0
    for size, (_, k, probabilities) in zip(sizes, works):
        rows = range(start, start + size)
        start += size
        answers.append(
            [
                {
                    "labels": model.names_of(told.sets[OWN][i]),
                    "confidence": None if sure is None else float(sure[i]),
                    "alternatives": _named(model, best, i, k),
                    "probabilities": dict(zip(model.labels, told.scores[i].tolist()))
                    if probabilities and told.scores is not None
                    else None,
                }
                for i in rows
            ]
        )
    return answers


def _best_sets(joint: Any, k: int) -> Any:
    sets, log_prob = joint.top_k(k)
    return sets, np.exp(log_prob) if joint.normalized else np.full(log_prob.shape, np.nan)


def _named(model: DeskModel, best: Any, i: int, k: int) -> Any:
    if not k or best is None:
        return None
    return [
        {"labels": model.names_of(one), "probability": None if np.isnan(p) else float(p)}
        for one, p in zip(best[0][i, :k], best[1][i, :k])
    ]


def route(model: DeskModel, X: Any, accuracy: float, confidence_level: float) -> dict[str, Any]:
    """Say which sets may be accepted, and the promise behind it."""
    told = model.predictions(X, accuracy=accuracy, confidence_level=confidence_level)
    sure = [None] * len(told.sets) if told.confidence is None else told.confidence.tolist()
    return {
        "model": model.hash,
        "promise": told.promise.words,
        "threshold": told.promise.threshold,
        "rows": [
            {"labels": model.names_of(one), "confidence": confidence, "accept": bool(accept)}
            for one, confidence, accept in zip(told.sets, sure, told.accepted)
        ],
    }


def condition(model: DeskModel, X: Any, known: Mapping[str, bool]) -> dict[str, Any]:
    """Say what follows for one row from labels that are known."""
    if count_rows(X) != 1:
        raise ValueError(f"condition answers one row at a time; got {count_rows(X)}.")
    return conditioned(model, model.consult(X, 0), known)


def conditioned(
    model: DeskModel, consultation: Consultation, known: Mapping[str, bool]
) -> dict[str, Any]:
    """Say what a consultation answers, with names of labels."""
    given = consultation.given(model.as_known(known))
    return {
        "probabilities": dict(zip(model.labels, given.probabilities.tolist())),
        "best": model.names_of(given.best),
        "probability": given.probability,
        "ask_first": None if given.ask is None else model.labels[given.ask],
        "possible": given.possible,
        "from_best_sets": given.listed,
    }


def explain(model: DeskModel, X: Any, sets: Sequence[Sequence[str]] | None) -> dict[str, Any]:
    """Say why each row has its set."""
    classifier, seen = unwrap(model.fitted, X)
    if not hasattr(classifier, "explain"):
        raise ValueError(f"{type(classifier).__name__} does not explain its sets.")
    if sets is not None and len(sets) != count_rows(X):
        raise ValueError(f"There are {count_rows(X)} rows and {len(sets)} sets; give one a row.")
    chosen = None if sets is None else np.array([model.as_set(names) for names in sets])
    names = None if model.columns is None else np.array(model.columns, dtype=object)
    explained = classifier.explain(seen, chosen, feature_names=names)
    return {"rows": [plain(one.to_dict()) for one in explained]}


def plain(value: Any) -> Any:
    """Return data as JSON can hold them: what is not a finite number becomes None."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
