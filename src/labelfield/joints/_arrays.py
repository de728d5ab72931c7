"""What the constructors of joints accept: shapes, NaN, normalisation."""

from typing import Any

import numpy as np

from labelfield._typing import FloatArray
from labelfield.kernels.sets.logspace import log_bernoulli, logsumexp

__all__ = [
    "as_known",
    "as_log_weights",
    "as_logits",
    "as_tilt",
    "clamp",
    "require_possible",
    "with_known",
]

NORMALISATION_TOLERANCE = 1e-5


def as_logits(logits: Any, shape: str) -> FloatArray:
    """Return log-odds as float64, C-contiguous; `shape` such as "(n, L)" says how many axes."""
    array = np.ascontiguousarray(logits, dtype=float)
    if array.ndim != shape.count(",") + 1 or array.shape[-1] == 0:
        raise ValueError(f"logits must have shape {shape} with L >= 1, got {array.shape}.")
    if np.isnan(array).any():
        raise ValueError("logits hold NaN; log-odds must be numbers or, for certain labels, +-inf.")
    return array


def as_log_weights(log_weights: Any, shape: tuple[int, int]) -> FloatArray:
    """Return log-probabilities as float64, each row normalised to the last bit."""
    array = np.ascontiguousarray(log_weights, dtype=float)
    if array.shape != shape:
        raise ValueError(f"log_weights must have shape {shape}, got {array.shape}.")
    total = logsumexp(array, axis=1)
    if not (np.abs(total) <= NORMALISATION_TOLERANCE).all():
        row = np.flatnonzero(~(np.abs(total) <= NORMALISATION_TOLERANCE))[0]
        raise ValueError(
            f"log_weights must be normalised, logsumexp(log_weights, axis=1) == 0; row {row} "
            f"gives {total[row]:.6g}. Subtract the logsumexp of each row."
        )
    result: FloatArray = array - total[:, None]
    return result


def as_known(known: Any, shape: tuple[int, int]) -> FloatArray:
    """Return known labels (n, L): 1, 0 or NaN for unknown."""
    array = np.asarray(known, dtype=float)
    if array.shape != shape:
        raise ValueError(f"known must have shape {shape}, got {array.shape}.")
    if not (np.isnan(array) | (array == 0.0) | (array == 1.0)).all():
        raise ValueError("known must hold 1 (present), 0 (absent) or NaN (unknown) only.")
    return array


def as_tilt(log_odds: Any, shape: tuple[int, int]) -> FloatArray:
    """Return evidence about single labels (n, L) as finite log-odds."""
    array = np.asarray(log_odds, dtype=float)
    if array.shape != shape:
        raise ValueError(f"log_odds must have shape {shape}, got {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError("log_odds must be finite; for labels known for certain use condition.")
    return array


def require_possible(log_evidence: FloatArray) -> None:
    """Refuse known labels of probability zero; log_evidence (n,) is theirs."""
    if np.isneginf(log_evidence).any():
        row = np.flatnonzero(np.isneginf(log_evidence))[0]
        raise ValueError(f"the known labels of row {row} have probability zero; change known.")


def clamp(unary: FloatArray, known: Any) -> FloatArray:
    """Return the scores of single labels (n, L) with known labels (NaN if not) made certain."""
    known = as_known(known, unary.shape)
    certain = np.where(known == 1.0, np.inf, -np.inf)
    clash = np.isinf(unary) & ~np.isnan(known) & (unary != certain)
    require_possible(np.where(clash.any(axis=1), -np.inf, 0.0))
    return np.where(np.isnan(known), unary, certain)


def with_known(known: FloatArray, logits: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fix known labels of independent ones: their log-probability, and the new logits.

    known broadcasts against logits (..., L); returns (...,) and (..., L).
    """
    fixed = ~np.isnan(known)
    present = known == 1.0
    log_evidence = np.where(fixed, log_bernoulli(present, logits), 0.0).sum(axis=-1)
    certain = np.where(present, np.inf, -np.inf)
    return log_evidence, np.where(fixed, certain, logits)
