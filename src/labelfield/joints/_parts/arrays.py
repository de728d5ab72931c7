"""What joints accept: label sets, known labels, log-odds, counts; shapes, NaN, normalisation."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labelfield._namespaces import (
    HOST,
    Place,
    as_float,
    contiguous,
    is_tensor,
    namespace,
    place_of,
    row_numbers,
    to_host,
)
from labelfield._typing import BoolArray, FloatArray, IntArray, LabelArray
from labelfield.kernels.sets.logspace import log_bernoulli, log_expit, logsumexp

__all__ = [
    "as_count",
    "as_known",
    "as_log_weights",
    "as_logits",
    "as_numbers",
    "as_order",
    "as_sets",
    "as_tilt",
    "as_weights",
    "clamp",
    "log_mean_exp",
    "require_possible",
    "with_diagonal",
    "with_known",
    "without_doubt",
]

NORMALISATION_TOLERANCE = 1e-5
# Sums of numbers beyond this size lose the decimals that log-probabilities hang on.
LARGEST_SCORE = 1e9
CERTAIN = 1e6  # log-odds beyond doubt: exp(-1e6) is zero


def as_sets(Y: Any, name: str, place: Place = HOST) -> LabelArray:
    """Return label sets (..., L) of 0 and 1 (bool, int, float or CSR) as uint8 of a place.

    Examples
    --------
    >>> from labelfield.joints._parts.arrays import as_sets
    >>> as_sets([[1.0, 0.0], [True, False]], "Y")
    array([[1, 0],
           [1, 0]], dtype=uint8)
    >>> as_sets([[0.9, 0.0]], "Y")
    Traceback (most recent call last):
    ...
    ValueError: Y must hold 0 and 1 only, got 0.9.
    """
    if sparse.issparse(Y):
        stored = sparse.csr_array(Y)
        if not stored.has_canonical_format:
            stored = stored.copy()
            stored.sum_duplicates()
        _require_zero_or_one(stored.data, name)
        dense: LabelArray = place.asarray(stored.astype(np.uint8).toarray())
        return dense
    values = as_numbers(Y, name)
    if not is_tensor(values) and values.dtype == bool:
        return place.asarray(values.view(np.uint8))
    _require_zero_or_one(values, name)
    xp = namespace(values)
    return place.asarray(xp.astype(values, xp.uint8, copy=False))


def _require_zero_or_one(values: NDArray[Any], name: str) -> None:
    if is_tensor(values):
        right = (values == 0) | (values == 1)
        if not namespace(values).all(right):
            raise ValueError(f"{name} must hold 0 and 1 only, got {to_host(values[~right])[0]}.")
        return
    if values.dtype.kind == "u":
        if values.max(initial=0) > 1:
            raise ValueError(f"{name} must hold 0 and 1 only, got {values.max()}.")
        return
    right = (values == 0) | (values == 1)
    if not right.all():
        raise ValueError(f"{name} must hold 0 and 1 only, got {values[~right].flat[0]}.")


def as_numbers(values: Any, name: str) -> NDArray[Any]:
    """Return an array of bools, integers or floats, or say that it is none; tensors stay some."""
    if is_tensor(values):
        return _as_real_tensor(values, name)
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries; fill them in, or write NaN for unknown ones.")
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = array.astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}.") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be an array of numbers, got entries of {array.dtype}.")
    return array


def _as_real_tensor(values: Any, name: str) -> Any:
    if not namespace(values).isdtype(values.dtype, ("bool", "integral", "real floating")):
        raise ValueError(f"{name} must be an array of numbers, got entries of {values.dtype}.")
    return values


def as_order(order: Any, n_labels: int) -> IntArray:
    """Return a permutation of 0..L-1."""
    array = as_numbers(order, "order")
    if array.shape != (n_labels,) or not np.array_equal(np.sort(array), np.arange(n_labels)):
        raise ValueError(f"order must be a permutation of 0..{n_labels - 1}, got {order!r}.")
    return array.astype(np.intp)


def as_count(value: Any, name: str, least: int = 1) -> int:
    """Return an integer argument that must be at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise ValueError(f"{name} must be an integer, got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")
    return int(value)


def as_logits(logits: Any, shape: str) -> FloatArray:
    """Return log-odds as float64, C-contiguous; `shape` such as "(n, L)" says how many axes.

    Those beyond `CERTAIN` become infinite. Tensors keep the precision that they have.
    """
    array = contiguous(as_float(as_numbers(logits, "logits")))
    if array.ndim != shape.count(",") + 1 or array.shape[-1] == 0:
        raise ValueError(f"logits must have shape {shape} with L >= 1, got {array.shape}.")
    xp = namespace(array)
    if xp.any(xp.isnan(array)):
        raise ValueError("logits hold NaN; log-odds must be numbers or, for certain labels, +-inf.")
    return without_doubt(array)


def without_doubt(log_odds: FloatArray, reach: FloatArray | float = 0.0) -> FloatArray:
    """Return log-odds of which those beyond `CERTAIN` plus `reach` are infinite.

    `reach` is how far other labels can move them. Probabilities do not change by it, and sums of
    what is left keep their decimals.
    """
    xp = namespace(log_odds)
    beyond = xp.abs(log_odds) > CERTAIN + reach
    if not xp.any(beyond):
        return log_odds
    certain: FloatArray = xp.where(beyond & (log_odds > 0), np.inf, log_odds)
    return xp.where(beyond & (log_odds < 0), -np.inf, certain)


def as_weights(weights: Any, name: str) -> FloatArray:
    """Return couplings as float64, C-contiguous, finite and not beyond `LARGEST_SCORE`."""
    array = np.ascontiguousarray(as_numbers(weights, name), dtype=float)
    if not (np.abs(array) <= LARGEST_SCORE).all():
        raise ValueError(
            f"{name} must be finite, of size {LARGEST_SCORE:.0e} at most; for labels that exclude "
            "each other give a large negative number such as -50, or list the allowed sets with "
            "joint.restrict(support)."
        )
    return array


def as_log_weights(log_weights: Any, shape: tuple[int, int]) -> FloatArray:
    """Return log-probabilities as float64 (tensors as they are), each row normalised."""
    array = contiguous(as_float(as_numbers(log_weights, "log_weights")))
    if array.shape != shape:
        raise ValueError(f"log_weights must have shape {shape}, got {array.shape}.")
    total = logsumexp(array, axis=1)
    wrong = ~(abs(total) <= NORMALISATION_TOLERANCE)
    if namespace(array).any(wrong):
        row = row_numbers(wrong)[0]
        raise ValueError(
            f"log_weights must be normalised, logsumexp(log_weights, axis=1) == 0; row {row} "
            f"gives {to_host(total)[row]:.6g}. Subtract the logsumexp of each row."
        )
    result: FloatArray = array - total[:, None]
    return result


def as_known(known: Any, shape: tuple[int, int], place: Place = HOST) -> FloatArray:
    """Return known labels (n, L) of a place: 1, 0, or NaN for unknown and masked ones."""
    if np.ma.is_masked(known):
        known = np.ma.filled(known.astype(float), np.nan)
    dense = known.toarray() if sparse.issparse(known) else known
    array = place.asarray(as_float(as_numbers(dense, "known")))
    if array.shape != shape:
        raise ValueError(f"known must have shape {shape}, got {array.shape}.")
    xp = place.xp
    if not xp.all(xp.isnan(array) | (array == 0.0) | (array == 1.0)):
        raise ValueError("known must hold 1 (present), 0 (absent) or NaN (unknown) only.")
    return array


def as_tilt(log_odds: Any, shape: tuple[int, int], place: Place = HOST) -> FloatArray:
    """Return evidence about single labels (n, L) as finite log-odds; (L,) stands for all rows."""
    array = place.asarray(as_float(as_numbers(log_odds, "log_odds")))
    if array.shape not in (shape, shape[1:]):
        raise ValueError(f"log_odds must have shape {shape} or {shape[1:]}, got {array.shape}.")
    if not place.xp.all(abs(array) <= LARGEST_SCORE):
        raise ValueError(
            f"log_odds must be finite, of size {LARGEST_SCORE:.0e} at most; for labels known for "
            "certain use condition."
        )
    tilt: FloatArray = place.xp.broadcast_to(array, shape)
    return tilt


def require_possible(impossible: BoolArray) -> None:
    """Refuse known labels of probability zero, in the rows (n,) that say so."""
    if namespace(impossible).any(impossible):
        row = row_numbers(impossible)[0]
        raise ValueError(f"the known labels of row {row} have probability zero; change known.")


def clamp(unary: FloatArray, known: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the scores of single labels (n, L) with known labels (NaN if not) made certain.

    And which rows contradict labels that were certain before: (n,).
    """
    certain = np.where(known == 1.0, np.inf, -np.inf)
    clash = np.isinf(unary) & ~np.isnan(known) & (unary != certain)
    return np.where(np.isnan(known), unary, certain), clash.any(axis=1)


def with_known(known: FloatArray, logits: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fix known labels of independent ones: their log-probability, and the new logits.

    known broadcasts against logits (..., L); returns (...,) and (..., L).
    """
    xp = namespace(logits)
    fixed = ~xp.isnan(known)
    present = known == 1.0
    log_evidence = xp.sum(xp.where(fixed, log_bernoulli(present, logits), 0.0), axis=-1)
    return log_evidence, xp.where(present, np.inf, xp.where(fixed, -np.inf, logits))


def with_diagonal(pairs: FloatArray, values: FloatArray) -> FloatArray:
    """Return matrices (n, L, L) with other values (n, L) on their diagonals."""
    xp, labels = namespace(pairs), place_of(pairs).arange(pairs.shape[2])
    replaced: FloatArray = xp.where(labels[:, None] == labels, values[:, :, None], pairs)
    return replaced


def log_mean_exp(logits: FloatArray, log_odds: FloatArray) -> FloatArray:
    """Return log E exp(t . y) of independent labels: (..., L) both, which broadcast -> (...,)."""
    xp = namespace(logits)
    terms = xp.logaddexp(log_expit(-logits), log_expit(logits) + log_odds)
    total: FloatArray = xp.sum(terms, axis=-1)
    return total
