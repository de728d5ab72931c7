"""The one door to what is promised about sets: acceptance, alternatives, what to ask first."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelfield._typing import FloatArray
from labelfield.joints import Joint
from labelfield.joints import ask_first as questions

__all__ = ["Listed", "Promise", "alternatives", "ask_first", "promised", "stated_joint"]

N_UNCERTAIN = 30
COVERAGE = 0.9


@dataclass(frozen=True)
class Promise:
    """What is promised of accepted sets; threshold is None where none can be accepted."""

    accuracy: float
    confidence_level: float
    threshold: float | None
    words: str

    def accepts(self, confidence: FloatArray) -> np.ndarray:
        """Return which sets of these confidences need no review: (n,)."""
        if self.threshold is None:
            return np.zeros(len(confidence), dtype=bool)
        return confidence >= self.threshold


@dataclass(frozen=True)
class Listed:
    """Sets of one row with their probabilities, best first.

    coverage is the probability with which the true one is among them, None where nobody promised
    one; complete is False where the list was cut and excludes nothing.
    """

    sets: list[np.ndarray]
    probabilities: list[float | None]
    coverage: float | None = None
    complete: bool = True


def promised(classifier: Any, accuracy: float, confidence_level: float) -> Promise:
    """Return the promise that a classifier can make, in its own words."""
    if not hasattr(classifier, "acceptance"):
        words = f"{type(classifier).__name__} makes no promise; every case is reviewed."
        return Promise(accuracy, confidence_level, None, words)
    if classifier.reviewed_rows_ is None:
        words = "The model holds no reviewed rows to rest a promise on; every case is reviewed."
        return Promise(accuracy, confidence_level, None, words)
    found = classifier.acceptance(accuracy, confidence_level)
    threshold = max(float(found.threshold), 0.0) if found.met else None  # -inf accepts all
    return Promise(accuracy, confidence_level, threshold, str(found))


def stated_joint(classifier: Any, X: Any) -> Joint:
    """Return the joint that gives predicted sets the confidence stated, where there is one."""
    if hasattr(classifier, "calibrated_joint") and classifier.target == "exact":
        return classifier.calibrated_joint(X)
    return classifier.predict_joint(X)


def alternatives(classifier: Any, X: Any, consultation: Any, k: int) -> Listed:
    """Return up to k sets of one row X, those that hold the truth with a promised probability.

    Where the classifier promises nothing of the kind, they are the most probable ones.
    """
    joint = consultation.joint
    if getattr(classifier, "reviewed_rows_", None) is not None:
        found = classifier.predict_alternatives(X, coverage=COVERAGE, max_sets=k)
        complete = not bool(found.nothing_excluded[0])
        return Listed(list(found.sets[0]), found.probabilities[0].tolist(), COVERAGE, complete)
    sets, log_prob = joint.top_k(k, consultation.allow_empty)
    possible = np.isfinite(log_prob[0])
    p = np.exp(log_prob[0][possible]).tolist() if joint.normalized else [None] * possible.sum()
    return Listed(list(sets[0][possible]), p)


def ask_first(joint: Joint, known: FloatArray) -> int | None:
    """Return the label of a joint given known ones (L,) whose answer settles most; None if sure."""
    known = np.isnan(known)
    asked = questions(joint, n_asked=N_UNCERTAIN).labels[0]
    left = [int(label) for label in asked if label >= 0 and known[label]]
    return left[0] if left else None
