"""Rows that every comparison of whole sets needs, whichever the document printed."""

from lab.table import Method, Model, Search

__all__ = ["EMPTY_RULE", "NO_EMPTY_SET", "power_sets"]

NOT_PRINTED = "(not printed)"
EMPTY_RULE = (
    "Reranking answers with a set that was a candidate, hence never with the empty set where "
    "training rows hold none. Its gain is the one on binary relevance under the same rule, which "
    "has a row of its own; label power sets keep that rule by construction."
)
NO_EMPTY_SET = Method(
    f"BR, no empty set {NOT_PRINTED}",
    Model("br", {"decoder": "subset"}),
    search=Search({"alpha": (0.3, 1.0, 3.0, 10.0)}, "subset_accuracy"),
)


def power_sets(scale: str | None = None) -> tuple[Method, Method]:
    """Return label power sets on logistic regression and on an RBF machine, tuned inside.

    Parameters
    ----------
    scale : str, optional
        How the features are scaled, see `lab.scaling`.
    """
    machine = Model("sklearn.svm.SVC", {"gamma": "scale"})
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
