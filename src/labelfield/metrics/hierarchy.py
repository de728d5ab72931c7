"""Measures of label sets and scores in hierarchies, and of rules that predictions break.

Sets are completed with everything above their labels (by the rules that imply it) before they are
compared, so that a near miss in the hierarchy keeps what it shares with the truth.
"""

from typing import Any

from labelfield.metrics.ranking import average_precision
from labelfield.metrics.sets import f1_score, precision_score, recall_score
from labelfield.rules import LabelRules

__all__ = [
    "average_prc_area",
    "hierarchical_f1",
    "hierarchical_precision",
    "hierarchical_recall",
    "rule_violations",
]


def hierarchical_precision(
    Y_true: Any, Y_pred: Any, rules: LabelRules, *, average: str | None = "micro"
) -> Any:
    """Return the precision of sets completed with all they imply.

    Parameters
    ----------
    Y_true, Y_pred : (n, L) array or sparse matrix of 0 and 1; NaN in Y_true is unknown
    rules : LabelRules
        Such as `LabelRules.from_parents(names, parents)`.
    average : str or None, default="micro"
        As in `precision_score`; "micro" sums over rows and labels, as the literature does.

    Examples
    --------
    >>> from labelfield import LabelRules
    >>> from labelfield.metrics import hierarchical_precision
    >>> tree = LabelRules.from_paths(["pet", "pet/dog", "pet/cat"])
    >>> hierarchical_precision([[0, 1, 0]], [[0, 0, 1]], tree)
    0.5
    """
    return precision_score(rules.closure(Y_true), rules.closure(Y_pred), average=average)


def hierarchical_recall(
    Y_true: Any, Y_pred: Any, rules: LabelRules, *, average: str | None = "micro"
) -> Any:
    """Return the recall of sets completed with all they imply; see `hierarchical_precision`.

    Examples
    --------
    >>> from labelfield import LabelRules
    >>> from labelfield.metrics import hierarchical_recall
    >>> tree = LabelRules.from_paths(["pet", "pet/dog", "pet/cat"])
    >>> hierarchical_recall([[0, 1, 1]], [[1, 0, 0]], tree)
    0.3333333333333333
    """
    return recall_score(rules.closure(Y_true), rules.closure(Y_pred), average=average)


def hierarchical_f1(
    Y_true: Any, Y_pred: Any, rules: LabelRules, *, average: str | None = "micro"
) -> Any:
    """Return the F1 of sets completed with all they imply; see `hierarchical_precision`.

    Examples
    --------
    >>> from labelfield import LabelRules
    >>> from labelfield.metrics import hierarchical_f1
    >>> tree = LabelRules.from_paths(["pet", "pet/dog", "pet/cat"])
    >>> hierarchical_f1([[0, 1, 0]], [[0, 0, 1]], tree)
    0.5
    """
    return f1_score(rules.closure(Y_true), rules.closure(Y_pred), average=average)


def average_prc_area(Y_true: Any, Y_score: Any) -> float:
    """Return the area under the average precision-recall curve, AU(PRC) of hierarchical problems.

    One curve for all pairs of a row and a class; its area is the average precision, without
    interpolation: the micro average of `average_precision`. Leave the root of the hierarchy, which
    every row belongs to, out of both arguments.

    Parameters
    ----------
    Y_true : (n, L) array or sparse matrix of 0, 1 or NaN (unknown)
    Y_score : (n, L) array

    References
    ----------
    Vens, Struyf, Schietgat, Dzeroski, Blockeel (2008): Decision trees for hierarchical multi-label
    classification. Machine Learning 73.

    Examples
    --------
    >>> from labelfield.metrics import average_prc_area
    >>> average_prc_area([[1, 0], [0, 1]], [[0.9, 0.6], [0.1, 0.5]])
    0.8333333333333333
    """
    return float(average_precision(Y_true, Y_score, average="micro"))


def rule_violations(Y_pred: Any, rules: LabelRules) -> float:
    """Return the share of rows that break a rule.

    Examples
    --------
    >>> from labelfield import LabelRules
    >>> from labelfield.metrics import rule_violations
    >>> rule_violations([[1, 0], [1, 1]], LabelRules(["flu", "fever"]).implies("flu", "fever"))
    0.5
    """
    found = rules.check(Y_pred)
    return len(found) / max(found.n_rows, 1)
