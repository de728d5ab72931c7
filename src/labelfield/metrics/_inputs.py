"""What every metric does with its arguments: check them, and take unknown entries out.

This is the only module that knows about unknown entries (NaN in `Y_true`). Behind it an unknown
entry is absent from both sets and counts towards no total.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

from labelfield._gate.indicator import read_dense_indicator, read_indicator
from labelfield._gate.reading import as_numbers
from labelfield._namespaces import to_host
from labelfield._typing import BoolArray, FloatArray

__all__ = [
    "RankedLabels",
    "SetPair",
    "check_choice",
    "check_share",
    "check_whole",
    "read_hits",
    "read_ranking",
    "read_sets",
]

ROUNDING = 1e-8


def check_choice(value: Any, choices: Iterable[Any], name: str) -> None:
    """Raise unless `value` is one of `choices`."""
    choices = list(choices)
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}={value!r} is not known; choose one of {listed}.")


def check_whole(value: Any, low: int, high: int, name: str) -> None:
    """Raise unless `value` is a whole number between two bounds."""
    if not isinstance(value, Integral) or not low <= value <= high:
        raise ValueError(f"{name}={value!r} must be a whole number between {low} and {high}.")


def check_share(value: Any, name: str) -> None:
    """Raise unless `value` is a number in [0, 1]."""
    if not isinstance(value, Real) or not 0.0 <= value <= 1.0:
        raise ValueError(f"{name}={value!r} must lie in [0, 1].")


@dataclass(frozen=True)
class SetPair:
    """True and predicted sets without their unknown entries: (n, L), bool, all dense or all CSR."""

    truth: Any
    predicted: Any
    unknown: Any


def read_sets(Y_true: Any, Y_pred: Any, *, same_rows: bool = True) -> SetPair:
    """Check two indicator matrices; sparse if either is, so nothing of size n L is made then."""
    truth, unknown = read_indicator(Y_true, "Y_true")
    predicted, missing = read_indicator(Y_pred, "Y_pred")
    if missing.sum():
        raise ValueError("Y_pred holds NaN; only Y_true may have unknown entries.")
    compared = slice(None) if same_rows else slice(1, None)
    _check_shapes(truth, predicted.shape, "Y_pred", compared)
    _check_some_known(truth, unknown)
    if sparse.issparse(truth) or sparse.issparse(predicted):
        truth, predicted, unknown = map(sparse.csr_array, (truth, predicted, unknown))
    if same_rows:
        predicted = predicted > unknown
    return SetPair(truth, predicted, unknown)


@dataclass(frozen=True)
class RankedLabels:
    """True labels, scores and which entries are known: (n, L), dense."""

    truth: BoolArray
    score: FloatArray
    known: BoolArray

    def rearranged(self, layout: Callable[[Any], Any]) -> "RankedLabels":
        """Return the same entries with all three arrays in another layout."""
        return RankedLabels(layout(self.truth), layout(self.score), layout(self.known))


def read_ranking(Y_true: Any, Y_score: Any) -> RankedLabels:
    """Check an indicator matrix and its scores; a sparse `Y_true` becomes a dense bool array."""
    truth, unknown = read_dense_indicator(Y_true, "Y_true")
    score = as_numbers(to_host(Y_score), "Y_score", "a score per label")
    if score.dtype.kind != "f":
        score = score.astype(np.float64)
    if score.ndim == 1:
        score = score[:, None]
    _check_shapes(truth, score.shape, "Y_score", slice(None))
    _check_some_known(truth, unknown)
    if not np.isfinite(score).all():
        raise ValueError("Y_score holds NaN or infinity; give finite scores, one per label.")
    return RankedLabels(truth, score, ~unknown)


def read_hits(confidence: Any, correct: Any) -> tuple[FloatArray, FloatArray]:
    """Check confidences and hits, both (n,), and leave out the rows whose hit is unknown (NaN)."""
    c = as_numbers(confidence, "confidence", "probabilities").astype(np.float64)
    v = as_numbers(correct, "correct", "0, 1 or NaN (unknown)").astype(np.float64)
    for name, values in (("confidence", c), ("correct", v)):
        if values.ndim != 1:
            raise ValueError(f"{name} has {values.ndim} dimensions; give one number per row, (n,).")
    if len(c) != len(v):
        raise ValueError(f"confidence has {len(c)} rows and correct has {len(v)}; give as many.")
    if not np.all((c >= -ROUNDING) & (c <= 1 + ROUNDING)):
        raise ValueError(
            "confidence must lie in [0, 1] without NaN; give probabilities, not log-probabilities."
        )
    known = ~np.isnan(v)
    if not known.any():
        raise ValueError("correct holds no known row; give at least one 0 or 1.")
    c, v = np.clip(c[known], 0.0, 1.0), v[known]
    if not np.all((v >= 0) & (v <= 1)):
        raise ValueError("correct must lie in [0, 1]: 1 for a right set, 0 for a wrong one.")
    return c, v


def _check_shapes(truth: Any, shape: tuple[int, ...], name: str, compared: slice) -> None:
    if len(shape) != 2 or truth.shape[compared] != shape[compared]:
        raise ValueError(
            f"Y_true has shape {truth.shape} and {name} has shape {shape}; "
            "give the same labels for the same rows."
        )


def _check_some_known(truth: Any, unknown: Any) -> None:
    size = truth.shape[0] * truth.shape[1]
    if size == unknown.sum():
        raise ValueError(f"Y_true of shape {truth.shape} holds no known entry; nothing to measure.")
