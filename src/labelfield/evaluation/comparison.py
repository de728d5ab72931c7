"""Cross-validated comparison of several models and decisions on one data set."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from labelfield._gate.indicator import read_indicator
from labelfield._gate.tags import holds_tags, read_tags
from labelfield.decode import resolve
from labelfield.evaluation.answers import OWN, Answers, answer
from labelfield.evaluation.shown import Comparison
from labelfield.evaluation.statistics import (
    average_ranks,
    critical_difference,
    friedman_p,
    indistinct_groups,
)
from labelfield.evaluation.work import Progress, run_all
from labelfield.metrics import METRICS
from labelfield.model_selection import MultilabelStratifiedKFold

__all__ = ["compare_models"]

COMMON_METRICS = (
    "subset_accuracy",
    "hamming_loss",
    "f1_samples",
    "jaccard_samples",
    "f1_macro",
    "f1_micro",
)


def compare_models(
    X: Any,
    Y: Any,
    models: Mapping[str, Any],
    *,
    decoders: Sequence[str] = ("subset", "f1", "hamming"),
    metrics: Sequence[str] = COMMON_METRICS,
    cv: Any = 5,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    keep_finished: bool = False,
) -> Comparison:
    """Cross-validate several models, each with several decisions.

    A model is fitted once per fold, whatever the number of decoders; only decoders that learn
    themselves (thresholds) need a fit of their own.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, d)
    Y : array, CSR matrix or data frame of shape (n, L), or n lists of tags
    models : mapping of name to classifier
        Models of ours, pipelines that end in one, or any scikit-learn multi-label classifier. A
        model without a joint distribution is measured with its own decision only.
    decoders : sequence of str
        Short names of decoders; "own" is the decision of the model's `predict`.
    metrics : sequence of str
        Keys of `labelfield.metrics.METRICS`.
    cv : int, splitter or iterable of (train, test) row numbers, default=5
        An int asks for as many stratified folds.
    random_state : int, optional
        Of the stratified folds, and of models that take one and have none.
    n_jobs : int, optional
        Processes at once.
    progress : callable, optional
        Called as `progress(done, total, seconds_left)`.
    keep_finished : bool, default=False
        Whether an interruption (Ctrl-C) gives the models whose folds are all done, if there are
        any, instead of being passed on; "unfinished" then names the others.

    Returns
    -------
    Comparison
        A dictionary that prints as a table.
        "results": one entry per model and decoder with its "name", "figures" (per metric "mean",
        "deviation" and "values" of the folds), "fit_seconds" and "predict_seconds" (CPU, mean per
        fold). "mean" and "std": the same figures as {name: {metric: value}}.
        "ranks": per metric the "average" rank of each entry over the folds, Friedman's p, Nemenyi's
        critical difference and the groups it cannot tell apart. Folds of one data set share
        training rows, so read these as a description rather than a proof.
        "answers": per model out-of-fold "sets", "confidence" and "marginals"; None unless every
        row is tested exactly once. "metrics", "folds", "rows", "labels": what was done;
        "unfinished": names of models left out after an interruption.

    Examples
    --------
    >>> from labelfield import BinaryRelevance, LabelPowerset
    >>> from labelfield.datasets import make_multilabel
    >>> from labelfield.evaluation import compare_models
    >>> data = make_multilabel(n_samples=120, n_labels=3, random_state=0)
    >>> models = {"BR": BinaryRelevance(), "LP": LabelPowerset()}
    >>> found = compare_models(data.X, data.Y, models, decoders=("subset", "f1"), cv=3)
    >>> [(entry["model"], entry["decoder"]) for entry in found["results"]]
    [('BR', 'subset'), ('BR', 'f1'), ('LP', 'subset'), ('LP', 'f1')]
    """
    _check_names(models, decoders, metrics)
    labels = _read_labels(Y)
    folds = _read_folds(cv, X, labels, random_state)
    shared = (X, labels, tuple(decoders), tuple(metrics))
    pieces = [
        (name, _seeded(model, random_state), number, train, test, *shared)
        for name, model in models.items()
        for number, (train, test) in enumerate(folds)
    ]
    by_model: dict[str, list[_Outcome]] = {name: [] for name in models}
    try:
        for outcome in run_all(_fit_fold, pieces, n_jobs=n_jobs, progress=progress):
            by_model[outcome.name].append(outcome)
    except KeyboardInterrupt:
        if not keep_finished or not any(len(done) == len(folds) for done in by_model.values()):
            raise
    by_model = {
        name: sorted(done, key=lambda outcome: outcome.fold)
        for name, done in by_model.items()
        if len(done) == len(folds)
    }
    results = [entry for name, done in by_model.items() for entry in _entries(name, done, metrics)]
    once = np.array_equal(
        np.sort(np.concatenate([test for _, test in folds])), np.arange(len(labels))
    )
    answers = {name: _gather(found, folds) for name, found in by_model.items()}
    return Comparison(
        rows=len(labels),
        labels=labels.shape[1],
        folds=len(folds),
        unfinished=[name for name in models if name not in by_model],
        metrics=[_describe_metric(name) for name in metrics],
        results=results,
        mean=_one_statistic(results, "mean"),
        std=_one_statistic(results, "deviation"),
        ranks={metric: _rank(results, metric) for metric in metrics},
        answers=answers if once else None,
    )


@dataclass(frozen=True)
class _Outcome:
    """A model on one fold."""

    name: str
    fold: int
    answers: Answers
    figures: dict[str, dict[str, float]]
    fit_seconds: float
    predict_seconds: float


def _check_names(models: Mapping, decoders: Sequence[str], metrics: Sequence[str]) -> None:
    if not models:
        raise ValueError("models is empty; give at least one, such as {'BR': BinaryRelevance()}.")
    if not decoders:
        raise ValueError("decoders is empty; give at least one, such as 'subset' or 'own'.")
    for name in decoders:
        if name != OWN:
            resolve(name)
    for name in metrics:
        if name not in METRICS:
            raise ValueError(f"No metric is called {name!r}; there are {', '.join(METRICS)}.")


def _read_labels(Y: Any) -> np.ndarray:
    if holds_tags(Y):
        Y, _ = read_tags(Y, "Y")
    ones, unknown = read_indicator(Y, "Y")
    if sp.issparse(ones):
        ones, unknown = ones.toarray(), unknown.toarray()
    if ones.ndim == 1:
        ones, unknown = ones[:, None], unknown[:, None]
    return np.where(unknown, np.nan, ones) if unknown.any() else ones.astype(np.uint8)


def _read_folds(cv: Any, X: Any, labels: np.ndarray, random_state: int | None) -> list[tuple]:
    if isinstance(cv, Integral):
        cv = MultilabelStratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    return list(cv.split(X, labels) if hasattr(cv, "split") else cv)


def _seeded(model: Any, random_state: int | None) -> Any:
    """Return a copy whose missing seeds are filled in."""
    model = clone(model)
    missing = {
        name: random_state
        for name, value in model.get_params().items()
        if name.rpartition("__")[2] == "random_state" and value is None
    }
    return model.set_params(**missing)


def _fit_fold(name, model, fold, train, test, X, labels, decoders, metrics) -> _Outcome:
    train_X, test_X = _safe_indexing(X, train), _safe_indexing(X, test)
    has_joint = hasattr(_last_step(model), "predict_joint")
    asked = decoders if has_joint else (OWN,)
    learned = [one for one in asked if one != OWN and resolve(one).needs_fit]
    needs_scores = any(METRICS[metric].needs == "scores" for metric in metrics)
    started = time.process_time()
    fitted = model.fit(train_X, labels[train])
    trained = time.process_time()
    plain = [one for one in asked if one not in learned]
    answers = answer(fitted, test_X, plain, confidence=True, scores=has_joint or needs_scores)
    predicted = time.process_time()
    for decoder in learned:
        refitted = _with_decoder(model, decoder).fit(train_X, labels[train])
        found = answer(refitted, test_X, (OWN,), confidence=True)
        answers.sets[decoder] = found.sets[OWN]
        answers.confidence[decoder] = found.confidence[OWN]
    figures = {
        decoder: {
            metric: METRICS[metric](
                labels[test],
                answers.sets[decoder] if METRICS[metric].needs == "sets" else answers.scores,
            )
            for metric in metrics
        }
        for decoder in asked
    }
    return _Outcome(name, fold, answers, figures, trained - started, predicted - trained)


def _last_step(model: Any) -> Any:
    while hasattr(model, "steps"):
        model = model.steps[-1][1]
    return model


def _with_decoder(model: Any, decoder: str) -> Any:
    copy = clone(model)
    _last_step(copy).set_params(decoder=decoder)
    return copy


def _entries(name: str, outcomes: list[_Outcome], metrics: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "name": f"{name}, {decoder}",
            "model": name,
            "decoder": decoder,
            "figures": {
                metric: _spread([outcome.figures[decoder][metric] for outcome in outcomes])
                for metric in metrics
            },
            "fit_seconds": float(np.mean([outcome.fit_seconds for outcome in outcomes])),
            "predict_seconds": float(np.mean([outcome.predict_seconds for outcome in outcomes])),
        }
        for decoder in outcomes[0].figures
    ]


def _spread(values: list[float]) -> dict[str, Any]:
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return {
        "mean": float(np.mean(values)),
        "deviation": deviation,
        "values": list(map(float, values)),
    }


def _one_statistic(results: list[dict[str, Any]], statistic: str) -> dict[str, dict[str, Any]]:
    return {
        entry["name"]: {metric: one[statistic] for metric, one in entry["figures"].items()}
        for entry in results
    }


def _describe_metric(name: str) -> dict[str, Any]:
    metric = METRICS[name]
    return {
        "name": name,
        "title": metric.title,
        "greater_is_better": metric.greater_is_better,
    }


def _rank(results: list[dict[str, Any]], metric: str) -> dict[str, Any]:
    scores = np.array([entry["figures"][metric]["values"] for entry in results]).T
    average = average_ranks(scores, greater_is_better=METRICS[metric].greater_is_better)
    several = scores.shape[1] > 1
    difference = critical_difference(scores.shape[1], scores.shape[0]) if several else None
    return {
        "average": average.tolist(),
        "friedman_p": friedman_p(scores),
        "critical_difference": difference,
        "indistinct": indistinct_groups(average, difference) if several else [],
    }


def _gather(outcomes: list[_Outcome], folds: list[tuple]) -> dict[str, Any]:
    """Put the folds' answers into the order of the rows."""
    back = np.argsort(np.concatenate([test for _, test in folds]))

    def in_order(parts: list[np.ndarray]) -> np.ndarray:
        return np.concatenate(parts)[back]

    first = outcomes[0].answers
    return {
        "sets": {
            decoder: in_order([one.answers.sets[decoder] for one in outcomes])
            for decoder in first.sets
        },
        "confidence": {
            decoder: in_order([one.answers.confidence[decoder] for one in outcomes])
            for decoder in first.confidence
        },
        "marginals": None
        if first.scores is None
        else in_order([one.answers.scores for one in outcomes]),
    }
