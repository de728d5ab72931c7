"""The gate for tensors: everything follows X, with scikit-learn's array API dispatch."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.utils import check_array

from labelfield._namespaces import (
    HOST,
    Place,
    is_sparse_tensor,
    is_tensor,
    namespace,
    place_of,
    to_host,
)

__all__ = [
    "follows_tensors",
    "largest_number",
    "read_tensor_features",
    "read_tensor_labels",
    "refuse_other_place",
]

DISPATCH = "sklearn.set_config(array_api_dispatch=True)"


def follows_tensors(estimator: Any, X: Any) -> bool:
    """Return whether X is a tensor that the estimator is to compute on where it lies.

    Without dispatch tensors in main memory are read as arrays of numpy, as by scikit-learn.
    """
    if not is_tensor(X):
        return False
    name, place = type(estimator).__name__, place_of(X)
    if not get_config()["array_api_dispatch"]:
        if _is_readable(X):
            return False
        raise TypeError(
            f"X is a tensor of {place}, which numpy cannot read. Turn on {DISPATCH} for models "
            "that compute there, or copy X to main memory first, in torch by X.cpu()."
        )
    if not estimator._computes_on_tensors():
        raise TypeError(
            f"X is a tensor of {place}, but this {name} computes on arrays of numpy only. Copy X "
            "to main memory, in torch by X.cpu().numpy(), or use BinaryRelevance with "
            "l1_ratio=0, LabelPowerset, ConditionalBernoulliMixture or PairwiseCRF without inner "
            "estimators."
        )
    return True


def _is_readable(X: Any) -> bool:
    if is_sparse_tensor(X):
        return False
    try:
        np.asarray(X)
    except (TypeError, ValueError, RuntimeError):
        return False
    return True


def read_tensor_features(estimator: Any, X: Any) -> Any:
    """Return a tensor X (n, d) as finite floats; torch's sparse ones as CSR."""
    if is_sparse_tensor(X):
        return _read_sparse(X)
    xp = namespace(X)
    if hasattr(X, "detach"):
        X = X.detach()
    return check_array(X, dtype=[xp.float64, xp.float32], estimator=estimator, input_name="X")


def _read_sparse(X: Any) -> Any:
    X = X.detach().to_sparse_csr()
    if X.ndim != 2:
        raise ValueError(f"X is sparse of {X.ndim} dimensions; give 2.")
    if not X.dtype.is_floating_point:
        X = X.double()
    if not bool(X.values().isfinite().all()):
        raise ValueError("Input X contains NaN or infinity.")
    return X


def read_tensor_labels(Y: Any, place: Place) -> Any:
    """Return labels (n, L) read on the host or on a device as uint8, or float64 with NaN."""
    if not is_tensor(Y):
        return place.asarray(Y)
    xp = namespace(Y)
    if xp.isdtype(Y.dtype, "real floating"):
        unknown = xp.isnan(Y)
        _require_marks(Y, (Y == 0) | (Y == 1) | unknown)
        if xp.any(unknown):
            return place.asarray(xp.astype(Y, xp.float64))
    elif not xp.isdtype(Y.dtype, "bool"):
        _require_marks(Y, (Y == 0) | (Y == 1))
    return place.asarray(xp.astype(Y, xp.uint8))


def _require_marks(Y: Any, right: Any) -> None:
    xp = namespace(Y)
    if not xp.all(right):
        wrong = to_host(Y)[~to_host(right)][0]
        raise ValueError(f"Y holds {wrong}; entries must be 0, 1 or NaN (unknown).")


def refuse_other_place(estimator: Any, place: Place) -> None:
    """Refuse new rows that live elsewhere than the model."""
    own = getattr(estimator, "_place", HOST)
    if own != place:
        raise ValueError(
            f"{type(estimator).__name__} was fitted on arrays of {own}, but X is of {place}. Move "
            f"X there, or the model: labelfield.to_device(model, like=X)."
        )


def largest_number(values: Any) -> float:
    """Return the largest absolute value, 0 where there is none."""
    if is_sparse_tensor(values):
        values = values.values()
    if sp.issparse(values):
        values = values.data
    if 0 in values.shape:
        return 0.0
    xp = namespace(values)
    return max(float(xp.max(values)), -float(xp.min(values)), 0.0)
