"""The comparators against textbook loops, and all of them against mean and mode."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lab.restorers import (
    ForestImputer,
    IterativeTableImputer,
    MeanModeImputer,
    MixedKNNImputer,
    RegularizedEMImputer,
)
from labelfield.restore import MixedTable, RandomMixedField, corrupt_table
from small_tables import clean_frame

IMPUTERS = [
    RandomMixedField(alpha=0.02),
    MixedKNNImputer(),
    RegularizedEMImputer(),
    ForestImputer(n_estimators=10, random_state=0),
    IterativeTableImputer(random_state=0),
]


@pytest.fixture(scope="module")
def tables():
    table = MixedTable.from_frame(clean_frame(260))
    return table.take(slice(0, 200)), table.take(slice(200, 260))


@pytest.mark.parametrize("imputer", IMPUTERS, ids=lambda i: type(i).__name__)
def test_better_than_mean_and_mode_and_observed_cells_stay(imputer, tables):
    train, test = tables
    dirty = corrupt_table(test, missing=0.4, random_state=0)
    hole, gap = np.isnan(dirty.continuous), dirty.categorical < 0
    result, plain = (
        imputer.fit(train).transform(dirty),
        MeanModeImputer().fit(train).transform(dirty),
    )
    assert (result.continuous[~hole] == dirty.continuous[~hole]).all()
    assert (result.categorical[~gap] == dirty.categorical[~gap]).all()

    def errors(one):
        square = ((one.continuous - test.continuous) / train.continuous.std(axis=0))[hole] ** 2
        return square.mean(), (one.categorical != test.categorical)[gap].mean()

    assert (np.array(errors(result)) < 0.8 * np.array(errors(plain))).all()


@pytest.mark.parametrize("imputer", IMPUTERS[1:], ids=lambda i: type(i).__name__)
def test_training_may_have_holes(imputer, tables):
    train, test = tables
    holed = corrupt_table(train, missing=0.2, random_state=1)
    dirty = corrupt_table(test, missing=0.4, random_state=0)
    gap = dirty.categorical < 0
    result = imputer.fit(holed).transform(dirty)
    assert not result.missing().any()
    assert (result.categorical != test.categorical)[gap].mean() < 0.4


def test_mean_and_mode():
    X = np.array([[1.0, 0.0], [2.0, 1.0], [6.0, 1.0], [np.nan, np.nan]])
    result = MeanModeImputer(categorical=[1]).fit(X).transform(X)
    assert_allclose(result[3], [3.0, 1.0])


def test_neighbours_are_those_of_a_plain_search():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(50, 2)), rng.integers(0, 3, 50)])
    dirty = np.column_stack([rng.normal(size=(8, 2)), rng.integers(0, 3, 8)])
    dirty[:, 1] = np.nan
    result = MixedKNNImputer(n_neighbors=3, categorical=[2]).fit(X).transform(dirty)
    scale = X[:, 0].std()
    for row, got in zip(dirty, result):
        distance = np.sqrt(((X[:, 0] - row[0]) / scale) ** 2 + (X[:, 2] != row[2]))
        near = np.argsort(distance)[:3]
        assert_allclose(got[1], np.average(X[near, 1], weights=1 / distance[near]))


def test_regularized_em_is_the_gaussian_conditional_when_rows_abound():
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal([1.0, -1.0, 0.0], [[2, 1, 0.5], [1, 1, 0.2], [0.5, 0.2, 1]], 4000)
    dirty = X[:5].copy()
    dirty[:, 0] = np.nan
    result = RegularizedEMImputer().fit(X).transform(dirty)
    mean, cov = X.mean(axis=0), np.cov(X.T)
    slope = np.linalg.solve(cov[1:, 1:], cov[1:, 0])
    assert_allclose(result[:, 0], mean[0] + (X[:5, 1:] - mean[1:]) @ slope, atol=2e-3)


def test_regularized_em_recovers_the_covariance_under_holes():
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal([0.0, 0.0], [[1, 0.8], [0.8, 1]], 1500)
    X[rng.random(X.shape) < 0.3] = np.nan
    model = RegularizedEMImputer(max_iter=200).fit(X)
    assert abs(model.covariance_[0, 1] / np.sqrt(np.prod(np.diag(model.covariance_))) - 0.8) < 0.05


def test_forest_stops_before_the_sweeps_drift_apart(tables):
    train, test = tables
    dirty = corrupt_table(test, missing=0.4, random_state=0)
    model = ForestImputer(n_estimators=5, max_iter=50, random_state=0).fit(train)
    calls = []
    sweep = model._sweep
    model._sweep = lambda *args: calls.append(1) or sweep(*args)
    model.transform(dirty)
    assert 2 <= len(calls) < 50
