"""Is the stated confidence in a set calibrated, and which sets can be accepted without review?"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from labelfield import metrics
from labelfield._typing import FloatArray
from labelfield.metrics.intervals import share_interval
from labelfield.report.formatting import count, percent
from labelfield.report.summary.reading import number

__all__ = ["summarize_automation", "summarize_reliability"]

FEW = 30
WORTH_SAYING = 0.5  # nobody accepts sets of which fewer are right
DRAWN = 200
TARGETS = (0.8, 0.9, 0.95, 0.98, 0.99)


def summarize_reliability(confidence: Any, correct: Any, *, n_bins: int = 10) -> dict[str, Any]:
    """Summarize how well confidence in sets matches how often they were right.

    Parameters
    ----------
    confidence : (n,) array in [0, 1]
    correct : (n,) array of 0, 1 or NaN (unknown)
    n_bins : int, default=10

    Returns
    -------
    dict
        "bins" (each with "low", "high", "count", "confidence", "accuracy" and its 95 % interval
        "from", "to"), "mean_confidence", "accuracy", "ece", "brier" and a "sentence".

    Examples
    --------
    >>> from labelfield.report.summary import summarize_reliability
    >>> summarize_reliability([0.75, 0.75, 0.75, 0.75], [1, 1, 1, 0])["ece"]
    0.0
    """
    c, v = _known_rows(confidence, correct)
    bins = metrics.reliability_bins(c, v, n_bins=n_bins)
    hits = np.nan_to_num(bins["accuracy"]) * bins["count"]
    low, high = share_interval(hits, bins["count"])
    mean, accuracy = float(c.mean()), float(v.mean())
    return {
        "bins": [
            {
                "low": float(bins["edges"][k]),
                "high": float(bins["edges"][k + 1]),
                "count": int(bins["count"][k]),
                "confidence": number(bins["confidence"][k]),
                "accuracy": number(bins["accuracy"][k]),
                "from": number(low[k]),
                "to": number(high[k]),
            }
            for k in range(n_bins)
        ],
        "mean_confidence": mean,
        "accuracy": accuracy,
        "ece": metrics.expected_calibration_error(c, v, n_bins=n_bins),
        "brier": metrics.brier_score(c, v),
        "sentence": _reliability_sentence(mean, accuracy, c, v),
    }


def _reliability_sentence(mean: float, accuracy: float, c: FloatArray, v: FloatArray) -> str:
    # twice the standard error of the difference: smaller gaps may be chance
    chance = 2.0 * float(np.std(c - v)) / np.sqrt(len(c))
    figures = f"it averages {percent(mean)}, and {percent(accuracy)} of the sets are right"
    if abs(mean - accuracy) <= max(chance, 0.005):
        return f"The confidence matches the accuracy within sampling error: {figures}."
    direction = "too high" if mean > accuracy else "too low"
    return f"The confidence is {direction}: {figures}."


def summarize_automation(
    confidence: Any,
    correct: Any,
    *,
    target: float = 0.95,
    targets: Sequence[float] = TARGETS,
) -> dict[str, Any]:
    """Summarize how many sets can be accepted without review.

    Sets are accepted from the most confident down, as many as keep the target accuracy.

    Parameters
    ----------
    confidence : (n,) array in [0, 1]
    correct : (n,) array of 0, 1 or NaN (unknown)
    target : float in (0, 1], default=0.95
        Accuracy that the accepted sets should have.
    targets : sequence of float
        More of them, for the table.

    Returns
    -------
    dict
        "target", "chosen" (the accepted share and its "threshold", "accepted", "right",
        "accuracy", 95 % interval "from", "to"; None if no set can be accepted), "table" (the same
        for every target), "curve", "rows", and "sentence" and "detail", which say it in words.

    Examples
    --------
    >>> from labelfield.report.summary import summarize_automation
    >>> automation = summarize_automation([0.9] * 60 + [0.3] * 40, [1] * 60 + [0] * 40)
    >>> automation["sentence"].replace("\u202f", " ")
    '60 % of cases can be accepted at 95 % accuracy.'
    """
    if not 0.0 < target <= 1.0:
        raise ValueError(f"target={target} must lie in (0, 1].")
    c, v = _known_rows(confidence, correct)
    share, accuracy, threshold = metrics.automation_curve(c, v)
    accepted = np.rint(share * len(c))
    low, high = share_interval(accuracy * accepted, accepted)
    columns = {
        "share": share,
        "accuracy": accuracy,
        "threshold": threshold,
        "accepted": accepted,
        "right": np.rint(accuracy * accepted),
        "from": low,
        "to": high,
    }

    def point(k: int) -> dict[str, Any]:
        values = {key: float(column[k]) for key, column in columns.items()}
        return {**values, "accepted": int(accepted[k]), "right": int(columns["right"][k])}

    def reach(level: float) -> dict[str, Any] | None:
        enough = np.flatnonzero(accuracy >= level)
        return point(int(enough[-1])) if len(enough) else None

    chosen = reach(target)
    drawn = np.unique(np.linspace(0, len(share) - 1, DRAWN).astype(int))
    return {
        "target": target,
        "rows": len(c),
        "chosen": chosen,
        "table": [
            {"target": level, "chosen": reach(level)} for level in sorted({target, *targets})
        ],
        "curve": [point(int(k)) for k in drawn],
        "sentence": _automation_sentence(chosen, target, _reachable(accepted, accuracy), len(c)),
        "detail": _automation_detail(chosen, target, point(int(np.argmax(accuracy)))),
    }


def _reachable(accepted: FloatArray, accuracy: FloatArray) -> tuple[float, float] | None:
    """The highest accuracy, in whole per cent, that enough cases reach, and their share."""
    enough = accepted >= FEW
    if not enough.any():
        return None
    level = np.floor(100 * accuracy[enough].max()) / 100
    last = np.flatnonzero(enough & (accuracy >= level))[-1]
    return float(level), float(accepted[last] / accepted[-1])


def _automation_sentence(
    chosen: dict[str, Any] | None,
    target: float,
    reachable: tuple[float, float] | None,
    rows: int,
) -> str:
    """The headline: what can be accepted at the target or, where too little can, at what else."""
    instead = ""
    if reachable is not None and reachable[0] >= WORTH_SAYING:
        share = "All" if reachable[1] == 1.0 else f"{percent(reachable[1])} of"
        instead = f" {share} cases can at {percent(reachable[0])}."
    if chosen is None:
        return f"No case can be accepted without review at {percent(target)} accuracy.{instead}"
    if chosen["accepted"] < FEW:
        return (
            f"Only {count(chosen['accepted'])} of {count(rows)} cases could be accepted at "
            f"{percent(target)} accuracy: too few to rely on.{instead}"
        )
    share = "All" if chosen["accepted"] == rows else f"{percent(chosen['share'])} of"
    return f"{share} cases can be accepted at {percent(target)} accuracy."


def _automation_detail(chosen: dict[str, Any] | None, target: float, best: dict[str, Any]) -> str:
    if chosen is None:
        return (
            f"The highest accuracy at any confidence threshold is {percent(best['accuracy'])}, "
            f"reached on the most confident {percent(best['share'])} of cases."
        )
    advice = (
        f"Accept a set when its confidence is at least {chosen['threshold']:.3f}: of "
        f"{count(chosen['accepted'])} accepted sets {count(chosen['right'])} were right "
        f"({percent(chosen['accuracy'], 1)}; 95\u202f% interval {percent(chosen['from'], 1)} to "
        f"{percent(chosen['to'], 1)})."
    )
    if chosen["accepted"] < FEW:
        return f"{advice} These are too few cases to be certain: check on more data."
    if chosen["from"] < target:
        return f"{advice} On new cases the accuracy may fall somewhat short of {percent(target)}."
    return advice


def _known_rows(confidence: Any, correct: Any) -> tuple[FloatArray, FloatArray]:
    c, v = (np.asarray(values, dtype=np.float64) for values in (confidence, correct))
    if c.shape != v.shape or c.ndim != 1:
        raise ValueError(
            f"confidence has shape {c.shape} and correct {v.shape}; give one number per row, (n,)."
        )
    known = ~np.isnan(v)
    return c[known], v[known]
