"""The gate for data."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from labelfield import BinaryRelevance
from labelfield._gate.validation import (
    as_generator,
    split_known,
    validate_fit,
    validate_predict,
    validate_weights,
)

X = np.arange(12.0).reshape(4, 3)
Y = np.array([[1, 0], [0, 1], [1, 1], [0, 1]])


class Plain(BaseEstimator):
    def fit(self, X, Y):
        validate_fit(self, X, Y)
        return self


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_give_names(kind):
    model = Plain()
    features = kind({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    labels = kind({"rain": [0, 1], "snow": [1, 0]})
    got_X, got_Y = validate_fit(model, features, labels)
    np.testing.assert_array_equal(got_X, [[1.0, 3.0], [2.0, 4.0]])
    np.testing.assert_array_equal(got_Y, [[0, 1], [1, 0]])
    assert got_Y.dtype == np.uint8
    assert list(model.label_names_) == ["rain", "snow"]
    assert list(model.feature_names_in_) == ["a", "b"]


def test_tables_of_arrow_give_names():
    model = Plain()
    validate_fit(model, X, pa.table({"rain": Y[:, 0], "snow": Y[:, 1]}))
    assert list(model.label_names_) == ["rain", "snow"]


def test_sparse_frames_stay_sparse():
    frame = pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(X), columns=["a", "b", "c"])
    got, _ = validate_fit(Plain(), frame, Y)
    assert got.format == "csr"
    np.testing.assert_array_equal(got.toarray(), X)
    # No such sparse matrix exists. (Old pandas loses the zeros of a frame that is sparse already.)
    filled = pd.DataFrame(X).astype(pd.SparseDtype(float, fill_value=1.0))
    np.testing.assert_array_equal(validate_fit(Plain(), filled, Y)[0], X)


def test_same_label_name_twice_is_refused():
    labels = pd.DataFrame(Y, columns=["a", "a"])
    with pytest.raises(ValueError, match="two columns of one name"):
        validate_fit(Plain(), X, labels)


def test_dtypes_and_sparseness_survive():
    single, _ = validate_fit(Plain(), X.astype(np.float32), Y)
    assert single.dtype == np.float32
    sparse, labels = validate_fit(Plain(), sp.csc_matrix(X), sp.csc_matrix(Y))
    assert sparse.format == "csr"
    np.testing.assert_array_equal(sparse.toarray(), X)
    np.testing.assert_array_equal(labels, Y)


@pytest.mark.parametrize("dtype", [bool, int, float, np.uint8, object])
def test_indicators_of_any_type(dtype):
    model = Plain()
    _, labels = validate_fit(model, X, Y.astype(dtype))
    np.testing.assert_array_equal(labels, Y)
    assert not model.empty_seen_
    assert list(model.label_names_) == ["y0", "y1"]


def test_classes_number_the_labels():
    model = Plain()
    validate_fit(model, X, np.hstack([Y, Y]).astype(float))
    np.testing.assert_array_equal(model.classes_, [0, 1, 2, 3])
    validate_fit(model, X, Y)  # [0, 1] would be the classes of one target
    np.testing.assert_array_equal(model.classes_, [[0, 1], [0, 1]])
    validate_fit(model, X, Y[:, :1])
    np.testing.assert_array_equal(model.classes_, [[0, 1]])


def test_masked_labels_are_unknown():
    masked = np.ma.masked_array(Y, mask=[[1, 0], [0, 0], [0, 0], [0, 1]])
    _, got = validate_fit(Plain(), X, masked, accept_unknown=True)
    np.testing.assert_array_equal(got, np.where(masked.mask, np.nan, Y))
    with pytest.raises(ValueError, match="Y holds NaN"):
        validate_fit(Plain(), X, masked)
    with pytest.raises(ValueError, match="y holds missing entries"):
        validate_fit(Plain(), X, masked[:, 0], accept_unknown=True)


def test_masked_features_are_refused_like_nan():
    with pytest.raises(ValueError, match="Input X contains NaN"):
        validate_fit(Plain(), np.ma.masked_array(X, mask=X > 10), Y)
    got, _ = validate_fit(Plain(), np.ma.masked_array(X), Y)
    np.testing.assert_array_equal(got, X)


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (X * 1e150, "squares beyond 1e\\+150 overflow in float64"),
        (-X * 1e307, "overflow in float64. Scale the features"),
        ((X * 1e15).astype(np.float32), "squares beyond 1e\\+15 overflow in float32"),
        (X * 1e-152, "vanish in float64"),
        (sp.csr_matrix(X * 1e160), "overflow"),
        (np.where(X > 5, np.inf, -np.inf), "Input X contains infinity"),
        (X.astype(np.longdouble) * np.longdouble(10) ** 4000, "Input X contains infinity"),
    ],
)
def test_features_whose_squares_leave_the_range_are_refused(features, words):
    with pytest.raises(ValueError, match=words):
        validate_fit(Plain(), features, Y)


def test_a_row_of_tiny_features_can_be_predicted():
    model = Plain().fit(X, Y)
    np.testing.assert_array_equal(validate_predict(model, X * 1e-320), X * 1e-320)
    with pytest.raises(ValueError, match="overflow"):
        validate_predict(model, X * 1e200)


def test_empty_set_is_noticed():
    model = Plain()
    validate_fit(model, X, np.vstack([Y[:3], [0, 0]]))
    assert model.empty_seen_


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        (["no", "yes", "no", "yes"], ["no", "yes"], [0, 1, 0, 1]),
        ([3, 7, 7, 3], [3, 7], [0, 1, 1, 0]),
        ([0, 0, 0, 0], [0, 1], [0, 0, 0, 0]),
        ([1, 1, 1, 1], [0, 1], [1, 1, 1, 1]),
    ],
)
def test_one_dimensional_target(y, classes, codes):
    model = Plain()
    _, labels = validate_fit(model, X, np.array(y))
    np.testing.assert_array_equal(labels[:, 0], codes)
    assert list(model.classes_) == classes


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y"),
        (np.zeros((4, 2, 1)), "3 dimensions"),
        (np.zeros((4, 0)), "0 columns"),
        (Y + 1, "Y holds 2; entries must be 0, 1"),
        (np.array([["a", "b"]] * 4), "MultiLabelBinarizer"),
        (np.array([0, 1, 2, 1]), "Only binary"),
        (np.array([0.5, 1.2, 3.3, 0.1]), "Unknown label type"),
        (sp.csr_matrix(2 * Y), "holds 2"),
        (np.array(["2020", "2021"] * 2, dtype="datetime64[Y]"), "y holds dates"),
        (np.array([1j, 1.0, 1j, 1.0]), "y holds complex numbers"),
        (np.array([1, None, 0, 1]), "y holds missing entries"),
        (pd.Series([1, None, 0, 1], dtype="boolean"), "y holds missing entries"),
        ([[0], [1, 2], [1], []], "Y has rows of different lengths.*MultiLabelBinarizer"),
        (np.array([["0", "1"]] * 4), "Y holds text"),
        (Y[:3], "inconsistent"),
    ],
)
def test_bad_targets_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        validate_fit(Plain(), X, y)


def test_unknown_labels():
    holed = Y.astype(float)
    holed[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"NaN.*Plain.*BinaryRelevance"):
        validate_fit(Plain(), X, holed)
    _, got = validate_fit(Plain(), X, holed, accept_unknown=True)
    labels, known = split_known(got)
    assert labels.dtype == np.uint8
    np.testing.assert_array_equal(known, ~np.isnan(holed))
    np.testing.assert_array_equal(labels[known], Y[known])
    assert split_known(Y)[1] is None


def test_weights():
    assert validate_weights(None, X) is None
    np.testing.assert_array_equal(validate_weights([1, 0, 2, 1], X), [1.0, 0.0, 2.0, 1.0])
    np.testing.assert_array_equal(validate_weights(2, X), [2.0, 2.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, -1, 1, 1], "Negative values in data passed to `sample_weight`"),
        ([0, 0, 0, 0], "non-zero"),
        ([1, np.nan, 1, 1], "Input sample_weight contains NaN"),
        ([1, np.inf, 1, 1], "Input sample_weight contains infinity"),
        ([1, 1, 1], r"sample_weight.shape == \(3,\), expected \(4,\)"),
        (np.ones((4, 1)), r"sample_weight has shape \(4, 1\)"),
        (np.ma.masked_array([1.0, 1, 1, 1], mask=[1, 0, 0, 0]), "sample_weight contains NaN"),
        (["a", "b", "c", "d"], "sample_weight holds text"),
        ([1j, 1, 1, 1], "sample_weight holds complex"),
        ([1e200, 1, 1, 1], "sample_weight holds 1e\\+200.*Divide the weights"),
        ([1e-200] * 4, "sample_weight holds no number above 1e-200"),
    ],
)
def test_bad_weights_are_refused_by_name(weights, words):
    with pytest.raises(ValueError, match=words):
        validate_weights(weights, X)


def test_generators():
    assert as_generator(3).integers(100) == as_generator(3).integers(100)
    rng = np.random.default_rng(0)
    assert as_generator(rng) is rng
    old = as_generator(np.random.RandomState(1)).integers(100)
    assert old == as_generator(np.random.RandomState(1)).integers(100)
    with pytest.raises(ValueError, match="random_state"):
        as_generator("seed")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numbers_are_checked_the_same_way_in_every_layout(order, dtype):
    limit = {np.float64: 1e150, np.float32: 1e15}[dtype]
    Y = np.array([[0, 1], [1, 0], [1, 1]])

    def fit(*numbers):
        X = np.zeros((3, 2), dtype=dtype, order=order)
        X.flat[: len(numbers)] = numbers
        return BinaryRelevance(alpha=1.0).fit(X, Y)

    for number, words in (
        (np.nan, "contains NaN"),
        (-np.inf, "contains infinity"),
        (-2.0 * limit, "overflow"),
        (0.5 / limit, "vanish"),
    ):
        with pytest.raises(ValueError, match=words):
            fit(number)
    model = fit(1.0, -1.0, 0.5)
    with pytest.raises(ValueError, match="overflow"):
        model.predict(np.full((1, 2), 2.0 * limit, dtype=dtype, order=order))
    assert model.predict(np.full((1, 2), 0.5 / limit, dtype=dtype, order=order)).shape == (1, 2)
