"""A saved model as the desk uses it: rows in, sets and their probabilities out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from os import PathLike
from typing import Any

import numpy as np

from labelfield._gate.reading import count_rows, take_rows
from labelfield._version import __version__
from labelfield.desk.assist.consultation import Consultation
from labelfield.desk.assist.promise import (
    Listed,
    Promise,
    alternatives,
    promised,
    stated_joint,
)
from labelfield.evaluation.answers import OWN, answer, unwrap
from labelfield.evaluation.reasons import strongest_reasons
from labelfield.io._inputs import open_input

__all__ = ["DeskModel", "Predictions", "file_hash"]


@dataclass(frozen=True)
class Predictions:
    """sets (n, L) of 0/1; confidence (n,) or None; accepted (n,); and the promise behind it."""

    sets: np.ndarray
    confidence: np.ndarray | None
    accepted: np.ndarray
    promise: Promise


@dataclass(frozen=True)
class DeskModel:
    """A fitted model and what the desk remembers of it.

    Parameters
    ----------
    fitted : classifier, or a pipeline or search around one
    columns : sequence of str, optional
        Names of the features as the classifier sees them, for reasons.
    file, hash : str, str
        Where the model came from, and the SHA-256 of that file.

    Examples
    --------
    >>> from labelfield import BinaryRelevance
    >>> from labelfield.desk.assist import DeskModel
    >>> X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] * 10
    >>> tags = [["rain"], ["wind"], ["rain", "wind"]] * 10
    >>> model = DeskModel(BinaryRelevance(alpha=0.1).fit(X, tags))
    >>> model.names_of(model.predictions(X[:2]).sets[1])
    ('wind',)
    """

    fitted: Any
    columns: Sequence[str] | None = None
    file: str = ""
    hash: str = ""

    @cached_property
    def classifier(self) -> Any:
        """The classifier at the end of searches and pipelines."""
        fitted = self.fitted
        while hasattr(fitted, "best_estimator_") or hasattr(fitted, "steps"):
            fitted = getattr(fitted, "best_estimator_", None) or fitted.steps[-1][1]
        return fitted

    @cached_property
    def labels(self) -> list[str]:
        """Names of the labels."""
        return [str(name) for name in self.classifier.label_names_]

    @property
    def rules(self) -> Any:
        """The label rules that every set must keep, or None; those of a wrapped model count."""
        inner = getattr(self.classifier, "estimator_", None)
        return getattr(self.classifier, "rules_", None) or getattr(inner, "rules_", None)

    @property
    def has_joint(self) -> bool:
        """Whether there is a joint to condition."""
        return hasattr(self.classifier, "predict_joint")

    def about(self, promise: Promise) -> dict[str, Any]:
        """Return what the record keeps of the model and its promise."""
        return {
            "hash": self.hash,
            "file": self.file,
            "kind": type(self.classifier).__name__,
            "version": __version__,
            "labels": self.labels,
            "accuracy": None if promise.threshold is None else promise.accuracy,
            "confidence_level": promise.confidence_level,
            "threshold": promise.threshold,
            "promise": promise.words,
        }

    def predictions(
        self, X: Any, *, accuracy: float = 0.95, confidence_level: float = 0.95
    ) -> Predictions:
        """Return the sets of rows X, how sure they are, and which may be accepted."""
        model, seen = unwrap(self.fitted, X)
        answers = answer(model, seen, confidence=True)
        confidence = answers.confidence.get(OWN)
        promise = promised(model, accuracy, confidence_level)
        accepted = np.zeros(count_rows(X), dtype=bool)
        if confidence is not None:
            accepted = promise.accepts(confidence)
        return Predictions(answers.sets[OWN], confidence, accepted, promise)

    def consult(self, X: Any, row: int) -> Consultation:
        """Return the joint of one row, to be asked."""
        model, seen = unwrap(self.fitted, take_rows(X, [row]))
        allow_empty = bool(getattr(model, "empty_seen_", True))
        return Consultation(stated_joint(model, seen), allow_empty=allow_empty)

    def alternatives(self, X: Any, row: int, consultation: Consultation, k: int) -> Listed:
        """Return up to k sets of a row among which the true one is."""
        model, seen = unwrap(self.fitted, take_rows(X, [row]))
        return alternatives(model, seen, consultation, k)

    def reasons(self, X: Any, row: int, labels: np.ndarray) -> dict[str, list[str]]:
        """Return what speaks for each label of the set (L,) of a row."""
        model, seen = unwrap(self.fitted, take_rows(X, [row]))
        columns = self.columns
        if columns is None:
            columns = getattr(model, "feature_names_in_", ())
        return strongest_reasons(model, seen, np.asarray(labels)[None], columns)[0]

    def names_of(self, labels: Any) -> tuple[str, ...]:
        """Return the names in a set (L,)."""
        return tuple(name for name, there in zip(self.labels, labels) if there)

    def as_set(self, names: Sequence[str]) -> np.ndarray:
        """Return the set (L,) of names of labels."""
        return (self.as_known(dict.fromkeys(names, True)) == 1.0).astype(np.uint8)

    def as_known(self, answers: Mapping[str, bool]) -> np.ndarray:
        """Return known labels (L,), 1, 0 or NaN, from {name: present}."""
        known = np.full(len(self.labels), np.nan)
        position = self._position
        for name, present in answers.items():
            if name not in position:
                raise ValueError(f"There is no label {name!r}.")
            known[position[name]] = float(present)
        return known

    @cached_property
    def _position(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.labels)}

    def broken_rules(self, labels: np.ndarray) -> list[str]:
        """Return the rules that a set (L,) breaks, as sentences."""
        if self.rules is None:
            return []
        found = self.rules.check(labels[None])
        return [found.sentences[rule] for rule in found.rules.tolist()]


def file_hash(path: str | PathLike[str]) -> str:
    """Return the SHA-256 of a file."""
    digest = sha256()
    with open_input(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
