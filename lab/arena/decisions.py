"""The measures of the arena and the decisions that are taken for them, the same for all rows."""

from collections.abc import Callable

import numpy as np

from labelfield.decode import LabelThresholdDecoder
from labelfield.metrics import METRICS

__all__ = ["CUT", "DECODERS", "SELF_DECIDED", "apply_cut", "fill_empty", "learn_cut", "score"]

CUT = "cut"  # the decision by one threshold for all labels; one per label for macro-F1

# The decoder that competes with the cut, by the measure it serves.
DECODERS = {
    "subset_accuracy": "subset",
    "f1_samples": "f1",
    "hamming_loss": "hamming",
    "f1_macro": "f1",
    "f1_micro": "f1",
}
# What a classifier that decides for every metric itself is asked for.
SELF_DECIDED = DECODERS | {"f1_macro": "threshold_f1_macro", "f1_micro": "threshold_f1_micro"}

CUTS = (0.01, 0.02, 0.03, 0.05, 0.075, *(k / 20 for k in range(2, 20)), 0.98)


def fill_empty(sets: np.ndarray, scores: Callable[[], np.ndarray], empty_seen: bool) -> np.ndarray:
    """Apply the rule for empty sets: none is answered unless one was seen in training.

    Parameters
    ----------
    sets : array (n, L)
    scores : callable
        Gives scores (n, L); the label of the largest one stands for an empty set.
    empty_seen : bool
        Whether a row of the training part has no label.

    Examples
    --------
    >>> import numpy as np
    >>> from lab.arena.decisions import fill_empty
    >>> fill_empty(np.array([[0, 0], [1, 1]]), lambda: np.array([[0.2, 0.4], [0.9, 0.8]]), False)
    array([[0, 1],
           [1, 1]])
    """
    empty = np.flatnonzero(sets.sum(axis=1) == 0)
    if empty_seen or not len(empty):
        return sets
    filled = sets.copy()
    filled[empty, scores()[empty].argmax(axis=1)] = 1
    return filled


def apply_cut(P: np.ndarray, cut: float | np.ndarray, empty_seen: bool) -> np.ndarray:
    """Return the labels (n, L) whose probability P (n, L) exceeds the cut, a number or (L,)."""
    return fill_empty((cut < P).astype(np.uint8), lambda: P - cut, empty_seen)


def learn_cut(measure: str, P: np.ndarray, Y: np.ndarray, empty_seen: bool) -> float | np.ndarray:
    """Return the cut that is best for a measure on held-out P (n, L) and their labels Y (n, L)."""
    if measure == "f1_macro":
        return LabelThresholdDecoder(average="macro").fit(P, Y).thresholds_
    found = [score(measure, Y, apply_cut(P, cut, empty_seen)) for cut in CUTS]
    return CUTS[int(np.argmax(found))]


def score(measure: str, Y: np.ndarray, Z: np.ndarray) -> float:
    """Return a measure of sets Z against the truth Y; a loss comes out negative."""
    value = float(METRICS[measure](Y, Z))
    return value if METRICS[measure].greater_is_better else -value
