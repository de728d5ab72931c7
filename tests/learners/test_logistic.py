import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
)

from labelfield.learners import LogisticLearner, as_design, find_spectrum
from labelfield.learners.logistic_loss import LogisticLoss
from labelfield.learners.rows import as_rows
from labelfield.learners.spectrum import SpectralMetric


def objective(X, Y, coef, intercept, *, alpha, l1_ratio=0.0, weight=1.0):
    Z = X @ coef + intercept
    loss = (np.broadcast_to(weight, Z.T.shape).T * (np.logaddexp(0.0, Z) - Y * Z)).sum(axis=0)
    return loss + alpha * (
        l1_ratio * np.abs(coef).sum(axis=0) + (1 - l1_ratio) / 2 * (coef**2).sum(axis=0)
    )


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6)) * [1.0, 2.0, 0.5, 1.0, 1.0, 3.0] + [0.0, 5.0, 0.0, 1.0, 0.0, 0.0]
    logits = (X - X.mean(axis=0)) @ rng.normal(size=(6, 4)) + [0.0, -3.0, 1.0, 2.0]
    return X, (rng.random((80, 4)) < expit(logits)).astype(np.uint8)


@pytest.fixture
def sparse_data():
    """More than 512 features, most entries zero: the approximate spectrum."""
    rng = np.random.default_rng(1)
    X = sp.random_array((120, 600), density=0.05, format="csr", rng=rng)
    Y = (X @ rng.normal(size=(600, 3)) > 0.3).astype(np.uint8)
    return X, Y


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("own_weights", [False, True])
def test_gradient_equals_finite_differences(data, centred, own_weights):
    X, Y = data
    rng = np.random.default_rng(2)
    weight = rng.random((80, 4 if own_weights else 1))
    mask = rng.random((6, 4)) < 0.7
    W = rng.normal(size=(7, 4)) * np.append(mask, np.ones((1, 4)), axis=0)
    center = X.mean(axis=0) if centred else None
    loss = LogisticLoss(as_rows(X, 0.1 + 0.8 * Y, weight), center, mask)
    value, gradient = loss.value_and_gradient(W)
    np.testing.assert_allclose(value, loss.value(W), rtol=1e-14)
    for i in range(7):
        step = np.zeros_like(W)
        step[i] = 1e-6
        numeric = (loss.value(W + step) - loss.value(W - step)) / 2e-6
        free = mask[i] if i < 6 else np.ones(4, dtype=bool)
        np.testing.assert_allclose(gradient[i][free], numeric[free], rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(gradient[i][~free], 0.0)


@pytest.mark.parametrize("alpha", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_equals_scikit_learn(data, alpha, weighted):
    X, Y = data
    weight = np.random.default_rng(3).random(80) * 3 if weighted else None
    learner = LogisticLearner(alpha=alpha, tol=1e-9).fit(X, Y, weight)
    for j in range(4):
        model = LogisticRegression(C=1 / alpha, solver="newton-cholesky", tol=1e-10)
        model.fit(X, Y[:, j], weight)
        np.testing.assert_allclose(learner.coef_[:, j], model.coef_[0], atol=1e-6)
        np.testing.assert_allclose(learner.intercept_[j], model.intercept_[0], atol=1e-6)


def test_default_objective_beats_the_default_of_scikit_learn(data, sparse_data):
    for X, Y in (data, sparse_data):
        learner = LogisticLearner().fit(X, Y)
        ours = objective(X, Y, learner.coef_, learner.intercept_, alpha=1.0)
        np.testing.assert_allclose(learner.trace_.objective[-1], ours.sum(), rtol=1e-10)
        for j, own in enumerate(ours):
            model = LogisticRegression().fit(X, Y[:, j])
            theirs = objective(X, Y[:, [j]], model.coef_.T, model.intercept_, alpha=1.0)
            assert own <= theirs[0] * (1.0 + 1e-6)


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize("alpha", [0.3, 5.0])
def test_elastic_net_fulfils_the_optimality_conditions(data, alpha, l1_ratio):
    X, Y = data
    learner = LogisticLearner(alpha=alpha, l1_ratio=l1_ratio, tol=1e-8, max_iter=20000).fit(X, Y)
    residual = expit(learner.decision(X)) - Y
    np.testing.assert_allclose(residual.sum(axis=0), 0.0, atol=1e-4)
    slope = X.T @ residual + alpha * (1 - l1_ratio) * learner.coef_
    used = learner.coef_ != 0
    expected = -alpha * l1_ratio * np.sign(learner.coef_)
    np.testing.assert_allclose(slope[used], expected[used], atol=1e-3 * alpha)
    assert (np.abs(slope[~used]) <= alpha * l1_ratio * 1.001).all()
    if alpha == 5.0:
        assert not used.all()


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_elastic_net_equals_scikit_learn(data, l1_ratio):
    X, Y = data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    learner = LogisticLearner(alpha=2.0, l1_ratio=l1_ratio, tol=1e-8, max_iter=20000).fit(X, Y)
    for j in range(4):
        model = LogisticRegression(
            C=0.5, l1_ratio=l1_ratio, solver="saga", tol=1e-7, max_iter=20000, random_state=0
        ).fit(X, Y[:, j])
        np.testing.assert_allclose(learner.coef_[:, j], model.coef_[0], atol=1e-4)
        np.testing.assert_allclose(learner.intercept_[j], model.intercept_[0], atol=1e-4)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_soft_targets_equal_duplicated_rows(data, l1_ratio):
    X, _ = data
    soft = np.random.default_rng(4).random((80, 4))
    options = {"l1_ratio": l1_ratio, "tol": 1e-7, "max_iter": 20000}
    learner = LogisticLearner(**options).fit(X, soft)
    hard = np.repeat([[1], [0]], 80, axis=0) * np.ones((1, 4))
    twice = LogisticLearner(**options)
    twice.fit(np.concatenate([X, X]), hard, np.concatenate([soft, 1.0 - soft]))
    np.testing.assert_allclose(learner.coef_, twice.coef_, atol=1e-5)
    np.testing.assert_allclose(learner.intercept_, twice.intercept_, atol=1e-5)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_weights_per_label_equal_separate_fits(data, l1_ratio):
    X, Y = data
    weight = np.random.default_rng(5).random((80, 4)) * 2
    options = {"l1_ratio": l1_ratio, "tol": 1e-8, "max_iter": 20000}
    together = LogisticLearner(**options).fit(X, Y, weight)
    for j in range(4):
        alone = LogisticLearner(**options).fit(X, Y[:, [j]], weight[:, j])
        np.testing.assert_allclose(together.coef_[:, [j]], alone.coef_, atol=1e-5)


class OneVersusRest(ClassifierMixin, BaseEstimator):
    """The least that scikit-learn's check of weights asks for."""

    def __init__(self, l1_ratio=0.0):
        self.l1_ratio = l1_ratio

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        Y = (np.asarray(y)[:, None] == self.classes_).astype(np.uint8)
        self.learner_ = LogisticLearner(l1_ratio=self.l1_ratio).fit(X, Y, sample_weight)
        return self

    def decision_function(self, X):
        return self.learner_.decision(X)

    def predict(self, X):
        return self.classes_[self.decision_function(X).argmax(axis=1)]


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_weights_mean_repeated_and_removed_rows(l1_ratio):
    check_sample_weight_equivalence_on_dense_data("ours", OneVersusRest(l1_ratio))
    check_sample_weight_equivalence_on_sparse_data("ours", OneVersusRest(l1_ratio))


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dense_equals_sparse(data, sparse_data, l1_ratio, dtype):
    for X, Y in (data, sparse_data):
        X = (X.toarray() if sp.issparse(X) else X).astype(dtype)
        dense = LogisticLearner(l1_ratio=l1_ratio).fit(X, Y)
        sparse = LogisticLearner(l1_ratio=l1_ratio).fit(sp.csr_matrix(X), Y)
        assert dense.coef_.dtype == sparse.coef_.dtype == dense.intercept_.dtype == dtype
        assert dense.decision(X).dtype == sparse.decision(sp.csr_matrix(X)).dtype == dtype
        atol = 1e-8 if dtype == np.float64 else 1e-2
        np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=atol)


@pytest.mark.parametrize("tol", [1e-4, 1e-9])
def test_single_precision_ends_near_double_precision(data, tol):
    X, Y = data
    single = LogisticLearner(tol=tol).fit(X.astype(np.float32), Y)
    assert single.trace_.reason == "converged"
    double = LogisticLearner(tol=1e-9).fit(X, Y)
    scale = np.abs(double.coef_).max()
    np.testing.assert_allclose(single.coef_, double.coef_, atol=scale * max(10 * tol, 1e-4))


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_constant_labels_get_smoothed_log_odds(data, l1_ratio):
    X, Y = data
    weight = np.ones((80, 7))
    Y = np.column_stack([Y, np.zeros(80), np.ones(80), Y[:, 0]]).astype(np.uint8)
    weight[:, 6] = Y[:, 0]  # only the positives count
    options = {"l1_ratio": l1_ratio, "tol": 1e-8, "max_iter": 20000}
    learner = LogisticLearner(**options).fit(X, Y, weight)
    np.testing.assert_array_equal(learner.coef_[:, 4:], 0.0)
    odds = [0.5 / 80.5, 80.5 / 0.5, (Y[:, 0].sum() + 0.5) / 0.5]
    np.testing.assert_allclose(learner.intercept_[4:], np.log(odds))
    others = LogisticLearner(**options).fit(X, Y[:, :4], weight[:, :4])
    np.testing.assert_allclose(learner.coef_[:, :4], others.coef_, atol=1e-4)


def test_constant_soft_targets_need_no_features(data):
    X, _ = data
    learner = LogisticLearner().fit(X, np.full((80, 2), 0.3))
    np.testing.assert_allclose(learner.coef_, 0.0, atol=1e-8)
    np.testing.assert_allclose(learner.intercept_, np.log(0.3 / 0.7), atol=1e-8)


def test_no_weight_at_all_means_even_odds(data):
    X, Y = data
    learner = LogisticLearner().fit(X, Y, np.zeros(80))
    np.testing.assert_array_equal(learner.decision(X), 0.0)
    assert learner.trace_.reason == "converged"


def test_one_row(data):
    X, Y = data
    learner = LogisticLearner().fit(X[:1], Y[:1])
    np.testing.assert_allclose(learner.decision(X[:1]), np.log([[3.0, 1 / 3]])[:, 1 - Y[0]])


def test_separable_data_with_a_tiny_penalty_ends():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    Y = np.array([[0, 1], [0, 1], [1, 0], [1, 0]])
    learner = LogisticLearner(alpha=1e-8, tol=1e-6).fit(X, Y)
    assert learner.trace_.reason == "converged"
    np.testing.assert_array_equal(learner.decision(X) > 0, Y)
    assert np.isfinite(learner.coef_).all()


def test_no_penalty_equals_scikit_learn(data):
    X, Y = data
    Y = Y[:, [0]].copy()
    Y[:12] = 1 - Y[:12]
    learner = LogisticLearner(alpha=0.0, tol=1e-9).fit(X, Y)
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10).fit(X, Y[:, 0])
    np.testing.assert_allclose(learner.coef_[:, 0], model.coef_[0], atol=1e-6)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_objective_never_rises(data, sparse_data, l1_ratio):
    for X, Y in (data, sparse_data):
        trace = LogisticLearner(alpha=0.1, l1_ratio=l1_ratio).fit(X, Y).trace_
        assert trace.n_iter > 3
        assert (np.diff(trace.objective) <= 1e-13 * trace.objective[0]).all()


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_warm_start_saves_iterations(data, l1_ratio):
    X, Y = data
    cold = LogisticLearner(l1_ratio=l1_ratio).fit(X, Y)
    warm = LogisticLearner(l1_ratio=l1_ratio, alpha=1.05)
    warm.fit(X, Y, start=(cold.coef_, cold.intercept_))
    again = LogisticLearner(l1_ratio=l1_ratio, alpha=1.05).fit(X, Y)
    assert warm.n_iter_ < again.n_iter_
    np.testing.assert_allclose(warm.coef_, again.coef_, atol=2e-3)
    done = LogisticLearner(l1_ratio=l1_ratio, tol=1.01e-4)
    assert done.fit(X, Y, start=(cold.coef_, cold.intercept_)).trace_.n_iter <= 1


def test_few_updates_from_a_warm_start_go_downhill_quietly(data):
    """What an EM algorithm does: new weights each round, a handful of updates, no warning."""
    X, Y = data
    design = as_design(X)
    spectrum, start = find_spectrum(design), None
    rng = np.random.default_rng(6)
    for _ in range(3):
        weight = rng.random(80)
        learner = LogisticLearner(tol=1e-12, max_iter=2, warn=False)
        learner.fit(design, Y, weight, start, spectrum=spectrum)
        assert learner.trace_.reason == "max_iter"
        if start is not None:
            before = objective(X, Y, *start, alpha=1.0, weight=weight).sum()
            assert learner.trace_.objective[0] == pytest.approx(before)
        start = (learner.coef_, learner.intercept_)
        after = objective(X, Y, *start, alpha=1.0, weight=weight).sum()
        assert learner.trace_.objective[-1] == pytest.approx(after)
        assert learner.trace_.objective[-1] < learner.trace_.objective[0]


def test_running_out_of_iterations_warns(data):
    X, Y = data
    with pytest.warns(ConvergenceWarning, match="LogisticLearner did not reach tol=1e-12 within"):
        LogisticLearner(tol=1e-12, max_iter=2).fit(X, Y)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_mask_equals_fits_without_the_masked_features(data, l1_ratio):
    X, Y = data
    mask = np.random.default_rng(7).random((6, 4)) < 0.6
    options = {"l1_ratio": l1_ratio, "tol": 1e-8, "max_iter": 20000}
    learner = LogisticLearner(**options).fit(X, Y, mask=mask)
    np.testing.assert_array_equal(learner.coef_[~mask], 0.0)
    for j in range(4):
        alone = LogisticLearner(**options).fit(X[:, mask[:, j]], Y[:, [j]])
        np.testing.assert_allclose(learner.coef_[mask[:, j], j], alone.coef_[:, 0], atol=1e-5)
        np.testing.assert_allclose(learner.intercept_[j], alone.intercept_[0], atol=1e-5)


def test_blocks_of_labels_change_nothing(data, monkeypatch):
    X, Y = data
    whole = LogisticLearner(tol=1e-8).fit(X, Y)
    monkeypatch.setattr("labelfield.learners.rows.memory.HISTORY_BYTES", 1)
    parts = LogisticLearner(tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-6)
    np.testing.assert_allclose(parts.trace_.objective[-1], whole.trace_.objective[-1])
    assert parts.n_iter_ == whole.n_iter_


def test_labels_in_another_order_give_the_same_weights(data):
    X, Y = data
    order = [2, 0, 3, 1]
    straight, mixed = LogisticLearner().fit(X, Y), LogisticLearner().fit(X, Y[:, order])
    np.testing.assert_allclose(mixed.coef_, straight.coef_[:, order], atol=1e-9)


@pytest.mark.parametrize("exact", [True, False])
def test_metric_solves_and_measures_alike(sparse_data, exact):
    X, _ = sparse_data
    X = X[:, :50] if exact else X
    d = X.shape[1]
    spectrum = find_spectrum(as_design(X))
    assert spectrum.complete == exact
    metric = SpectralMetric(spectrum, ridge=0.7)
    rows, curvature = np.random.default_rng(8).normal(size=(3, d + 1)), np.array([1.0, 5.0, 20.0])
    solved = metric.solve(rows, curvature)
    np.testing.assert_allclose(metric.norms(rows, curvature), (rows * solved).sum(axis=1))
    if exact:  # the Hessian of equal curvature everywhere
        centred = X.toarray() - X.toarray().mean(axis=0)
        for row, c, got in zip(rows, curvature, solved):
            hessian = c / 120 * centred.T @ centred + 0.7 * np.eye(d)
            np.testing.assert_allclose(got[:-1], np.linalg.solve(hessian, row[:-1]), rtol=1e-6)
            np.testing.assert_allclose(got[-1], row[-1] / c)


def test_the_pass_that_finds_the_scale_is_also_that_of_the_start(data, monkeypatch):
    X, Y = data
    loss = LogisticLoss(as_rows(X, Y))
    W = np.zeros((X.shape[1] + 1, Y.shape[1]))
    W[-1] = loss.constants()[0]
    fresh, elsewhere = loss.terms(W), loss.terms(W + 0.1)
    loss.scale()
    np.testing.assert_array_equal(loss.terms(W + 0.1).gradient, elsewhere.gradient)
    loss.scale()
    monkeypatch.setattr(loss, "rows", None)  # nothing is left to sum over
    again = loss.terms(W)
    for part, expected in zip(again, fresh):
        np.testing.assert_array_equal(part, expected)
