"""Base learners by short name: what a model fits to each label."""

from typing import Annotated, Any

import typer

__all__ = ["BASES", "WANT_DENSE", "BaseName", "make_base"]


def _logistic() -> Any:
    return None  # the models' own, batched over labels


def _svm() -> Any:
    from sklearn.linear_model import SGDClassifier
    from sklearn.multiclass import OneVsRestClassifier

    # a linear machine with a squared hinge that gives probabilities, also of rare labels
    return OneVsRestClassifier(SGDClassifier(loss="modified_huber", random_state=0))


def _trees() -> Any:
    from labelfield.learners import LabelTrees

    return LabelTrees("forest")


def _boosting() -> Any:
    from labelfield.learners import LabelTrees

    return LabelTrees("boosting")


BASES = {"logistic": _logistic, "svm": _svm, "trees": _trees, "boosting": _boosting}
WANT_DENSE = ("trees", "boosting")  # of text, few columns instead of a column per word

BaseName = Annotated[
    str | None,
    typer.Option(
        "--base",
        help=f"What the model learns each label with: {', '.join(BASES)} (default: its own).",
        metavar="NAME",
    ),
]


def make_base(name: str, entry: Any) -> Any:
    """Return the `estimator` argument of a model: the base learner, or a wrapped model on it."""
    from labelfield import registry

    if name not in BASES:
        raise ValueError(f"--base {name!r} is unknown; there are {', '.join(BASES)}.")
    inner = registry.get(entry.wraps) if entry.wraps else entry
    if "estimator" not in inner.make().get_params(deep=False):
        raise ValueError(f"Model {entry.id} has no base learner to choose; leave out --base.")
    base = BASES[name]()
    return inner.make(estimator=base) if entry.wraps else base
