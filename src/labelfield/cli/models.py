"""Models as commands see them: made from options, and asked for answers."""

import ast
import sys
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from labelfield.cli import console
from labelfield.cli.bases import WANT_DENSE, make_base
from labelfield.cli.input.reading import read_like
from labelfield.cli.notes import check_notes

__all__ = [
    "DEFAULT_MODEL",
    "DecoderName",
    "Said",
    "ask",
    "columns_of",
    "decision_name",
    "make_model",
    "open_model",
    "parse_settings",
    "settings_named",
    "with_progress",
]

DEFAULT_MODEL = "auto"

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


def decision_name(id: str) -> str:
    """Return what a model calls the argument that --decoder sets."""
    from labelfield import registry

    known = registry.get(id).make().get_params(deep=False)
    return "metric" if "decoder" not in known and "metric" in known else "decoder"


def make_model(
    id: str,
    parameters: dict[str, Any],
    *,
    base: str | None = None,
    encoder: Any = None,
    standardize: bool = False,
    sparse: bool = False,
):
    """Return an unfitted model of the registry, behind an encoder, or a scaler if asked for.

    A model that encodes tables itself gets the encoder as its argument. An encoder scales numbers,
    so that there is no scaler beside it.
    """
    from sklearn.preprocessing import StandardScaler

    from labelfield import make_pipeline, registry

    entry = registry.get(id)
    known = entry.make().get_params(deep=False)
    for name in parameters:
        if name not in known:
            raise ValueError(
                f"Model {id} has no parameter {name!r}; it has {', '.join(sorted(known))}."
            )
    if base is not None:
        parameters = {**parameters, "estimator": make_base(base, entry)}
        if encoder is not None and base in WANT_DENSE:
            encoder.set_params(view="dense", random_state=0)
    if encoder is not None and "encoder" in known:
        return entry.make(**{"encoder": encoder, **parameters})
    model = entry.make(**parameters)
    if encoder is not None:
        return make_pipeline(encoder, model)
    return make_pipeline(StandardScaler(with_mean=not sparse), model) if standardize else model


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
    set, are None where the model gives none. `seen` is about which share of the rows the model was
    fitted to. `classifier` is the model inside pipelines, and `X` the rows as it takes them, whose
    columns are called `columns`.
    """

    model: str
    label_names: tuple[str, ...]
    sets: Any
    probabilities: Any
    confidence: Any
    seen: float
    classifier: Any
    X: Any
    columns: Any

    @property
    def label_graph(self) -> Any:
        """The LabelGraph that the model learned, or None."""
        return getattr(self.classifier, "label_graph_", None)

    @property
    def leaderboard(self) -> Any:
        """The table of the parts of a pooled model, or None."""
        return getattr(self.classifier, "leaderboard_", None)

    @property
    def rules(self) -> Any:
        """The label rules that the model keeps, or None."""
        return getattr(self.classifier, "rules_", None)


def ask(path: Path, source, decoder: str | None, *, labelled: bool):
    """Load a model and the chosen data; return the data and what the model says about them."""
    from labelfield.cli.input.rows import seen_share
    from labelfield.evaluation.answers import OWN, answer, unwrap

    fitted, notes = open_model(path)
    with console.busy(f"Reading {source.data}"):
        table = read_like(source, notes, labelled=labelled)
    chosen = decoder or OWN
    with console.busy(f"Predicting {table.data.X.shape[0]} rows"):
        model, X = unwrap(fitted, table.data.X)
        answers = answer(model, X, (chosen,), confidence=True, scores=True)
    return table, Said(
        type(model).__name__,
        tuple(map(str, model.label_names_)),
        answers.sets[chosen],
        answers.scores if hasattr(model, "predict_proba") else None,
        answers.confidence.get(chosen),
        seen_share(table.data.X, notes["rows"]) if "rows" in notes else 0.0,
        model,
        X,
        columns_of(fitted, table.data.feature_names),
    )


def open_model(path: Path) -> tuple[Any, dict[str, Any]]:
    """Load a model of label sets, and what its file remembers of the training data."""
    from labelfield import load
    from labelfield.io import read_header

    fitted = load(path)
    classifier = _classifier_in(path, fitted)
    notes = read_header(path).notes or _own_notes(fitted, classifier)
    n_labels = len(classifier.label_names_)
    check_notes(path, notes, getattr(fitted, "n_features_in_", None), n_labels)
    return fitted, notes


def _own_notes(fitted: Any, classifier: Any) -> dict[str, Any]:
    """Notes for a model that was saved from Python, where it remembers the names of columns."""
    if not hasattr(fitted, "feature_names_in_"):
        return {}
    columns = [str(name) for name in fitted.feature_names_in_]
    return {
        "feature_names": columns,
        "label_names": [str(name) for name in classifier.label_names_],
        "categories": {},
        "kinds": dict.fromkeys(columns, "column") if hasattr(fitted, "steps") else {},
    }


def columns_of(fitted: Any, feature_names: Sequence[str]) -> Any:
    """Names of the features as the classifier sees them."""
    first = fitted
    while hasattr(first, "best_estimator_") or hasattr(first, "steps"):
        first = getattr(first, "best_estimator_", None) or first.steps[0][1]
    if hasattr(first, "get_feature_names_out"):
        return first.get_feature_names_out()
    return list(feature_names)


def _classifier_in(path: Path, fitted: Any) -> Any:
    """The classifier at the end of searches and pipelines, if it is one that we can ask."""
    while hasattr(fitted, "best_estimator_") or hasattr(fitted, "steps"):
        fitted = getattr(fitted, "best_estimator_", None) or fitted.steps[-1][1]
    if not hasattr(fitted, "label_names_") or not hasattr(fitted, "predict"):
        raise ValueError(
            f"{path} holds a {type(fitted).__name__}, not a fitted classifier of label sets."
        )
    return fitted
