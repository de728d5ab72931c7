"""Models as commands see them: made from options, and asked for answers."""

import ast
import sys
from collections.abc import Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from labelfield.cli import console
from labelfield.cli.reading import check_notes, read_like

__all__ = [
    "DecoderName",
    "Said",
    "ask",
    "make_model",
    "parse_settings",
    "settings_named",
    "with_progress",
]

DecoderName = Annotated[
    str | None,
    typer.Option(
        "--decoder",
        help="The metric to decide for: subset, f1, hamming, jaccard, threshold_f1_macro, ... "
        "(default: the model's own).",
    ),
]


def parse_settings(settings: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE words; values are Python literals, or else text."""
    parsed = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise ValueError(f"--set takes NAME=VALUE, such as n_chains=20; got {setting!r}.")
        try:
            parsed[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            parsed[name] = value  # not a literal, or one that is nested too deeply
    return parsed


def make_model(id: str, parameters: dict[str, Any], *, standardize: bool, sparse: bool):
    """Return an unfitted model of the registry, behind a scaler if asked for."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from labelfield import registry

    entry = registry.get(id)
    known = entry.make().get_params(deep=False)
    for name in parameters:
        if name not in known:
            raise ValueError(
                f"Model {id} has no parameter {name!r}; it has {', '.join(sorted(known))}."
            )
    model = entry.make(**parameters)
    if not standardize:
        return model
    return make_pipeline(StandardScaler(with_mean=not sparse), model)


@contextmanager
def with_progress(model, *, silent: bool):
    """Show scikit-learn's progress bar while a model that supports callbacks is fitted."""
    if silent or not sys.stdout.isatty() or not hasattr(model, "set_callbacks"):
        yield
        return
    from sklearn.callback import ProgressBar

    model.set_callbacks(ProgressBar())
    try:
        yield
    finally:
        model.set_callbacks()


@contextmanager
def settings_named(id: str, parameters: dict[str, Any]):
    """Name the given settings in an error that a value of a wrong type causes inside a model."""
    try:
        yield
    except (TypeError, AttributeError) as error:
        if not parameters:
            raise
        given = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
        raise ValueError(f"Model {id} cannot be fitted with {given}: {error}") from error


@dataclass(frozen=True)
class Said:
    """What a saved model says about n rows.

    sets (n, L) holds 0/1; probabilities (n, L) and confidence (n,), the probability of each whole
    set, are None where the model gives none; label_graph is the LabelGraph it learned, if any.
    A model with label rules has these and what it would say without them.
    """

    model: str
    label_names: tuple[str, ...]
    sets: Any
    probabilities: Any
    confidence: Any
    label_graph: Any
    rules: Any = None
    sets_without_rules: Any = None


def ask(path: Path, source, decoder: str | None, *, labelled: bool):
    """Load a model and the chosen data; return the data and what the model says about them."""
    from labelfield import load
    from labelfield.evaluation.answers import OWN, answer, unwrap
    from labelfield.io import read_header

    fitted = load(path)
    notes = read_header(path).notes
    n_labels = len(_classifier_in(path, fitted).label_names_)
    check_notes(path, notes, getattr(fitted, "n_features_in_", None), n_labels)
    with console.busy(f"Reading {source.data}"):
        data = read_like(source, notes, labelled=labelled)
    chosen = decoder or OWN
    with console.busy(f"Predicting {data.X.shape[0]} rows"):
        answers = answer(fitted, data.X, (chosen,), confidence=True, scores=True)
    model, X = unwrap(fitted, data.X)
    rules, free_sets = getattr(model, "rules_", None), None
    if rules is not None:
        free = copy(model)
        free.rules_ = None
        free_sets = answer(free, X, (chosen,)).sets[chosen]
    return data, Said(
        type(model).__name__,
        tuple(map(str, model.label_names_)),
        answers.sets[chosen],
        answers.scores if hasattr(model, "predict_proba") else None,
        answers.confidence.get(chosen),
        getattr(model, "label_graph_", None),
        rules,
        free_sets,
    )


def _classifier_in(path: Path, fitted: Any) -> Any:
    """The classifier at the end of searches and pipelines, if it is one that we can ask."""
    while hasattr(fitted, "best_estimator_") or hasattr(fitted, "steps"):
        fitted = getattr(fitted, "best_estimator_", None) or fitted.steps[-1][1]
    if not hasattr(fitted, "label_names_") or not hasattr(fitted, "predict"):
        raise ValueError(
            f"{path} holds a {type(fitted).__name__}, not a fitted classifier of label sets."
        )
    return fitted
