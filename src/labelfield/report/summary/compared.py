"""The summary of one model out of a cross-validated comparison."""

from collections.abc import Mapping
from typing import Any

from labelfield.metrics import METRICS
from labelfield.report.summary.build import build_report

__all__ = ["build_comparison_report", "choose_result"]


def choose_result(comparison: Mapping[str, Any], metric: str = "subset_accuracy") -> str:
    """Return the name of the model and decoder that is best on a metric.

    Parameters
    ----------
    comparison : mapping
        What `labelfield.evaluation.compare_models` returns.
    metric : str, default="subset_accuracy"

    Examples
    --------
    >>> from labelfield.report import choose_result
    >>> mean = {"a": {"hamming_loss": 0.2}, "b": {"hamming_loss": 0.1}}
    >>> choose_result({"mean": mean}, "hamming_loss")
    'b'
    """
    mean: Mapping[str, Mapping[str, float]] = comparison["mean"]
    measured = sorted({name for scores in mean.values() for name in scores})
    if metric not in measured:
        raise ValueError(f"metric={metric!r} was not compared; there are {', '.join(measured)}.")
    sign = 1 if metric not in METRICS or METRICS[metric].greater_is_better else -1
    return max(mean, key=lambda name: sign * mean[name][metric])


def build_comparison_report(
    comparison: Mapping[str, Any],
    Y: Any,
    *,
    name: str | None = None,
    metric: str = "subset_accuracy",
    **details: Any,
) -> dict[str, Any]:
    """Summarize a comparison and the out-of-fold answers of one of its models.

    Parameters
    ----------
    comparison : mapping
        What `labelfield.evaluation.compare_models` returns.
    Y : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
        The labels that were compared on.
    name : str, optional
        Name of the result to look at closely; the best on `metric` if not given.
    metric : str, default="subset_accuracy"
    **details
        More of what `build_report` takes: label_names, dataset, n_features, rules, pictures, ...

    Returns
    -------
    dict
        What `build_report` returns.

    Examples
    --------
    >>> from labelfield.report import build_comparison_report
    >>> answers = {"br": {"sets": {"own": [[1, 0], [0, 1]]}, "confidence": {}, "marginals": None}}
    >>> result = {"name": "br, own", "model": "br", "decoder": "own"}
    >>> mean = {"br, own": {"subset_accuracy": 1.0}}
    >>> comparison = {"results": [result], "mean": mean, "answers": answers, "folds": 2}
    >>> build_comparison_report(comparison, [[1, 0], [0, 1]])["model"]
    'br, own'
    """
    answers = comparison["answers"]
    if answers is None:
        raise ValueError(
            "comparison has no answers because its folds do not test every row exactly once; "
            "give cv=5 or another partition of the rows to compare_models."
        )
    results = {result["name"]: result for result in comparison["results"]}
    name = choose_result(comparison, metric) if name is None else name
    if name not in results:
        raise ValueError(f"name={name!r} was not compared; there are {', '.join(results)}.")
    chosen = results[name]
    answer = answers[chosen["model"]]
    sets = {key: answers[one["model"]]["sets"][one["decoder"]] for key, one in results.items()}
    note = (
        f"Every row was predicted by a model that had not seen it ({comparison['folds']} folds); "
        f"means and deviations are over the folds."
    )
    return build_report(
        Y,
        sets.pop(name),
        marginals=answer["marginals"],
        confidence=answer["confidence"].get(chosen["decoder"]),
        model=name,
        comparison=comparison,
        predictions=sets,
        notes=[note, *details.pop("notes", ())],
        **details,
    )
