"""The kernel machine for many classes against scikit-learn's kernel ridge and its checks."""

import numpy as np
import pytest
import scipy.sparse as sp
from lab.variants.least_squares_machine import LeastSquaresMachine
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks


@parametrize_with_checks([LeastSquaresMachine()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    return X, (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 0.3)


def test_it_is_kernel_ridge_on_centred_indicators(data):
    X, y = data
    targets = np.eye(4)[y]
    gamma = SVC(gamma="scale").fit(X, y)._gamma
    ridge = KernelRidge(alpha=0.1, kernel="rbf", gamma=gamma).fit(X, targets - targets.mean(axis=0))
    machine = LeastSquaresMachine(C=10.0).fit(X, y)
    new = np.random.default_rng(1).normal(size=(7, 5))
    expected = ridge.predict(new) + targets.mean(axis=0)
    np.testing.assert_allclose(machine.decision_function(new), expected, atol=1e-10)


def test_sparse_rows_are_answered_alike(data):
    X, y = data
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    dense, sparse = (LeastSquaresMachine().fit(kind, y) for kind in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(
        dense.decision_function(X), sparse.decision_function(sp.csr_matrix(X)), atol=1e-8
    )
