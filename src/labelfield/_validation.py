"""The gate for data: X and Y are checked here and trusted below."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from labelfield._indicator import read_indicator

__all__ = [
    "Target",
    "as_generator",
    "label_evidence",
    "split_known",
    "validate_fit",
    "validate_predict",
    "validate_weights",
]


@dataclass(frozen=True)
class Target:
    """How the training target looked, so that predictions can look the same."""

    dtype: np.dtype
    one_dimensional: bool = False
    sparse: bool = False


def validate_fit(estimator, X, Y, *, accept_unknown=False):
    """Check training data and store what `predict` must know of it.

    X becomes a float array or CSR matrix (float32 stays float32, sparse stays sparse). Y becomes
    uint8 of shape (n, L); with `accept_unknown` a Y that holds NaN comes back as float64.
    Sets `n_features_in_`, `feature_names_in_`, `classes_`, `label_names_`, `empty_seen_`.
    """
    if Y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, "
            "but the target y is None."
        )
    X = validate_data(estimator, X, accept_sparse="csr", dtype=[np.float64, np.float32])
    names = _column_names(Y)
    Y, classes, target = _read_target(Y)
    check_consistent_length(X, Y)
    unknown = Y.dtype.kind == "f"
    if unknown and not accept_unknown:
        raise ValueError(
            f"Y holds NaN (unknown labels), which {type(estimator).__name__} cannot learn from. "
            "BinaryRelevance, ProbabilisticClassifierChain, PairwiseCRF and others can, see "
            "labelfield.registry. Or drop the rows, or fill in the labels."
        )
    estimator.classes_ = classes
    estimator.label_names_ = np.asarray(
        names if names is not None else [f"y{j}" for j in range(Y.shape[1])], dtype=object
    )
    estimator.empty_seen_ = bool((Y == 0).all(axis=1).any())
    estimator._target = target
    return X, Y


def validate_predict(estimator, X):
    """Check new data against what `fit` saw."""
    check_is_fitted(estimator)
    return validate_data(
        estimator, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False
    )


def validate_weights(sample_weight, X):
    """Return sample weights of shape (n,), float64 and not negative, or None."""
    if sample_weight is None:
        return None
    return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)


def split_known(Y):
    """Split a Y from `validate_fit` into 0/1 labels and the mask of known entries (or None)."""
    if Y.dtype.kind != "f":
        return Y, None
    known = ~np.isnan(Y)
    return np.where(known, Y, 0.0).astype(np.uint8), known


def label_evidence(Y, missing_rate, wrong_rate):
    """Return the log of how much likelier each mark is with the label than without it: (n, L).

    Y (n, L) holds marks 1, 0 or NaN (none); a present label is marked 0 with probability
    `missing_rate`, an absent one 1 with probability `wrong_rate`.
    """
    for name, rate in (("missing_rate", missing_rate), ("wrong_rate", wrong_rate)):
        if not 0.0 < rate < 1.0:
            raise ValueError(f"{name} must lie in (0, 1); got {rate!r}.")
    Y = np.asarray(Y, dtype=np.float64)
    marked_1 = np.log((1.0 - missing_rate) / wrong_rate)
    marked_0 = np.log(missing_rate / (1.0 - wrong_rate))
    return np.where(np.isnan(Y), 0.0, np.where(Y == 1.0, marked_1, marked_0))


def as_generator(random_state: object) -> np.random.Generator:
    """Turn a seed, None, RandomState or Generator into a Generator."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    if random_state is None or isinstance(random_state, Integral):
        return np.random.default_rng(random_state)
    raise ValueError(
        f"random_state must be None, an int, a RandomState or a Generator; got {random_state!r}."
    )


def _column_names(Y):
    columns = getattr(Y, "columns", None)
    if columns is None:
        return None
    names = [str(name) for name in columns]
    if len(set(names)) != len(names):
        raise ValueError(f"Y has two columns of one name among {names}; label names must differ.")
    return names


def _read_target(Y):
    """Return labels (n, L), the two classes and the Target."""
    if not sp.issparse(Y):
        Y = np.asarray(Y)
        if Y.ndim == 1:
            labels, classes = _read_binary(Y)
            return labels, classes, Target(dtype=classes.dtype, one_dimensional=True)
        if Y.ndim == 2 and Y.shape[1] == 0:
            raise ValueError("Y has 0 columns; give at least one label.")
    ones, unknown = read_indicator(Y, "Y")
    if sp.issparse(ones):  # one byte an entry from here on
        ones, unknown = ones.toarray(), unknown.toarray()
    labels = np.where(unknown, np.nan, ones) if unknown.any() else ones.astype(np.uint8)
    dtype = np.dtype(int) if Y.dtype.kind == "O" or unknown.any() else Y.dtype
    return labels, np.array([0, 1], dtype=dtype), Target(dtype=dtype, sparse=sp.issparse(Y))


def _read_binary(y):
    assert_all_finite(y, input_name="y")
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind.startswith("continuous"):
        raise ValueError(f"Unknown label type: {kind}. y must hold two classes, such as 0 and 1.")
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}; for "
            "several labels pass an indicator matrix of shape (n_samples, n_labels)."
        )
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) == 1:  # which of the two is missing shows in the value where it is a number
        positive = bool(classes[0]) if classes.dtype.kind in "biuf" else True
        codes = np.full(len(y), positive)
        if classes.dtype.kind in "biuf" and classes[0] in (0, 1):
            classes = np.array([0, 1], dtype=classes.dtype)
        else:
            classes = np.repeat(classes, 2)
    return codes.astype(np.uint8)[:, None], classes
