"""Sums over blocks against the same sums over all rows at once."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit, log_softmax

from labelfield.learners import LogisticLearner, MultinomialLearner
from labelfield.learners.logistic_loss import LogisticLoss
from labelfield.learners.rows import Targets, as_rows, memory
from labelfield.learners.softmax_loss import SoftmaxLoss


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 7)) * (rng.random((90, 7)) < 0.6)
    return X, (rng.random((90, 4)) < 0.3).astype(np.uint8), rng.random(90)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(memory, "rows_of_block", lambda *sizes: 17)


def one(block):
    return (1.0,)


def logistic_twin(X, Y, weight, W):
    Z = X @ W[:-1] + W[-1]
    weight = np.broadcast_to(np.reshape(weight, (len(X), -1)), Z.shape)
    value = (weight * (np.logaddexp(0.0, Z) - Y * Z)).sum(axis=0)
    residual = weight * (expit(Z) - Y)
    gradient = np.concatenate([X.T @ residual, residual.sum(axis=0)[None]])
    return value, gradient, (weight * expit(Z) * expit(-Z)).sum(axis=0)


@pytest.mark.parametrize("sparse_features", [False, True])
@pytest.mark.parametrize("sparse_targets", [False, True])
def test_blocked_terms_equal_those_of_all_rows(data, small_blocks, sparse_features, sparse_targets):
    X, Y, weight = data
    W = np.random.default_rng(1).normal(size=(8, 4))
    features = sp.csr_matrix(X) if sparse_features else X
    rows = as_rows(features, sp.csr_array(Y) if sparse_targets else Y, weight)
    assert rows.sum(one)[0] == 6
    for got, wanted in zip(LogisticLoss(rows).terms(W), logistic_twin(X, Y, weight, W)):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)


def test_columns_may_repeat_labels_with_other_weights(data, small_blocks):
    """Folds: the same labels, held-out rows without weight."""
    X, Y, _ = data
    rng = np.random.default_rng(2)
    weight = (rng.random((90, 3)) < 0.7).astype(float)
    labels, groups = np.array([0, 0, 0, 3, 3, 1]), np.array([0, 1, 2, 0, 2, 1])
    loss = LogisticLoss(as_rows(X, Y, weight), labels=labels, groups=groups)
    W = rng.normal(size=(8, 6))
    wanted = logistic_twin(X, Y[:, labels], weight[:, groups], W)
    for got, twin in zip(loss.terms(W), wanted):
        np.testing.assert_allclose(got, twin, rtol=1e-12, atol=1e-12)
    some = np.array([4, 1])
    for got, twin in zip(loss.take(some).terms(W[:, some]), wanted):
        np.testing.assert_allclose(got, twin[..., some], rtol=1e-12, atol=1e-12)
    present = (weight[:, groups] * Y[:, labels]).sum(axis=0)
    odds = np.log(present / (weight[:, groups].sum(axis=0) - present))
    np.testing.assert_allclose(loss.constants()[0], odds)


def test_blocked_softmax_equals_that_of_all_rows(data, small_blocks):
    X, _, weight = data
    rng = np.random.default_rng(3)
    T = np.eye(5)[rng.integers(0, 5, 90)]
    W = rng.normal(size=(8, 5))
    value, gradient, curvature = SoftmaxLoss(as_rows(X, T, weight), np.zeros(7)).terms(
        W.reshape(-1, 1)
    )
    log_p = log_softmax(X @ W[:-1] + W[-1], axis=1)
    residual = weight[:, None] * (np.exp(log_p) - T)
    np.testing.assert_allclose(value, -(weight @ (T * log_p).sum(axis=1)))
    twin = np.concatenate([X.T @ residual, residual.sum(axis=0)[None]])
    np.testing.assert_allclose(gradient[:, 0], twin.ravel(), atol=1e-12)
    np.testing.assert_allclose(curvature[0], weight @ (np.exp(log_p) * (1 - np.exp(log_p))))


@pytest.mark.parametrize("learner", [LogisticLearner, MultinomialLearner])
def test_threads_change_no_bit(data, small_blocks, learner):
    X, Y, weight = data
    targets = Y if learner is LogisticLearner else np.eye(2)[Y[:, 0]]
    one = learner().fit(X, targets, weight)
    for n_jobs in (2, 5):
        several = learner(n_jobs=n_jobs).fit(X, targets, weight)
        np.testing.assert_array_equal(several.coef_, one.coef_)
        np.testing.assert_array_equal(several.intercept_, one.intercept_)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_the_answer_does_not_depend_on_the_blocks(data, monkeypatch, l1_ratio):
    X, Y, weight = data
    options = {"l1_ratio": l1_ratio, "tol": 1e-10, "max_iter": 20000}
    whole = LogisticLearner(**options).fit(X, Y, weight)
    for size in (1, 13, 60):
        monkeypatch.setattr(memory, "rows_of_block", lambda *sizes, size=size: size)
        parts = LogisticLearner(**options).fit(X, Y, weight)
        np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-8)


def test_an_error_in_a_thread_is_raised():
    rows = as_rows(np.ones((3, 2)), n_jobs=2)

    def fail(block):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rows.sum(fail)


def test_slices_of_targets_are_those_of_the_matrix():
    Y = np.random.default_rng(0).random((9, 4)) * (np.arange(36).reshape(9, 4) % 3 == 0)
    targets = Targets.of(Y)[2:7]
    dense = np.zeros((5, 4))
    dense[targets.rows, targets.labels] = targets.values
    np.testing.assert_array_equal(dense, Y[2:7])
    np.testing.assert_allclose(targets.sums(np.ones((5, 1))), Y[2:7].sum(axis=0))
