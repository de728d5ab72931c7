"""Metrics by name, and scorers for scikit-learn's model selection."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from labelfield.metrics import ranking, sets
from labelfield.metrics._inputs import check_choice

__all__ = ["METRICS", "Metric", "get_scorer"]

Needs = Literal["sets", "scores"]


@dataclass(frozen=True)
class Metric:
    """A named measure; call it as `metric(Y_true, Y_pred)` or `metric(Y_true, Y_score)`.

    Parameters
    ----------
    name : str
        Key in `METRICS`.
    title : str
        Heading in tables.
    function : callable
    needs : {"sets", "scores"}
        Whether the second argument holds predicted sets or scores.
    greater_is_better : bool

    Examples
    --------
    >>> from labelfield.metrics import METRICS
    >>> METRICS["f1_micro"]([[1, 0]], [[1, 1]])
    0.6666666666666666
    >>> METRICS["hamming_loss"].greater_is_better
    False
    """

    name: str
    title: str
    function: Callable[..., float]
    needs: Needs
    greater_is_better: bool

    def __call__(self, Y_true: Any, Y_out: Any) -> float:
        return self.function(Y_true, Y_out)


@dataclass(frozen=True)
class Scorer:
    """Score a fitted estimator; losses come out negative, so that greater is always better."""

    metric: Metric

    def __call__(self, estimator: Any, X: Any, Y_true: Any) -> float:
        if self.metric.needs == "sets":
            output = estimator.predict(X)
        else:
            output = label_scores(estimator, X, n_dims=np.ndim(Y_true))
        value = self.metric(Y_true, output)
        return value if self.metric.greater_is_better else -value


def label_scores(estimator: Any, X: Any, n_dims: int) -> Any:
    """Return one score per label, whichever of scikit-learn's shapes the estimator answers in."""
    if not hasattr(estimator, "predict_proba"):
        return estimator.decision_function(X)
    proba = estimator.predict_proba(X)
    if isinstance(proba, list):
        columns = [_of_class_one(*pair) for pair in zip(proba, estimator.classes_)]
        return np.column_stack(columns)
    if n_dims == 1 and proba.ndim == 2:
        return _of_class_one(proba, estimator.classes_)
    return proba


def _of_class_one(proba: Any, classes: Any) -> Any:
    return proba @ (np.asarray(classes) == 1)


TITLES = {"samples": "instance", "macro": "macro", "micro": "micro"}


def _averages(word: str, title: str, function: Callable[..., Any], needs: Needs) -> list[Metric]:
    return [
        Metric(f"{word}_{how}", f"{kind} {title}", partial(function, average=how), needs, True)
        for how, kind in TITLES.items()
    ]


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in [
        Metric("subset_accuracy", "subset accuracy", sets.subset_accuracy, "sets", True),
        Metric("hamming_loss", "Hamming loss", sets.hamming_loss, "sets", False),
        *_averages("f1", "F1", sets.f1_score, "sets"),
        *_averages("jaccard", "Jaccard", sets.jaccard_score, "sets"),
        *_averages("precision", "precision", sets.precision_score, "sets"),
        *_averages("recall", "recall", sets.recall_score, "sets"),
        *_averages("roc_auc", "AUC", ranking.roc_auc, "scores"),
        *_averages("average_precision", "average precision", ranking.average_precision, "scores"),
        *(
            Metric(
                f"precision_at_{k}", f"P@{k}", partial(ranking.precision_at_k, k=k), "scores", True
            )
            for k in (1, 3, 5)
        ),
        Metric("coverage_error", "coverage error", ranking.coverage_error, "scores", False),
        Metric("ranking_loss", "ranking loss", ranking.ranking_loss, "scores", False),
    ]
}


def get_scorer(name: str) -> Scorer:
    """Return a scorer for `GridSearchCV(scoring=...)`, `cross_val_score` and the like.

    Parameters
    ----------
    name : str
        A key of `METRICS`.

    Returns
    -------
    callable
        `scorer(estimator, X, Y)`; losses come out negative.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from labelfield.metrics import get_scorer
    >>> X, Y = np.array([[0.0], [1.0], [2.0]]), np.array([[1, 0], [1, 1], [0, 0]])
    >>> model = KNeighborsClassifier(n_neighbors=1).fit(X, Y)
    >>> get_scorer("subset_accuracy")(model, X, Y)
    1.0
    """
    check_choice(name, METRICS, "name")
    return Scorer(METRICS[name])
