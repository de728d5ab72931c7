"""Forests asked without their checks."""

import numpy as np
import pytest
from lab.restorers.forest import predict
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_answers_are_those_of_scikit_learn(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(1)
    y = np.array([2, 5, 7])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
    forest = kind(7, random_state=0).fit(X, y)
    new = rng.normal(size=(50, 3))[:, ::-1]
    np.testing.assert_array_equal(predict(forest, new), forest.predict(new))
