"""What one fitted model answers on test rows: sets per decoder, scores, confidence."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from labelfield.decode import resolve
from labelfield.metrics.scorers import label_scores

__all__ = ["OWN", "Answers", "answer", "unwrap"]

OWN = "own"


@dataclass(frozen=True)
class Answers:
    """Answers of a model for n rows.

    Attributes
    ----------
    sets : dict of decoder name to uint8 array of shape (n, L)
    confidence : dict of decoder name to array of shape (n,)
        Probability that the set is right; empty if not asked for or not known.
    scores : array of shape (n, L) or None
        Marginal probabilities, or decision values of models without them.
    joint : Joint or None
        Where something of it was asked for.
    """

    sets: dict[str, np.ndarray]
    confidence: dict[str, np.ndarray] = field(default_factory=dict)
    scores: np.ndarray | None = None
    joint: Any = None


def unwrap(fitted: Any, X: Any) -> tuple[Any, Any]:
    """Return the model inside searches and pipelines, and X as that model sees it."""
    while True:
        if hasattr(fitted, "best_estimator_"):
            fitted = fitted.best_estimator_
        elif hasattr(fitted, "steps"):
            X = fitted[:-1].transform(X) if len(fitted.steps) > 1 else X
            fitted = fitted.steps[-1][1]
        else:
            return fitted, X


def answer(
    fitted: Any,
    X: Any,
    decoders: Sequence[str] = (OWN,),
    *,
    confidence: bool = False,
    scores: bool = False,
) -> Answers:
    """Ask a fitted classifier for label sets, computing its joint only once.

    Parameters
    ----------
    fitted : classifier, or a pipeline or search around one
    X : array, CSR matrix or data frame of shape (n, d)
    decoders : sequence of str
        Short names of decoders; "own" is the decision of the model's `predict`. A model without a
        joint knows only its own.
    confidence, scores : bool
        Whether the confidence in each chosen set and the scores of single labels are wanted.
        Confidence in its own sets is the model's `predict_confidence` where it has one, all other
        confidence the joint probability.
    """
    model, X = unwrap(fitted, X)
    if not hasattr(model, "predict_joint"):
        _refuse(model, set(decoders) - {OWN})
        sure = {OWN: model.predict_confidence(X)} if hasattr(model, "predict_confidence") else {}
        known = sure if confidence else {}
        given = {OWN: _indicators(model.predict(X))} if OWN in decoders else {}
        return Answers(given, known, label_scores(model, X, n_dims=2) if scores else None)
    if not (confidence or scores or set(decoders) - {OWN}):
        return Answers({OWN: _indicators(model.predict(X))})
    decoder_of = getattr(model, "_decoder_of", resolve)  # a model may have learned its thresholds
    sets, sure = {}, {}
    if OWN in decoders:
        sets[OWN], own, joint = model._answer(X)
        sure = {} if own is None or not confidence else {OWN: own}
    else:
        joint = model.predict_joint(X)
    for name in set(decoders) - {OWN}:
        sets[name] = decoder_of(name).decode(joint, empty_seen=model.empty_seen_)
    if confidence and joint.normalized:
        for name in sets.keys() - sure.keys():
            sure[name] = np.exp(joint.log_prob(sets[name]))
    return Answers(sets, sure, joint.marginals() if scores else None, joint)


def _refuse(model: Any, decoders: set[str]) -> None:
    if decoders:
        raise ValueError(
            f"{type(model).__name__} gives no joint distribution for {', '.join(sorted(decoders))} "
            "to decide from; ask for decoders=('own',)."
        )


def _indicators(sets: Any) -> np.ndarray:
    sets = sets.toarray() if sp.issparse(sets) else np.asarray(sets)
    return sets.reshape(len(sets), -1).astype(np.uint8)
