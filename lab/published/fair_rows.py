"""Rows that every comparison of whole sets needs, whichever the document printed."""

from dataclasses import replace

from lab.grids import COSTS, DECADES, STRENGTHS
from lab.table import Method, Model, Search

__all__ = [
    "EMPTY_RULE",
    "LEAST_SQUARES",
    "MANY_SETS",
    "NOT_PRINTED",
    "OURS",
    "OURS_CHOOSES",
    "SUPPORT_VECTORS",
    "TUNED",
    "fair_rows",
    "never_empty",
    "strengths_by",
]

NOT_PRINTED = "(not printed)"
EMPTY_RULE = (
    "Reranking answers with a set that was a candidate, hence never with the empty set where "
    "training rows hold none. Its gain is the one on binary relevance under the same rule, which "
    "has a row of its own, as have others that decide label by label; label power sets keep that "
    "rule by construction."
)
MANY_SETS = (
    "The RBF machine under the power set is one of least squares, which learns all label sets at "
    "once: a support vector machine compares every pair of them, two million on BIBTEX."
)
TUNED = (
    "Strengths are chosen on a fifth of the training rows by the measure of the table, from .01 to "
    "1000 for all logistic regressions, in steps of 3, or of 10 where a fit takes longer "
    "(mixtures, power sets, reranking, second levels); where it takes minutes (the CRF, RAKEL, the "
    "level below a boosted one), by the held-out likelihood of logistic regressions."
)


def strengths_by(metric: str, name: str = "alpha", grid: tuple = STRENGTHS) -> Search:
    """Return the search for a strength, over the same range for all rows of a table."""
    return Search({name: grid}, metric, folds=1)


def never_empty(row: Method) -> Method:
    """Return a row whose labels are decided one by one under the rule of those for whole sets."""
    return replace(row, title=f"{row.title}, no empty set {NOT_PRINTED}", decoder="subset")


OURS = Method(
    "LabelSetClassifier (not in the thesis)",
    Model("labelfield.LabelSetClassifier", {"random_state": 0}),
)
OURS_CHOOSES = "LabelSetClassifier, with its defaults, chooses learners and settings itself."
LEAST_SQUARES = Model("lab.variants.least_squares_machine.LeastSquaresMachine")
SUPPORT_VECTORS = Model("sklearn.svm.SVC", {"gamma": "scale"})


def fair_rows(
    scale: str | None = None,
    machine: Model = SUPPORT_VECTORS,
    metric: str = "subset_accuracy",
) -> tuple[Method, Method, Method]:
    """Return binary relevance and power sets on logistic regressions and on an RBF machine.

    All are tuned inside the training part, and none answers with the empty set where training rows
    hold none.

    Parameters
    ----------
    scale : str, optional
        How the features are scaled, see `lab.scaling`.
    machine : Model
        With a parameter C; LEAST_SQUARES where there are hundreds of label sets, whose logistic
        power sets then choose from DECADES, and stop early.
    metric : str
        What they are tuned by.
    """
    few_sets = machine is SUPPORT_VECTORS
    models = (
        ("BR, no empty set", Model("br", {"decoder": "subset"}), "alpha", STRENGTHS),
        (
            "power set, logistic",
            Model("lp", {"max_iter": 1000 if few_sets else 100}),
            "alpha",
            STRENGTHS if few_sets else DECADES,
        ),
        ("power set, RBF machine", Model("lp", {"estimator": machine}), "estimator__C", COSTS),
    )
    return tuple(
        Method(
            f"{title} {NOT_PRINTED}",
            model,
            scale=scale,
            search=Search({name: values}, metric, folds=1),
        )
        for title, model, name, values in models
    )
