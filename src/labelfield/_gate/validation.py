"""The gate for data: X and Y are checked here and trusted below."""

import reprlib
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
import scipy.sparse as sp
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from labelfield._gate.indicator import WANTED_LABELS, read_dense_indicator, read_indicator
from labelfield._gate.reading import (
    as_array,
    as_numbers,
    as_rows,
    column_names,
    count_rows,
    is_missing,
    sound_csr,
)
from labelfield._gate.tags import holds_tags, read_tags
from labelfield._gate.tensors import (
    follows_tensors,
    largest_number,
    read_tensor_features,
    read_tensor_labels,
    refuse_other_place,
)
from labelfield._namespaces import is_tensor, namespace, place_of, to_host

__all__ = [
    "Target",
    "as_generator",
    "classes_of_labels",
    "holds_empty",
    "label_evidence",
    "numbers_or_none",
    "split_known",
    "validate_fit",
    "validate_known",
    "validate_predict",
    "validate_weights",
]


WANTED_FEATURES = (
    "real numbers: dates as days since a first one, text by TableEncoder in a pipeline, complex "
    "numbers as two"
)
SCALE = "Scale the features, for example by StandardScaler()"
# Squares of larger values, summed over many rows, leave the range of the type; so do those of
# smaller ones at the other end.
LARGEST = {"float64": 1e150, "float32": 1e15}


@dataclass(frozen=True)
class Target:
    """How the training target looked, so that predictions can look the same."""

    dtype: np.dtype
    one_dimensional: bool = False
    sparse: bool = False


def validate_fit(estimator, X, Y, *, accept_unknown=False, hand_through=False, keep_sparse=False):
    """Check training data and store what `predict` must know of it.

    X becomes a float array or CSR matrix (float32 stays float32, sparse stays sparse); with
    `hand_through` it stays as it came, see `as_rows`. Y becomes uint8 of shape (n, L); with
    `accept_unknown` a Y that holds NaN comes back as float64; with `keep_sparse` a sparse Y without
    NaN comes back as CSR matrix.
    Sets `n_features_in_`, `feature_names_in_`, `classes_`, `label_names_`, `empty_seen_`.
    """
    if Y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, "
            "but the target y is None."
        )
    features, largest = (_read_handed(X), None) if hand_through else _read_features(estimator, X)
    Y, names = (Y, _label_names(Y)) if not holds_tags(Y) else read_tags(Y, "Y")
    Y, classes, target = _read_target(Y, keep_sparse)
    if count_rows(features) != Y.shape[0]:
        raise ValueError(
            f"X and Y have inconsistent numbers of rows: {count_rows(features)} and {Y.shape[0]}; "
            "give the labels of the same rows."
        )
    _check_unknown(Y, estimator, accept_unknown)
    if not hand_through:
        _check_size(largest, features.dtype, "X", SCALE)
    _compare_columns(estimator, X, features, reset=True)  # from here on the estimator changes
    estimator.classes_ = classes
    estimator.label_names_ = np.asarray(
        names if names is not None else [f"y{j}" for j in range(Y.shape[1])], dtype=object
    )
    vars(estimator).pop("_place", None)
    if is_tensor(features):
        estimator._place = place_of(features)
        Y = estimator._place.asarray(Y.toarray() if sp.issparse(Y) else Y)
    estimator.empty_seen_ = holds_empty(Y)
    estimator._target = target
    return features, Y


def holds_empty(Y):
    """Return whether a row of Y (n, L), checked, has no label."""
    if sp.issparse(Y):
        return bool((np.diff(Y.indptr) == 0).any())
    xp = namespace(Y)
    return bool(xp.any(xp.all(Y == 0, axis=1)))


def validate_predict(estimator, X, *, hand_through=False):
    """Check new data against what `fit` saw; with `hand_through` X stays as it came."""
    check_is_fitted(estimator)
    features, largest = (_read_handed(X), None) if hand_through else _read_features(estimator, X)
    refuse_other_place(estimator, place_of(features))
    if not hand_through:
        _check_size(largest, features.dtype, "X", SCALE, small=False)
    _compare_columns(estimator, X, features, reset=False)
    return features


def numbers_or_none(estimator, X):
    """Return X that was handed through as checked numbers, or None where it is not all numbers."""
    try:
        features, largest = _read_features(estimator, X)
        _check_size(largest, features.dtype, "X", SCALE)
    except (TypeError, ValueError):
        return None
    return features


def validate_known(known, shape):
    """Return labels known in part as float64 of a given shape (n, L), NaN where unknown."""
    ones, unknown = read_dense_indicator(known, "known")
    if ones.shape != shape:
        raise ValueError(f"known must have shape {shape}, got {ones.shape}.")
    return np.where(unknown, np.nan, ones)


def validate_weights(sample_weight, X):
    """Return sample weights of shape (n,), float64 and not negative, or None."""
    if sample_weight is None:
        return None
    weights = as_numbers(to_host(sample_weight), "sample_weight")
    if weights.ndim == 0:
        weights = np.full(count_rows(X), weights)
    if weights.ndim != 1:
        raise ValueError(f"sample_weight has shape {weights.shape}; give one weight per row, (n,).")
    rows = np.empty((count_rows(X), 1))
    weights = _check_sample_weight(weights, rows, dtype=np.float64, ensure_non_negative=True)
    way_out = "Divide the weights by their mean"
    _check_size(largest_number(weights), weights.dtype, "sample_weight", way_out)
    return weights


def split_known(Y):
    """Split a Y from `validate_fit` into 0/1 labels and the mask of known entries (or None)."""
    if sp.issparse(Y):
        return Y, None
    xp = namespace(Y)
    if not xp.isdtype(Y.dtype, "real floating"):
        return Y, None
    known = ~xp.isnan(Y)
    return xp.astype(xp.where(known, Y, 0.0), xp.uint8), known


def label_evidence(Y, missing_rate, wrong_rate):
    """Return the log of how much likelier each mark is with the label than without it: (n, L).

    Y (n, L) holds marks 1, 0 or NaN (none); a present label is marked 0 with probability
    `missing_rate`, an absent one 1 with probability `wrong_rate`.
    """
    for name, rate in (("missing_rate", missing_rate), ("wrong_rate", wrong_rate)):
        if not isinstance(rate, Real) or not 0.0 < rate < 1.0:
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
    if random_state is None or (isinstance(random_state, Integral) and random_state >= 0):
        return np.random.default_rng(random_state)
    raise ValueError(
        "random_state must be None, an int of at least 0, a RandomState or a Generator; got "
        f"{random_state!r}."
    )


def _read_features(estimator, X):
    """Return X as floats (array, canonical CSR matrix, tensor) and a number for `_check_size`."""
    if follows_tensors(estimator, X):
        X = read_tensor_features(estimator, X)
        return X, largest_number(X)
    names = column_names(X)
    if names is not None:
        _check_names(names, "X")
        if hasattr(X, "sparse") and all(dtype.fill_value == 0 for dtype in X.dtypes):
            X = X.sparse.to_coo()
    read = sound_csr if sp.issparse(X) else as_numbers
    options = {
        "accept_sparse": "csr",
        "dtype": [np.float64, np.float32],
        "estimator": estimator,
        "input_name": "X",
    }
    X = check_array(read(X, "X", WANTED_FEATURES), ensure_all_finite=False, **options)
    largest = _length_that_tells(X)
    if largest is None:
        largest = largest_number(X)
    if not np.isfinite(largest):
        with np.errstate(invalid="ignore"):  # scikit-learn meets inf - inf while it looks for both
            check_array(X, **options)  # says what is wrong
    return X, largest


def _length_that_tells(X):
    """Return the root of all squares of X where it shows that no number is too large or small.

    One pass at the speed of products, where the smallest and the largest number take two.
    """
    if sp.issparse(X) or not X.flags.c_contiguous or X.dtype != np.float64:
        return None
    numbers = X.reshape(-1)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        length = np.sqrt(numbers @ numbers)
    limit = LARGEST["float64"]
    return length if np.sqrt(numbers.size) / limit < length < limit else None


def _read_handed(X):
    """Return X as rows for another estimator, which judges what is in them."""
    names = column_names(X)
    if names is not None:
        _check_names(names, "X")
    rows = as_rows(X, "X", WANTED_FEATURES)
    if sp.issparse(rows) or (isinstance(rows, np.ndarray) and rows.dtype.kind in "biuf"):
        check_array(rows, accept_sparse=True, dtype=None, ensure_all_finite=False, input_name="X")
    return rows


def _compare_columns(estimator, X, features, *, reset):
    """Store number and names of the features, or with `reset=False` compare them."""
    if is_tensor(features):
        features = np.empty((1, features.shape[1]))  # only the number of columns counts
    if reset and not hasattr(features, "shape"):  # texts or other objects: no columns
        vars(estimator).pop("n_features_in_", None)
        vars(estimator).pop("feature_names_in_", None)
        return
    named = features if column_names(X) is None else X
    validate_data(estimator, named, reset=reset, skip_check_array=True)


def _check_size(largest, dtype, name, way_out, *, small=True):
    """Refuse numbers whose squares overflow or, with `small`, all vanish.

    `largest` is the largest absolute value, or a length between the limits that it must keep.
    """
    limit = LARGEST[_type_name(dtype)]
    if largest > limit:
        raise ValueError(
            f"{name} holds {largest:.3g}, and squares beyond {limit:.0e} overflow in "
            f"{dtype}. {way_out}."
        )
    if small and 0.0 < largest < 1.0 / limit:
        raise ValueError(
            f"{name} holds no number above {largest:.3g}, and squares of such small numbers "
            f"vanish in {dtype}. {way_out}."
        )


def _check_unknown(Y, estimator, accept_unknown):
    xp = namespace(Y)
    if not xp.isdtype(Y.dtype, "real floating"):
        return
    if not accept_unknown:
        raise ValueError(
            f"Y holds NaN (unknown labels), which {type(estimator).__name__} cannot learn from. "
            "BinaryRelevance, ProbabilisticClassifierChain, PairwiseCRF and others can, see "
            "labelfield.registry. Or drop the rows, or fill in the labels."
        )
    if xp.all(xp.isnan(Y)):
        raise ValueError("Y marks no label as 0 or 1, every entry is NaN; give some known labels.")


def _check_names(names, of_what):
    shown = [str(name) for name in names]
    if len(set(shown)) != len(shown):
        raise ValueError(
            f"{of_what} has two columns of one name among {reprlib.repr(shown)}; names must differ."
        )


def _label_names(Y):
    names = column_names(Y)
    if names is None:
        return None
    _check_names(names, "Y")
    return [str(name) for name in names]


def _read_target(Y, keep_sparse):
    """Return labels (n, L), the classes and the Target."""
    if is_tensor(Y) and Y.ndim == 1:
        Y = to_host(Y)
    if is_tensor(Y):
        labels = read_tensor_labels(Y, place_of(Y))
        _require_labels(labels.shape)
        return labels, classes_of_labels(Y.shape[1]), Target(np.dtype(_type_name(Y.dtype)))
    if _is_one_dimensional(Y):
        labels, classes = _read_binary(Y)
        return labels, classes, Target(dtype=classes.dtype, one_dimensional=True)
    values = Y if sp.issparse(Y) else as_numbers(Y, "Y", WANTED_LABELS)
    ones, unknown = read_indicator(values, "Y")
    _require_labels(ones.shape)
    if sp.issparse(ones) and not (keep_sparse and unknown.nnz == 0):
        ones, unknown = ones.toarray(), unknown.toarray()
    if unknown.sum():
        labels, dtype = np.where(unknown, np.nan, ones), np.dtype(int)
    else:
        labels, dtype = ones.astype(np.uint8), values.dtype
        if getattr(Y, "dtype", dtype).kind == "O":
            dtype = np.dtype(int)
    return labels, classes_of_labels(ones.shape[1]), Target(dtype=dtype, sparse=sp.issparse(Y))


def _require_labels(shape):
    if len(shape) != 2:
        raise ValueError(f"Y has {len(shape)} dimensions; give an (n, L) indicator matrix.")
    if shape[1] == 0:
        raise ValueError("Y has 0 columns; give at least one label.")


def _type_name(dtype):
    """Return the name of a dtype of arrays or tensors, such as "float32"."""
    return str(dtype).rpartition(".")[2]


def classes_of_labels(n_labels):
    """Return the numbers of the labels; of one or two labels the classes 0 and 1 of each.

    Scorers read from `classes_` what the target is, and would take the numbers [0] or [0, 1] for
    the classes of one binary target.
    """
    if n_labels > 2:
        return np.arange(n_labels)
    return np.tile([0, 1], (n_labels, 1))


def _is_one_dimensional(Y):
    if sp.issparse(Y) or column_names(Y) is not None:
        return False
    return as_array(Y, "Y", WANTED_LABELS).ndim == 1


def _read_binary(y):
    _check_classes(y)
    y = np.asarray(y)
    assert_all_finite(y, input_name="y")
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind.startswith("continuous"):
        raise ValueError(f"Unknown label type: {kind}. y must hold two classes, such as 0 and 1.")
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}; for "
            "several labels pass an indicator matrix of shape (n_samples, n_labels), lists of "
            "tags, or labelfield.split_tags(y, sep=';')."
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


def _check_classes(y):
    """Refuse missing entries, dates and complex numbers in a 1-d target."""
    classes = "two classes, such as 0 and 1"
    entries = np.asarray(y)
    if np.ma.is_masked(y) or (entries.dtype.kind == "O" and any(map(is_missing, entries))):
        raise ValueError(
            f"y holds missing entries; drop these rows and give {classes}, or give Y of shape "
            "(n, 1) with NaN to a model that takes unknown labels."
        )
    if entries.dtype.kind not in "biufOUST":
        as_numbers(entries, "y", classes)
