"""Base learners by short name: what a model fits to each label."""

from typing import Annotated, Any

import typer

__all__ = ["BASES", "BaseName", "make_base"]


def _logistic() -> Any:
    return None  # the models' own, batched over labels


def _svm() -> Any:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    return OneVsRestClassifier(CalibratedClassifierCV(LinearSVC()))


BASES = {"logistic": _logistic, "svm": _svm}

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
