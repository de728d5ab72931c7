"""Rows that every comparison of whole sets needs, whichever the document printed."""

from lab.table import Method, Model, Search
from lab.variants.exact_match_relevance import STRENGTHS

__all__ = [
    "EMPTY_RULE",
    "LEAST_SQUARES",
    "MANY_SETS",
    "NO_EMPTY_SET",
    "OURS",
    "OURS_CHOOSES",
    "TUNED",
    "power_sets",
    "strengths_by",
]

NOT_PRINTED = "(not printed)"
EMPTY_RULE = (
    "Reranking answers with a set that was a candidate, hence never with the empty set where "
    "training rows hold none. Its gain is the one on binary relevance under the same rule, which "
    "has a row of its own; label power sets keep that rule by construction."
)
MANY_SETS = (
    "The RBF machine under the power set is one of least squares, which learns all label sets at "
    "once: a support vector machine compares every pair of them, two million on BIBTEX."
)
TUNED = (
    "Strengths are chosen on a fifth of the training rows by the measure of the table, from .1 to "
    "30 (power sets: .1, 1, 10); where a fit takes minutes (the CRF, RAKEL, the level below a "
    "boosted one), by the held-out likelihood of logistic regressions."
)


def strengths_by(metric: str, name: str = "alpha") -> Search:
    """Return the search for a strength that is the same for all rows of a table."""
    return Search({name: STRENGTHS}, metric, folds=1)


NO_EMPTY_SET = Method(
    f"BR, no empty set {NOT_PRINTED}",
    Model("br", {"decoder": "subset"}),
    search=strengths_by("subset_accuracy"),
)


OURS = Method(
    "LabelSetClassifier (not in the thesis)",
    Model("labelfield.LabelSetClassifier", {"random_state": 0}),
)
OURS_CHOOSES = "LabelSetClassifier, with its defaults, chooses learners and settings itself."
LEAST_SQUARES = Model("lab.variants.least_squares_machine.LeastSquaresMachine")
SUPPORT_VECTORS = Model("sklearn.svm.SVC", {"gamma": "scale"})


def power_sets(scale: str | None = None, machine: Model = SUPPORT_VECTORS) -> tuple[Method, Method]:
    """Return label power sets on logistic regression and on an RBF machine, tuned inside.

    Parameters
    ----------
    scale : str, optional
        How the features are scaled, see `lab.scaling`.
    machine : Model
        With a parameter C; LEAST_SQUARES where there are hundreds of label sets.
    """
    return (
        Method(
            f"power set, logistic {NOT_PRINTED}",
            Model("lp", {"max_iter": 100}),
            scale=scale,
            search=Search({"alpha": (0.1, 1.0, 10.0)}, "subset_accuracy", folds=1),
        ),
        Method(
            f"power set, RBF machine {NOT_PRINTED}",
            Model("lp", {"estimator": machine}),
            scale=scale,
            search=Search({"estimator__C": (1.0, 10.0, 100.0)}, "subset_accuracy", folds=1),
        ),
    )
