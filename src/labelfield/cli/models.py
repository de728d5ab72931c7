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
from labelfield.cli.reading import read_like

__all__ = ["DecoderName", "Said", "ask", "make_model", "parse_settings", "with_progress"]

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
        except (ValueError, SyntaxError):
            parsed[name] = value
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


@dataclass(frozen=True)
class Said:
    """What a saved model says about n rows.

    sets (n, L) holds 0/1; probabilities (n, L) and confidence (n,), the probability of each whole
    set, are None where the model gives none; label_graph is the LabelGraph it learned, if any.
    """

    model: str
    label_names: tuple[str, ...]
    sets: Any
    probabilities: Any
    confidence: Any
    label_graph: Any


def ask(path: Path, source, decoder: str | None, *, labelled: bool):
    """Load a model and the chosen data; return the data and what the model says about them."""
    from labelfield import load
    from labelfield.evaluation.answers import OWN, answer, unwrap
    from labelfield.io import read_header

    fitted = load(path)
    notes = read_header(path).notes
    with console.busy(f"Reading {source.data}"):
        data = read_like(source, notes, labelled=labelled)
    chosen = decoder or OWN
    with console.busy(f"Predicting {data.X.shape[0]} rows"):
        answers = answer(fitted, data.X, (chosen,), confidence=True, scores=True)
    model, _ = unwrap(fitted, data.X[:1])
    return data, Said(
        type(model).__name__,
        tuple(map(str, model.label_names_)),
        answers.sets[chosen],
        answers.scores if hasattr(model, "predict_proba") else None,
        answers.confidence.get(chosen),
        getattr(model, "label_graph_", None),
    )
