"""The comparison of models: means, spreads, ranks, the best on every metric."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from labelfield._typing import FloatArray, IntArray
from labelfield.metrics import METRICS
from labelfield.report.summary.reading import number

__all__ = ["summarize_comparison"]


def summarize_comparison(comparison: Mapping[str, Any]) -> dict[str, Any]:
    """Rank models on every metric.

    Parameters
    ----------
    comparison : mapping
        "mean": {model: {metric: float}} and, if known, "std" of the same form and "ranks":
        {metric: {"indistinct": groups of models, by number, that a test cannot tell apart}}, all
        as `labelfield.evaluation.compare_models` gives them. "titles" and "greater_is_better",
        {metric: ...}, describe metrics that are not in `labelfield.metrics.METRICS`.

    Returns
    -------
    dict
        "models": list of dict with "model" and "mean_rank" (over the metrics; 1 is best), best
        first. "metrics": list of dict with "name", "title", "greater_is_better" and "scores", a
        list in the order of the models of dict with "model", "mean", "std", "rank", "best" and
        "tied" (whether a test cannot tell it from the best).

    Examples
    --------
    >>> from labelfield.report.summary import summarize_comparison
    >>> mean = {"br": {"hamming_loss": 0.1}, "chain": {"hamming_loss": 0.3}}
    >>> summarize_comparison({"mean": mean})["models"][0]
    {'model': 'br', 'mean_rank': 1.0}
    """
    mean = comparison["mean"]
    models = list(mean)
    names = list(dict.fromkeys(name for scores in mean.values() for name in scores))
    if not names:
        raise ValueError("comparison holds no scores; give {'mean': {model: {metric: value}}}.")
    values = np.array(
        [[mean[model].get(name, np.nan) for name in names] for model in models], dtype=np.float64
    )
    better = [_greater_is_better(name, comparison) for name in names]
    ranks = rankdata(np.where(better, -values, values), axis=0, nan_policy="omit")
    measured = ~np.isnan(ranks)
    mean_rank = np.nansum(ranks, axis=1) / np.where(
        measured.any(axis=1), measured.sum(axis=1), np.nan
    )
    order = np.argsort(mean_rank, kind="stable")
    return {
        "models": [{"model": models[k], "mean_rank": number(mean_rank[k])} for k in order],
        "metrics": [
            {
                "name": name,
                "title": comparison.get("titles", {}).get(name, _title(name)),
                "greater_is_better": better[column],
                "scores": _scores(
                    comparison, models, name, values[:, column], ranks[:, column], order
                ),
            }
            for column, name in enumerate(names)
        ],
    }


def _scores(
    comparison: Mapping[str, Any],
    models: list[str],
    name: str,
    values: FloatArray,
    ranks: FloatArray,
    order: IntArray,
) -> list[dict[str, Any]]:
    best = np.flatnonzero(ranks == np.nanmin(ranks, initial=np.inf))
    groups = comparison.get("ranks", {}).get(name, {}).get("indistinct", [])
    tied = {k for group in groups if set(group) & set(best.tolist()) for k in group}
    spread = comparison.get("std", {})
    return [
        {
            "model": models[k],
            "mean": number(values[k]),
            "std": _known(spread.get(models[k], {}).get(name)),
            "rank": number(ranks[k]),
            "best": bool(k in best),
            "tied": bool(k in tied and k not in best),
        }
        for k in order
    ]


def _known(value: Any) -> float | None:
    return None if value is None else number(value)


def _greater_is_better(name: str, comparison: Mapping[str, Any]) -> bool:
    given = comparison.get("greater_is_better", {})
    if name in given:
        return bool(given[name])
    return METRICS[name].greater_is_better if name in METRICS else True


def _title(name: str) -> str:
    return METRICS[name].title if name in METRICS else name.replace("_", " ")
