"""The whole summary in one call."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from labelfield import metrics
from labelfield._names import read_names
from labelfield.label_graph import LabelGraph, associate_labels
from labelfield.report.summary.comparison import summarize_comparison
from labelfield.report.summary.confidence import summarize_automation, summarize_reliability
from labelfield.report.summary.data import describe_data
from labelfield.report.summary.examples import pick_examples
from labelfield.report.summary.graph import summarize_graph
from labelfield.report.summary.leaderboard import summarize_leaderboard
from labelfield.report.summary.reading import read_labels
from labelfield.report.summary.results import (
    count_broken_rules,
    score_labels,
    score_overall,
    score_sets,
)
from labelfield.rules import LabelRules

__all__ = ["build_report"]


def build_report(
    Y_true: Any,
    Y_pred: Any,
    *,
    marginals: Any = None,
    confidence: Any = None,
    label_names: Sequence[str] | None = None,
    model: str = "the model",
    dataset: str = "the data",
    Y: Any = None,
    n_features: int | None = None,
    comparison: Mapping[str, Any] | None = None,
    leaderboard: Sequence[Mapping[str, Any]] | None = None,
    rules: Mapping[str, Callable[[Any], Any]] | LabelRules | None = None,
    predictions: Mapping[str, Any] | None = None,
    label_graph: LabelGraph | None = None,
    row_ids: Sequence[Any] | None = None,
    pictures: Any = None,
    texts: Sequence[str] | None = None,
    reasons: Callable[[int], Mapping[str, Sequence[str]]] | None = None,
    target: float = 0.95,
    n_examples: int = 6,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Summarize data, comparison and the predictions of one model for a report.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
        True sets of rows the model has not seen in training.
    Y_pred : (n, L) array or sparse matrix of 0 or 1
        Sets the model predicted for them.
    marginals : (n, L) array, optional
        P(y_l = 1), for the area under the curve of each label.
    confidence : (n,) array in [0, 1], optional
        The stated probability that the predicted set is right.
    label_names : sequence of L str, optional
    model, dataset : str
        What they are called.
    Y : (m, L) array or sparse matrix, optional
        All labels, for the description of the data; `Y_true` if not given.
    n_features : int, optional
    comparison : mapping, optional
        What `summarize_comparison` takes.
    leaderboard : sequence of mappings, optional
        What `summarize_leaderboard` takes: the `leaderboard_` of a pooled model.
    rules : LabelRules or mapping of str to callable, optional
        What `count_broken_rules` takes.
    predictions : mapping of str to (n, L) array, optional
        Predicted sets of more models, to count the rules they break.
    label_graph : LabelGraph, optional
        What the model learned of the labels; the associations of labels in `Y` if not given.
    row_ids, pictures, texts, reasons, n_examples
        What `pick_examples` takes.
    target : float, default=0.95
        Accuracy that sets accepted without review should have.
    notes : sequence of str
        How the figures were obtained, a sentence each.

    Returns
    -------
    dict
        Plain numbers and strings, to be given to `render_html` or `write_report`, or to JSON.

    Examples
    --------
    >>> from labelfield.report import build_report
    >>> summary = build_report([[1, 0], [1, 1]], [[1, 0], [0, 1]], confidence=[0.9, 0.4])
    >>> summary["overall"]["subset_accuracy"]
    0.5
    >>> summary["reliability"]["mean_confidence"]
    0.65
    """
    names = read_names(label_names, read_labels(Y_true, "Y_true")[0].shape[1])
    all_labels = Y_true if Y is None else Y
    right = metrics.subset_accuracy(Y_true, Y_pred, average="rows")
    graph = associate_labels(all_labels, label_names=names) if label_graph is None else label_graph
    has_confidence = confidence is not None
    return {
        "model": model,
        "dataset": dataset,
        "notes": list(notes),
        "data": describe_data(all_labels, label_names=names, n_features=n_features),
        "evaluated_rows": len(right),
        "comparison": None if comparison is None else summarize_comparison(comparison),
        "leaderboard": None if leaderboard is None else summarize_leaderboard(leaderboard),
        "overall": score_overall(Y_true, Y_pred),
        "labels": score_labels(Y_true, Y_pred, marginals=marginals, label_names=names),
        "sets": score_sets(Y_true, Y_pred, label_names=names),
        "reliability": summarize_reliability(confidence, right) if has_confidence else None,
        "automation": summarize_automation(confidence, right, target=target)
        if has_confidence
        else None,
        "rules": count_broken_rules(
            rules, {"true sets": Y_true, model: Y_pred, **(predictions or {})}
        )
        if rules is not None and len(rules)
        else None,
        "graph": summarize_graph(graph),
        "examples": pick_examples(
            Y_true,
            Y_pred,
            confidence=confidence,
            label_names=names,
            row_ids=row_ids,
            pictures=pictures,
            texts=texts,
            reasons=reasons,
            n_examples=n_examples,
        ),
    }
