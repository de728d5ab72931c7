"""How well one model did: overall, label by label, set by set, and on the rules of the data."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from labelfield import metrics
from labelfield._names import read_names
from labelfield._typing import BoolArray
from labelfield.report.summary.reading import number, read_labels, set_names
from labelfield.rules import LabelRules

__all__ = ["count_broken_rules", "score_labels", "score_overall", "score_sets"]

LISTED_RULES = 8
OVERALL = ("subset_accuracy", "f1_samples", "f1_micro", "f1_macro", "hamming_loss")


def score_overall(Y_true: Any, Y_pred: Any) -> dict[str, float | None]:
    """Return the measures most often asked for, by their name in `labelfield.metrics.METRICS`.

    Examples
    --------
    >>> from labelfield.report.summary import score_overall
    >>> score_overall([[1, 0], [1, 1]], [[1, 0], [0, 1]])["subset_accuracy"]
    0.5
    """
    return {name: number(metrics.METRICS[name](Y_true, Y_pred)) for name in OVERALL}


def score_labels(
    Y_true: Any,
    Y_pred: Any,
    *,
    marginals: Any = None,
    label_names: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """Return precision, recall, F1 and AUC of every label.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_pred : (n, L) array or sparse matrix of 0 or 1
    marginals : (n, L) array, optional
        P(y_l = 1) or another score; without it "auc" is None.
    label_names : sequence of L str, optional

    Returns
    -------
    list of dict
        "name", "support" (rows with the label), "predicted", "precision", "recall", "f1", "auc",
        in the order of the labels; None where a measure has no value.

    Examples
    --------
    >>> from labelfield.report.summary import score_labels
    >>> score_labels([[1, 0], [1, 0]], [[1, 0], [0, 0]], label_names=["sun", "snow"])[0]["recall"]
    0.5
    """
    truth, known = read_labels(Y_true, "Y_true")
    names = read_names(label_names, truth.shape[1])
    predicted = read_labels(Y_pred, "Y_pred")[0] & known
    claimed, support = predicted.sum(axis=0), truth.sum(axis=0)
    columns = {
        "precision": np.where(claimed > 0, _per_label("precision_score", Y_true, Y_pred), np.nan),
        "recall": np.where(support > 0, _per_label("recall_score", Y_true, Y_pred), np.nan),
        "f1": np.where(support + claimed > 0, _per_label("f1_score", Y_true, Y_pred), np.nan),
        "auc": np.full(len(names), np.nan)
        if marginals is None
        else _per_label("roc_auc", Y_true, marginals),
    }
    return [
        {
            "name": names[k],
            "support": int(support[k]),
            "predicted": int(claimed[k]),
            **{key: number(values[k]) for key, values in columns.items()},
        }
        for k in range(len(names))
    ]


def _per_label(name: str, Y_true: Any, Y_out: Any) -> Any:
    return getattr(metrics, name)(Y_true, Y_out, average=None)


def score_sets(
    Y_true: Any,
    Y_pred: Any,
    *,
    label_names: Sequence[str] | None = None,
    n_sets: int = 12,
) -> list[dict[str, Any]]:
    """Return, for the most frequent true sets, how often they were predicted exactly.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
        Rows with unknown entries are left out.
    Y_pred : (n, L) array or sparse matrix of 0 or 1
    label_names : sequence of L str, optional
    n_sets : int, default=12

    Returns
    -------
    list of dict
        "labels", "support", "exact" (share predicted exactly), "predicted" (how often the set was
        predicted at all) and "mistaken_for" (the wrong set predicted most often for it, with
        "labels" and "count"; None if there is none).

    Examples
    --------
    >>> from labelfield.report.summary import score_sets
    >>> [best] = score_sets([[1, 0], [1, 0]], [[1, 0], [1, 1]], label_names=["sun", "snow"])
    >>> best["labels"], best["exact"], best["mistaken_for"]["labels"]
    (['sun'], 0.5, ['sun', 'snow'])
    """
    truth, known = read_labels(Y_true, "Y_true")
    names = read_names(label_names, truth.shape[1])
    whole = known.all(axis=1)
    answers: dict[bytes, Counter[bytes]] = {}
    predicted = [row.tobytes() for row in read_labels(Y_pred, "Y_pred")[0][whole]]
    for true_set, answer in zip((row.tobytes() for row in truth[whole]), predicted):
        answers.setdefault(true_set, Counter())[answer] += 1
    often = sorted(answers, key=lambda key: (-answers[key].total(), key))[:n_sets]
    claims = Counter(predicted)

    def labels(key: bytes) -> list[str]:
        return set_names(np.frombuffer(key, dtype=bool), names)

    return [
        {
            "labels": labels(key),
            "support": answers[key].total(),
            "exact": answers[key][key] / answers[key].total(),
            "predicted": claims[key],
            "mistaken_for": _commonest_mistake(key, answers[key], labels),
        }
        for key in often
    ]


def _commonest_mistake(
    key: bytes, answers: Counter[bytes], labels: Callable[[bytes], list[str]]
) -> dict[str, Any] | None:
    wrong = [(-times, answer) for answer, times in answers.items() if answer != key]
    if not wrong:
        return None
    times, answer = min(wrong)
    return {"labels": labels(answer), "count": -times}


def count_broken_rules(
    rules: Mapping[str, Callable[[Any], Any]] | LabelRules, predictions: Mapping[str, Any]
) -> dict[str, Any]:
    """Count the predicted sets that break rules every true set keeps.

    Parameters
    ----------
    rules : LabelRules, or mapping of str to callable
        What each rule says, and a function from sets (n, L) to (n,) bool: which of them break it.
        Of LabelRules, the ones that are broken most are listed.
    predictions : mapping of str to (n, L) array
        Predicted sets by model.

    Returns
    -------
    dict
        "rules" (their names) and "models": list of dict with "model", "rows", "broken" (rows that
        break at least one rule), "share" of them, and "by_rule" (rows that break each rule).

    Examples
    --------
    >>> from labelfield.report.summary import count_broken_rules
    >>> rules = {"b needs a": lambda Y: Y[:, 1] & ~Y[:, 0]}
    >>> count_broken_rules(rules, {"br": [[1, 1], [0, 1]]})["models"][0]["broken"]
    1
    """
    models = []
    for model, Y in predictions.items():
        ones = read_labels(Y, f"predictions[{model!r}]")[0]
        breaks = _breaks(rules, ones)
        broken = int(breaks.any(axis=1).sum())
        models.append(
            {
                "model": model,
                "rows": len(ones),
                "broken": broken,
                "share": broken / max(1, len(ones)),
                "by_rule": [int(total) for total in breaks.sum(axis=0)],
            }
        )
    if not isinstance(rules, LabelRules):
        return {"rules": list(rules), "models": models}
    worst = np.argsort(-np.sum([model["by_rule"] for model in models], axis=0), kind="stable")
    shown = sorted(worst[:LISTED_RULES].tolist())
    for model in models:
        model["by_rule"] = [model["by_rule"][rule] for rule in shown]
    sentences = str(rules).splitlines()
    return {"rules": [sentences[rule] for rule in shown], "models": models}


def _breaks(rules: Mapping[str, Callable[[Any], Any]] | LabelRules, ones: BoolArray) -> BoolArray:
    """Return which sets (n, L) break which rules: (n, R)."""
    if not isinstance(rules, LabelRules):
        return np.column_stack([np.asarray(rule(ones), dtype=bool) for rule in rules.values()])
    found = rules.check(ones)
    breaks = np.zeros((len(ones), len(rules)), dtype=bool)
    breaks[found.rows, found.rules] = True
    return breaks
