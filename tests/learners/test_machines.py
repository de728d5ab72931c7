"""Linear machines of many labels against scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from labelfield.learners import fit_machines, machines


def documents(n=150, d=400, n_labels=5, seed=0):
    rng = np.random.default_rng(seed)
    X = sp.random(n, d, 0.05, format="csr", random_state=rng)
    Y = (X @ rng.normal(size=(d, n_labels)) > 0.3).astype(float)
    return X, Y


@pytest.mark.parametrize("cost", [0.1, 10.0])
@pytest.mark.parametrize("at_once", [2, 32])
def test_the_same_machines_as_one_by_one(cost, at_once, monkeypatch):
    monkeypatch.setattr(machines, "LABELS_AT_ONCE", at_once)
    X, Y = documents()
    weight = np.random.default_rng(1).integers(0, 3, len(Y)).astype(float)
    found = fit_machines(X, Y, cost, weight, tol=1e-6, n_jobs=2)
    for j, y in enumerate(Y.T):
        twin = LinearSVC(C=cost, tol=1e-8, max_iter=100_000, random_state=0)
        twin.fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(found.coef_[:, j], twin.coef_[0], atol=1e-3)
        assert found.intercept_[j] == pytest.approx(twin.intercept_[0], abs=1e-3)


def test_a_loose_tolerance_is_near():
    X, Y = documents()
    near, far = fit_machines(X, Y, 1.0), fit_machines(X, Y, 1.0, tol=1e-6)
    assert np.abs(near.decision(X) - far.decision(X)).mean() < 0.03


def test_unknown_and_constant_labels():
    X, Y = documents()
    holed = Y.copy()
    holed[::3, 0] = np.nan
    holed[:, 1], holed[:, 2] = 0.0, 1.0
    found = fit_machines(X, holed, 1.0, tol=1e-6)
    known = ~np.isnan(holed[:, 0])
    alone = fit_machines(X[known], Y[known, :1], 1.0, tol=1e-6)
    np.testing.assert_allclose(found.coef_[:, :1], alone.coef_, atol=1e-3)
    assert found.intercept_[1:3].tolist() == [-1.0, 1.0]
    assert not found.coef_[:, 1:3].any()
