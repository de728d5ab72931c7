"""The gate for data."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from labelfield._validation import as_generator, split_known, validate_fit, validate_weights

X = np.arange(12.0).reshape(4, 3)
Y = np.array([[1, 0], [0, 1], [1, 1], [0, 1]])


class Plain(BaseEstimator):
    pass


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
    with pytest.raises(ValueError, match="Negative"):
        validate_weights([1, -1, 1, 1], X)
    with pytest.raises(ValueError, match="non-zero"):
        validate_weights([0, 0, 0, 0], X)


def test_generators():
    assert as_generator(3).integers(100) == as_generator(3).integers(100)
    rng = np.random.default_rng(0)
    assert as_generator(rng) is rng
    old = as_generator(np.random.RandomState(1)).integers(100)
    assert old == as_generator(np.random.RandomState(1)).integers(100)
    with pytest.raises(ValueError, match="random_state"):
        as_generator("seed")
