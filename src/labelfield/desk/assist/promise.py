"""The one door to what is promised about sets: acceptance, alternatives, what to ask first."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from labelfield._typing import FloatArray
from labelfield.joints import Joint

__all__ = ["Promise", "alternatives", "ask_first", "promised"]

N_UNCERTAIN = 30
N_COMPARED = 30


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


def promised(classifier: Any, X: Any, accuracy: float, confidence_level: float) -> Promise:
    """Return the promise that a classifier can make, asked by its `route`."""
    if not hasattr(classifier, "route"):
        words = f"{type(classifier).__name__} makes no promise; every case is reviewed."
        return Promise(accuracy, confidence_level, None, words)
    route = classifier.route(X, accuracy=accuracy, confidence_level=confidence_level)
    if not np.isfinite(route.threshold):
        words = f"No confidence is high enough to promise {accuracy:.0%}; every case is reviewed."
        return Promise(accuracy, confidence_level, None, words)
    words = (
        f"Sets of confidence {route.threshold:.3f} and more are accepted: right at a rate of "
        f"{accuracy:.0%} or more, promised with probability {confidence_level:.0%}."
    )
    return Promise(accuracy, confidence_level, float(route.threshold), words)


def alternatives(joint: Joint, k: int) -> list[tuple[np.ndarray, float | None]]:
    """Return the k most probable sets of one row and their probabilities, best first."""
    sets, log_prob = joint.top_k(k)
    if not joint.normalized:
        return [(one, None) for one in sets[0]]
    possible = np.isfinite(log_prob[0])
    return [(one, float(np.exp(p))) for one, p in zip(sets[0][possible], log_prob[0][possible])]


def ask_first(joint: Joint, known: FloatArray) -> int | None:
    """Return the label whose answer raises the probability of the best set most; None if sure.

    After an answer y_l = v the best set has the probability max p(y | y_l = v). Its expectation,
    max p(y: y_l = 1) + max p(y: y_l = 0), exceeds max p(y) by the probability of the best set that
    differs from the mode in l. Compared are the most uncertain labels that are not known (L,);
    among equals the more uncertain one counts.
    """
    p = joint.marginals()[0]
    doubt = np.where(np.isnan(known), np.minimum(p, 1.0 - p), 0.0)
    labels = np.argsort(-doubt, kind="stable")[:N_UNCERTAIN]
    labels = labels[doubt[labels] > 0.0]
    if not len(labels):
        return None
    sets, log_prob = joint.top_k(N_COMPARED)
    differs = sets[0, 1:, labels] != sets[0, 0, labels][:, None]  # (labels, sets)
    gain = np.where(differs, np.exp(log_prob[0, 1:] - log_prob[0, 0]), 0.0).max(axis=1, initial=0.0)
    return int(labels[np.lexsort((-doubt[labels], -gain))[0]])
