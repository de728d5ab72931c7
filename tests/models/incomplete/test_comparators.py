"""The comparators against their definitions."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import check_grad, minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from labelfield import (
    BinaryRelevance,
    FastTag,
    LabelCorrelationImputer,
    RankingGroupLasso,
    WeakLabelLogistic,
)
from labelfield.datasets import hide_labels, make_multilabel
from labelfield.metrics import roc_auc
from labelfield.models.incomplete.center import centred
from labelfield.models.incomplete.fast_tag import enrichment
from labelfield.models.incomplete.ranking_group_lasso import RankingObjective
from labelfield.models.incomplete.ridge import Ridge
from labelfield.models.incomplete.score_curve import ScoreCurve
from labelfield.models.incomplete.weak_logistic import propensities

DATA = make_multilabel(n_samples=300, n_labels=5, coupling=3.0, random_state=0)
X, Y = DATA.X, DATA.Y
MARKS = hide_labels(Y, 0.4, random_state=0)
HOLED = hide_labels(Y, 0.4, how="entries", random_state=0)


@pytest.mark.parametrize("shape", [(30, 6), (6, 30)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_ridge_equals_the_normal_equations(shape, kind):
    rng = np.random.default_rng(0)
    A, T = rng.normal(size=shape), rng.normal(size=(shape[0], 3))
    centred = A - A.mean(axis=0)
    slow = np.linalg.solve(centred.T @ centred + 0.7 * np.eye(shape[1]), centred.T @ T)
    W, constant = Ridge(kind(A), 0.7).solve(T)
    np.testing.assert_allclose(W, slow, atol=1e-9)
    np.testing.assert_allclose((T - A @ W - constant).mean(axis=0), 0.0, atol=1e-9)


def test_ridge_of_a_constant_column_needs_a_penalty():
    with pytest.raises(ValueError, match="Scale the features, drop such columns or raise alpha"):
        Ridge(np.full((6, 1), 3.0), 0.0)


@pytest.mark.parametrize(
    "model",
    [FastTag(), LabelCorrelationImputer(tol=1e-9), RankingGroupLasso(tol=1e-9, max_iter=2000)],
    ids=str,
)
def test_a_shift_of_the_features_changes_nothing(model):
    shifted = X + 1e8
    same = shifted - 1e8  # without the digits that the shift has cost
    expected = model.fit(same, MARKS).predict_proba(same)
    got = model.fit(shifted, MARKS).predict_proba(shifted)
    np.testing.assert_allclose(got, expected, atol=1e-5)


def test_a_constant_column_far_from_zero_is_no_feature():
    column = np.full((100_000, 3), 1e8 + 0.1)  # whose mean is off in the last digits
    rows, mean = centred(column)
    assert np.abs(rows).max() < 1e-12
    np.testing.assert_allclose(mean, 1e8 + 0.1)
    labels = (np.arange(100_000)[:, None] % 3 == 0).astype(int)
    expected = LabelCorrelationImputer().fit(0 * column, labels).predict_proba(0 * column[:1])
    got = LabelCorrelationImputer().fit(column, labels).predict_proba(column[:1])
    np.testing.assert_allclose(got, expected, atol=1e-6)


def test_enrichment_undoes_random_losses_best_in_expectation():
    rng = np.random.default_rng(1)
    marks = (rng.random((40, 3)) < 0.6).astype(float)
    B = enrichment(marks, marks, dropout=0.3, gamma=1.0)  # predictions that leave nothing open
    losses = np.stack(np.meshgrid(*[[0.0, 1.0]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    chance = np.where(losses == 1.0, 0.7, 0.3).prod(axis=1)

    def expected_error(flat):
        maps = flat.reshape(3, 3)
        errors = [((marks - (marks * kept) @ maps.T) ** 2).sum() for kept in losses]
        return chance @ errors

    best = minimize(expected_error, np.zeros(9), method="BFGS").x.reshape(3, 3)
    np.testing.assert_allclose(B, best, atol=1e-4)


def test_fast_tag_ends_where_neither_map_moves():
    model = FastTag().fit(X, MARKS)
    marks = MARKS.astype(float)
    W, constant = Ridge(X, 0.1 * len(X)).solve(marks @ model.enrichment_.T)
    np.testing.assert_allclose(model.coef_.T, W, atol=1e-8)
    S = marks.T @ marks
    second = np.where(np.eye(5), 0.5 * S, 0.25 * S)
    predicted = (X @ W + constant).T @ marks
    again = np.linalg.solve(second + S, (0.5 * S + predicted).T).T
    np.testing.assert_allclose(again, model.enrichment_, atol=1e-5)


def test_fast_tag_stacks_layers_of_enriched_labels():
    model = FastTag(n_layers=3).fit(X, MARKS)
    marks, product = MARKS.astype(float), np.eye(5)
    for _ in range(3):
        W, constant = Ridge(X, 0.1 * len(X)).solve(marks)
        B = enrichment(marks, X @ W + constant, 0.5, 1.0)
        marks, product = marks @ B.T, B @ product
    W, _ = Ridge(X, 0.1 * len(X)).solve(marks)
    np.testing.assert_allclose(model.enrichment_, product, atol=1e-8)
    np.testing.assert_allclose(model.coef_.T, W, atol=1e-8)


def test_curve_is_logistic_regression_on_the_score():
    rng = np.random.default_rng(2)
    scores = 3.0 + 5.0 * rng.normal(size=(400, 5))
    labels = rng.random((400, 5)) < expit(0.4 * scores - 1.0)
    curve = ScoreCurve(scores, labels)
    twin = LogisticRegression(C=1e6).fit(scores.reshape(-1, 1), labels.ravel())
    np.testing.assert_allclose(curve.slope, twin.coef_[0, 0], rtol=1e-2)
    np.testing.assert_allclose(curve.offset, twin.intercept_[0], rtol=1e-2)


def test_ranking_objective_and_its_gradient():
    objective = RankingObjective(X[:20], MARKS[:20] == 1, alpha=0.5)
    at = np.random.default_rng(0).normal(size=55)
    error = check_grad(lambda t: objective(t)[0], lambda t: objective(t)[1], at)
    assert error < 1e-3
    sparse = RankingObjective(sp.csr_matrix(X[:20]), MARKS[:20] == 1, alpha=0.5)
    np.testing.assert_allclose(sparse(at)[1], objective(at)[1])


def test_ranking_says_when_it_is_not_done():
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        RankingGroupLasso(max_iter=2).fit(X, MARKS)
    trace = RankingGroupLasso().fit(X, MARKS).trace_
    assert (np.diff(trace.objective) <= 1e-9).all()


@pytest.mark.parametrize(
    "model",
    [
        FastTag(),
        LabelCorrelationImputer(missing_rate=0.4),
        RankingGroupLasso(),
        *(WeakLabelLogistic(strategy=s) for s in ("unlabelled", "propensity")),
        *(WeakLabelLogistic(strategy=s) for s in ("smoothing", "rejection")),
    ],
    ids=str,
)
def test_hidden_marks_outrank_absent_ones(model):
    P = model.fit(X, MARKS).predict_proba(X)
    assert roc_auc(np.where(MARKS == 1, np.nan, Y), P, average="micro") > 0.75


def test_unlabelled_marks_have_the_likelihood_of_lost_ones():
    model = WeakLabelLogistic(
        missing_rate=0.4, max_iter=300, alpha=2.0, tol=1e-8, skip_unmarked=False
    ).fit(X, MARKS)

    def objective(theta):
        p = 0.6 * expit(X @ theta[:-1] + theta[-1])
        loss = -np.where(MARKS[:, 1] == 1, np.log(p), np.log(1.0 - p)).sum()
        return loss + theta[:-1] @ theta[:-1]

    found = np.append(model.coef_[1], model.intercept_[1])
    best = minimize(objective, found, options={"gtol": 1e-8})
    np.testing.assert_allclose(found, best.x, atol=2e-2)


def test_rejection_leaves_out_the_largest_losses():
    options = {"strategy": "rejection", "missing_rate": 0.3, "skip_unmarked": False}
    model = WeakLabelLogistic(alpha=1.0, max_iter=2, tol=1e-8, **options).fit(X, MARKS)
    first = BinaryRelevance(alpha=1.0, tol=1e-8).fit(X, MARKS)
    log_odds = np.where(MARKS == 0, X @ first.coef_.T + first.intercept_, -np.inf)
    n_left_out = int(0.3 / 0.7 * MARKS.sum())
    bar = np.sort(log_odds, axis=None)[-n_left_out]
    holed = np.where(log_odds >= bar, np.nan, MARKS)
    twin = BinaryRelevance(alpha=1.0, tol=1e-8).fit(X, holed)
    np.testing.assert_allclose(model.coef_, twin.coef_, atol=1e-4)


def test_propensities_weigh_marks():
    options = {"strategy": "propensity", "skip_unmarked": False}
    model = WeakLabelLogistic(alpha=1.0, tol=1e-8, **options).fit(X, MARKS)
    p = propensities(MARKS, np.ones(len(MARKS)))
    assert ((p > 0) & (p < 1)).all()
    assert np.argmax(p) == np.argmax(MARKS.sum(axis=0))
    weight = np.where(MARKS[:, 2] == 1, 1.0 / p[2], 1.0)
    twin = LogisticRegression(tol=1e-8, max_iter=1000).fit(X, MARKS[:, 2], weight)
    np.testing.assert_allclose(model.coef_[2], twin.coef_[0], atol=1e-4)


def test_smoothing_moves_the_targets_of_unmarked_labels():
    model = WeakLabelLogistic(
        strategy="smoothing", smoothing=0.2, alpha=1e-6, tol=1e-8, skip_unmarked=False
    ).fit(np.zeros((len(X), 1)), MARKS)
    share = np.where(MARKS == 1, 1.0, 0.2).mean(axis=0)
    np.testing.assert_allclose(expit(model.intercept_), share, atol=1e-6)


def test_unmarked_rows_are_left_out_unless_told():
    marked = MARKS.any(axis=1)
    assert not marked.all()
    skipping = WeakLabelLogistic(strategy="smoothing").fit(X, MARKS)
    twin = WeakLabelLogistic(strategy="smoothing", skip_unmarked=False).fit(
        X[marked], MARKS[marked]
    )
    np.testing.assert_allclose(skipping.coef_, twin.coef_)


def slow_posterior(model, prior, marks):
    """Return the most probable log-odds of one row under prior and marks, by a general solver."""
    known = ~np.isnan(marks)
    precision = np.linalg.inv(model.correlation_)

    def objective(f):
        loss = np.logaddexp(0.0, f) - np.where(marks == 1, f, 0.0)
        return 0.5 * (f - prior) @ precision @ (f - prior) + loss[known].sum()

    return minimize(objective, prior, options={"gtol": 1e-9}).x


def test_posterior_given_marks_is_the_most_probable_point():
    model = LabelCorrelationImputer().fit(X, HOLED)
    prior = model._prior(X[:5])
    mean = prior
    for _ in range(200):
        mean = model._posterior(HOLED[:5], prior, mean)
    for row in range(5):
        np.testing.assert_allclose(
            mean[row], slow_posterior(model, prior[row], HOLED[row]), atol=1e-5
        )


def test_marks_of_other_labels_help_to_find_hidden_ones():
    model = LabelCorrelationImputer().fit(X, HOLED)
    hidden = np.where(np.isnan(HOLED), Y, np.nan)
    alone, given = model.predict_proba(X), model.predict_given(X, HOLED)
    assert roc_auc(hidden, given, average="micro") > roc_auc(hidden, alone, average="micro")


def test_a_labels_own_mark_does_not_enter_its_answer():
    model = LabelCorrelationImputer().fit(X, Y)
    flipped = Y.astype(float)
    flipped[:, 2] = 1 - flipped[:, 2]
    before, after = model.predict_given(X, Y), model.predict_given(X, flipped)
    moved = np.abs(before - after).mean(axis=0)
    assert moved[2] < 0.35 * np.abs(expit(0) - before[:, 2]).mean()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (FastTag(alpha=0.0), "'alpha' parameter"),
        (FastTag(gamma=-1.0), "'gamma' parameter"),
        (FastTag(dropout=1.0), "'dropout' parameter"),
        (FastTag(n_layers=0), "'n_layers' parameter"),
        (RankingGroupLasso(alpha=0.0), "'alpha' parameter"),
        (WeakLabelLogistic(strategy="hope"), "'strategy' parameter"),
        (WeakLabelLogistic(missing_rate=1.0), "'missing_rate' parameter"),
        (WeakLabelLogistic(smoothing=0.5), "'smoothing' parameter"),
        (WeakLabelLogistic(max_iter=0), "max_iter"),
        (LabelCorrelationImputer(alpha=0.0), "'alpha' parameter"),
        (LabelCorrelationImputer(missing_rate=1.0), "'missing_rate' parameter"),
        (LabelCorrelationImputer(shrinkage=2.0), "'shrinkage' parameter"),
        (LabelCorrelationImputer(max_iter=0), "max_iter"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, MARKS)


def test_labels_never_marked():
    marks = MARKS.copy()
    marks[:, 3] = 0
    for model in (FastTag(), RankingGroupLasso(), WeakLabelLogistic(), LabelCorrelationImputer()):
        P = model.fit(X, marks).predict_proba(X)
        assert np.isfinite(P).all()
        assert P[:, 3].mean() < P[:, [0, 1, 2, 4]].mean(axis=0).min()
