import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from labelfield.learners import LogisticLearner, MultinomialLearner, as_design, find_spectrum
from labelfield.learners.rows import as_rows
from labelfield.learners.softmax_loss import SoftmaxLoss


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 5)) * [1.0, 2.0, 0.5, 1.0, 3.0] + [0.0, 4.0, 0.0, 0.0, 0.0]
    scores = X @ rng.normal(size=(5, 3)) + rng.gumbel(size=(90, 3))
    y = scores.argmax(axis=1)
    return X, y, np.eye(3)[y]


def objective(X, T, learner, weight=1.0):
    loss = -(weight * (T * learner.log_proba(X)).sum(axis=1)).sum()
    norms = (np.abs(learner.coef_).sum(), 0.5 * (learner.coef_**2).sum())
    return loss + learner.alpha * np.dot([learner.l1_ratio, 1 - learner.l1_ratio], norms)


def test_gradient_equals_finite_differences(data):
    X, _, T = data
    rng = np.random.default_rng(1)
    loss = SoftmaxLoss(as_rows(X, T, rng.random((90, 1))), X.mean(axis=0))
    W = rng.normal(size=(18, 1))
    value, gradient = loss.value_and_gradient(W)
    np.testing.assert_allclose(value, loss.value(W))
    for i, step in enumerate(1e-6 * np.eye(18)[:, :, None]):
        numeric = (loss.value(W + step) - loss.value(W - step)) / 2e-6
        np.testing.assert_allclose(gradient[i], numeric, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("alpha", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_scikit_learn(data, alpha, weighted):
    X, y, T = data
    weight = np.random.default_rng(2).random(90) * 3 if weighted else None
    learner = MultinomialLearner(alpha=alpha, tol=1e-9).fit(X, T, weight)
    model = LogisticRegression(C=1 / alpha, solver="newton-cholesky", tol=1e-10)
    model.fit(X, y, weight)
    np.testing.assert_allclose(learner.coef_.T, model.coef_, atol=1e-6)
    np.testing.assert_allclose(learner.log_proba(X), model.predict_log_proba(X), atol=1e-5)
    np.testing.assert_allclose(
        learner.trace_.objective[-1], objective(X, T, learner, 1.0 if weight is None else weight)
    )
    np.testing.assert_allclose(learner.intercept_.mean(), 0.0, atol=1e-12)


def test_elastic_net_equals_scikit_learn(data):
    X, y, T = data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    learner = MultinomialLearner(alpha=4.0, l1_ratio=0.7, tol=1e-7, max_iter=20000).fit(X, T)
    model = LogisticRegression(
        C=0.25, l1_ratio=0.7, solver="saga", tol=1e-7, max_iter=20000, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(learner.coef_.T, model.coef_, atol=1e-4)
    assert (learner.coef_ == 0).any()


def test_soft_targets_equal_weighted_copies_of_rows(data):
    X, _, _ = data
    T = np.random.default_rng(3).dirichlet(np.ones(3), size=90)
    soft = MultinomialLearner(tol=1e-8).fit(X, T)
    copies = MultinomialLearner(tol=1e-8)
    copies.fit(np.tile(X, (3, 1)), np.repeat(np.eye(3), 90, axis=0), T.T.ravel())
    np.testing.assert_allclose(soft.coef_, copies.coef_, atol=1e-6)
    np.testing.assert_allclose(soft.log_proba(X), copies.log_proba(X), atol=1e-5)


def test_two_classes_are_a_logistic_regression_with_half_the_weights(data):
    X, y, _ = data
    Y = (y == 0)[:, None].astype(float)
    softmax = MultinomialLearner(alpha=2.0, tol=1e-9).fit(X, np.hstack([1.0 - Y, Y]))
    logistic = LogisticLearner(alpha=1.0, tol=1e-9).fit(X, Y)
    np.testing.assert_allclose(2.0 * softmax.coef_[:, 1], logistic.coef_[:, 0], atol=1e-6)


def test_dense_equals_sparse_and_single_precision_stays(data):
    X, _, T = data
    dense, sparse = MultinomialLearner().fit(X, T), MultinomialLearner().fit(sp.csr_matrix(X), T)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-9)
    single = MultinomialLearner().fit(X.astype(np.float32), T)
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, dense.coef_, atol=1e-3)


def test_objective_never_rises_and_warm_starts_help(data):
    X, _, T = data
    cold = MultinomialLearner(alpha=0.1).fit(X, T)
    assert (np.diff(cold.trace_.objective) <= 1e-13 * cold.trace_.objective[0]).all()
    spectrum = find_spectrum(as_design(X))
    warm = MultinomialLearner(alpha=0.11)
    warm.fit(X, T, start=(cold.coef_, cold.intercept_), spectrum=spectrum)
    again = MultinomialLearner(alpha=0.11).fit(X, T)
    assert warm.n_iter_ < again.n_iter_
    np.testing.assert_allclose(warm.coef_, again.coef_, atol=5e-3)


def test_empty_class_and_one_row(data):
    X, _, T = data
    learner = MultinomialLearner().fit(X, np.hstack([T, np.zeros((90, 1))]))
    assert (learner.log_proba(X)[:, 3] < np.log(1e-3)).all()
    np.testing.assert_allclose(np.exp(learner.log_proba(X)).sum(axis=1), 1.0)
    single = MultinomialLearner().fit(X[:1], T[:1])
    assert single.log_proba(X[:1]).argmax() == T[0].argmax()
    assert np.isfinite(single.coef_).all()


def test_decision_is_the_score_before_the_softmax(data):
    X, _, T = data
    learner = MultinomialLearner().fit(X, T)
    np.testing.assert_allclose(log_softmax(learner.decision(X), axis=1), learner.log_proba(X))


def test_running_out_of_iterations_warns(data):
    X, _, T = data
    with pytest.warns(ConvergenceWarning, match="MultinomialLearner did not reach"):
        MultinomialLearner(tol=1e-12, max_iter=2).fit(X, T)
    MultinomialLearner(tol=1e-12, max_iter=2, warn=False).fit(X, T)


def test_classes_share_nothing(data):
    """Ridge leaves no weight common to all classes, from whatever start and with rare classes."""
    X, y, _ = data
    T = np.eye(4)[np.where(np.arange(90) < 2, 3, y)]
    start = (np.ones((5, 4)), np.zeros(4))
    learner = MultinomialLearner(alpha=0.01).fit(X, T, start=start)
    np.testing.assert_allclose(learner.coef_.sum(axis=1), 0.0, atol=1e-12)
