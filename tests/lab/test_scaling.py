"""Scaling, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp
from lab.scaling import SCALES, FeatureScaler
from numpy.testing import assert_allclose
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(0)
TRAIN = rng.normal(2.0, 3.0, size=(40, 5)) * (rng.random((40, 5)) < 0.6)
TEST = rng.normal(2.0, 3.0, size=(10, 5)) * (rng.random((10, 5)) < 0.6)


def test_standard_uses_the_training_part_only():
    scaled = FeatureScaler(scale="standard").fit(TRAIN).transform(TEST)
    assert_allclose(scaled, (TEST - TRAIN.mean(axis=0)) / TRAIN.std(axis=0))


def test_unit_rows():
    scaled = FeatureScaler(scale="unit").fit(TRAIN).transform(TEST)
    assert_allclose(scaled, TEST / np.linalg.norm(TEST, axis=1, keepdims=True))


def test_standard_root_divides_by_the_root_of_the_number_of_features():
    scaled = FeatureScaler(scale="standard-root").fit(TRAIN).transform(TEST)
    assert_allclose(scaled, StandardScaler().fit(TRAIN).transform(TEST) / np.sqrt(5))


def test_mean_norm_gives_mean_squared_norm_one_in_training():
    for X in (TRAIN, sp.csr_array(TRAIN)):
        scaled = FeatureScaler(scale="mean-norm").fit_transform(X)
        scaled = scaled.toarray() if sp.issparse(scaled) else scaled
        assert np.square(scaled).sum(axis=1).mean() == pytest.approx(1.0)


@pytest.mark.parametrize("scale", SCALES)
def test_sparse_stays_sparse_and_keeps_its_zeros(scale):
    scaled = FeatureScaler(scale=scale).fit(sp.csr_array(TRAIN)).transform(sp.csr_array(TEST))
    assert sp.issparse(scaled)
    assert ((scaled.toarray() != 0) == (TEST != 0)).all()


def test_unknown_scale_is_refused():
    with pytest.raises(ValueError, match="scale must be one of"):
        FeatureScaler(scale="log").fit(TRAIN)
