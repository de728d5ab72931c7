"""Estimators from their descriptions."""

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import Any

from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.pipeline import Pipeline

from lab.restorers import RESTORERS
from lab.scaling import FeatureScaler
from lab.table import Model, Search
from labelfield import registry
from labelfield.metrics import get_scorer

__all__ = ["build", "build_row", "is_known", "is_random"]

# What tables mean where they say no more: a fixed strength, every label decided by itself.
FIXED = {"alpha": 1.0}
ROUNDED = {"decoder": "hamming"}
UNSAID = {
    **dict.fromkeys(("br", "2br", "dbr", "rakel", "ecc", "weak"), FIXED | ROUNDED),
    **dict.fromkeys(("lp", "cc", "pcc", "cbm", "crf", "corrlog", "cgl", "hllm", "plem"), FIXED),
    **dict.fromkeys(("mlknn", "mlrgl", "lcml", "fasttag"), ROUNDED),
    "completion": FIXED,
    "iblr": {"alpha": 1e-4, **ROUNDED},
}
HELD_OUT = 0.2  # of the training rows, where a search does without folds


def is_known(id: str) -> bool:
    """Return whether an id names a model of the library or a restorer of the lab."""
    return _in_library(id) or id in RESTORERS


def build(model: Model, seed: int | None = None) -> Any:
    """Return the estimator that a model describes.

    Parameters
    ----------
    model : Model
    seed : int, optional
        The `random_state` of every estimator that takes one and is not given another.

    Examples
    --------
    >>> from lab import Model
    >>> from lab.building import build
    >>> build(Model("br", {"alpha": 0.1}))
    BinaryRelevance(alpha=0.1, decoder='hamming')
    """
    parameters = UNSAID.get(model.id, {}) | {
        name: build(value, seed) if isinstance(value, Model) else value
        for name, value in model.parameters.items()
    }
    estimator = _maker(model)(**parameters)
    if seed is not None and is_random(model) and "random_state" not in parameters:
        estimator.set_params(random_state=seed)
    return estimator


def is_random(model: Model) -> bool:
    """Return whether fits of the model may differ between seeds."""
    made = registry.get(model.id).load() if _in_library(model.id) else _maker(model)
    return "random_state" in signature(made).parameters


def _in_library(id: str) -> bool:
    return id in registry.CLASSIFIERS or id in registry.RESTORERS


def _maker(model: Model) -> Callable[..., Any]:
    """Return what makes the estimator: a class, or the maker of a registry entry."""
    if "." in model.id:
        home, _, name = model.id.rpartition(".")
        return getattr(import_module(home), name)
    if model.id in RESTORERS:
        return RESTORERS[model.id]
    if not _in_library(model.id):
        raise ValueError(f"The registry has no {model.id!r} yet.")
    return registry.get(model.id).make


def build_row(
    model: Model, *, scale: str | None = None, search: Search | None = None, seed: int | None = None
) -> Any:
    """Return a model behind its scaling, inside the search for its parameters.

    Parameters
    ----------
    model : Model
    scale : str, optional
    search : Search, optional
    seed : int, optional
        Of the model and of the inner folds.
    """
    scaling = [] if scale is None else [("scale", FeatureScaler(scale=scale))]
    pipeline = Pipeline([*scaling, ("model", build(model, seed))])
    if search is None:
        return pipeline
    grid = {
        "scale__scale" if name == "scale" else f"model__{name}": list(values)
        for name, values in search.grid.items()
    }
    if search.folds == 1:
        folds = ShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
    else:
        folds = KFold(search.folds, shuffle=True, random_state=seed)
    scorer = get_scorer(search.metric)
    return GridSearchCV(pipeline, grid, scoring=scorer, cv=folds, error_score="raise")
