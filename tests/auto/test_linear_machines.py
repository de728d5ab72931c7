"""Linear machines on sparse features: what LabelSetClassifier takes for words."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from labelfield import LabelSetClassifier, load
from labelfield.auto import plan
from labelfield.auto.bases import LassoBase, SvmBase, Training, lasso
from labelfield.auto.bases.svm import COSTS, LOG_ODDS, TOLERANCE
from labelfield.auto.evidence import ListedSets
from labelfield.auto.features import FeatureViews
from labelfield.learners import LogOddsStack, fit_machines
from labelfield.model_selection import held_out_folds


def words(n=200, d=300, seed=0):
    """Rows of a few words of which six speak for one of three labels."""
    rng = np.random.default_rng(seed)
    X = sp.random(n, d, 0.03, format="csr", random_state=rng)
    Y = np.stack([np.asarray(X[:, [k, k + 3]].sum(axis=1)).ravel() > 0 for k in range(3)], axis=1)
    return X, Y ^ (rng.random(Y.shape) < 0.02)


def training(X, Y, weight=None):
    Y = np.asarray(Y, dtype=float)
    return Training(
        features=FeatureViews().fit_transform(X),
        Y=Y,
        filled=np.nan_to_num(Y),
        listed=ListedSets.of(np.nan_to_num(Y).astype(np.uint8)),
        folds=held_out_folds(Y, 3, 0),
        sample_weight=weight,
        n_jobs=None,
        seed=0,
    )


def mean_likelihood(log_odds, Y):
    return -np.logaddexp(0.0, np.where(Y, -1.0, 1.0) * log_odds).mean()


def test_margins_are_those_of_one_machine_per_label_and_calibrated():
    X, Y = words()
    data = training(X, Y)
    base = SvmBase("linear")
    held_out = base.hold_out(data).log_odds
    margins = np.empty(Y.shape)
    for train, test in data.folds:
        for j in range(3):
            twin = LinearSVC(C=base.cost, tol=1e-6, max_iter=100_000, random_state=0)
            margins[test, j] = twin.fit(X[train], Y[train, j]).decision_function(X[test])
    margins *= LOG_ODDS
    for train, test in data.folds:  # no row helps to calibrate its own margins
        calibration = LogOddsStack().fit([margins[train]], Y[train])
        expected = calibration.transform([margins[test]])
        assert np.abs(held_out[test] - expected).mean() < 0.02 * np.abs(expected).mean()
    assert mean_likelihood(held_out, Y) > mean_likelihood(margins, Y)


def test_new_rows_get_the_calibration_of_held_out_ones():
    X, Y = words()
    data = training(X, Y)
    base = SvmBase("linear")
    base.hold_out(data)
    base.fit(data)
    answer = base.scores(FeatureViews().fit_transform(X[:5])).log_odds
    machines = fit_machines(X, Y.astype(float), base.cost, tol=TOLERANCE)
    slope, shift = base.calibration.slope_[1, 0], base.calibration.shift_[1]
    wanted = LOG_ODDS * slope * machines.decision(X[:5])[:, 1] + shift
    np.testing.assert_allclose(answer[:, 1], wanted, rtol=1e-3, atol=1e-3)


def test_unknown_labels_rows_without_weight_and_constant_labels():
    X, Y = words()
    known = Y.astype(float)
    known[::7, 0] = np.nan
    known[:, 2] = 0.0
    weight = np.where(np.arange(200) < 190, 1.0, 0.0)
    other = known.copy()
    other[190:, 1] = 1.0 - other[190:, 1]
    answers = []
    for target in (known, other):
        data = training(X, target, weight)
        data.folds[:] = held_out_folds(known, 3, 0)
        base = SvmBase("linear")
        base.hold_out(data)
        base.fit(data)
        answers.append(base.scores(data.features).log_odds)
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-6)
    assert (answers[0][:, 2] < -2.0).all()


def test_wide_sparse_features_get_machines(monkeypatch, tmp_path):
    X, Y = words()
    monkeypatch.setattr(plan, "WIDE", 200)
    model = LabelSetClassifier(budget="quick").fit(X[:150], Y[:150].astype(int))
    assert isinstance(model._bases["linear"], SvmBase)
    assert (model.predict(X[150:]) == Y[150:]).all(axis=1).mean() > 0.7
    model.save(tmp_path / "m.lf")
    again = load(tmp_path / "m.lf")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    weights, _, _ = model.linear_part(X)
    for k in range(3):
        assert weights[k, [k, k + 3]].mean() > 4.0 * np.abs(weights[k]).mean()
    dense = LabelSetClassifier(budget="quick").fit(X[:150].toarray(), Y[:150].astype(int))
    assert not isinstance(dense._bases["linear"], SvmBase)


@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_no_smaller_cost_is_better_and_no_larger_one_clearly_better(noise):
    X, Y = words()
    Y = Y ^ (np.random.default_rng(1).random(Y.shape) < noise)
    data = training(X, Y)
    base = SvmBase("linear")
    base.hold_out(data)
    train, test = data.folds[0]

    def likelihood(cost):
        machines = fit_machines(X[train], Y[train].astype(float), cost, tol=TOLERANCE)
        margins = LOG_ODDS * machines.decision(X[test])
        return mean_likelihood(LogOddsStack().fit([margins], Y[test]).transform([margins]), Y[test])

    chosen = COSTS.index(base.cost)
    neighbours = COSTS[max(0, chosen - 1) : chosen + 2]
    assert likelihood(base.cost) == max(map(likelihood, neighbours))


def regression(cost):
    return LogisticRegression(
        C=cost, l1_ratio=1.0, solver="liblinear", tol=lasso.TOLERANCE, random_state=0
    )


def test_log_odds_are_those_of_one_sparse_regression_per_label():
    X, Y = words()
    data = training(X, Y)
    base = LassoBase("lasso")
    held_out = base.hold_out(data).log_odds
    for train, test in data.folds:
        for j in range(3):
            twin = regression(base.cost).fit(X[train], Y[train, j])
            np.testing.assert_allclose(held_out[test, j], twin.decision_function(X[test]))
    fresh = words(seed=1)[0]
    answer = base.fit(data).scores(FeatureViews().fit_transform(fresh)).log_odds
    twin = regression(base.cost).fit(X, Y[:, 1])
    np.testing.assert_allclose(answer[:, 1], twin.decision_function(fresh))
    assert (base.model.coef_ == 0.0).mean() > 0.5
    assert base.estimated_seconds(data) > 0.0


def test_the_cost_of_sparse_regressions_is_better_than_its_neighbours():
    X, Y = words()
    data = training(X, Y)
    base = LassoBase("lasso")
    base.hold_out(data)

    def likelihood(cost):
        parts = [
            mean_likelihood(regression(cost).fit(X[a], Y[a, j]).decision_function(X[b]), Y[b, j])
            * len(b)
            for a, b in data.folds[:2]
            for j in range(3)
        ]
        return sum(parts)

    chosen = lasso.COSTS.index(base.cost)
    neighbours = lasso.COSTS[max(0, chosen - 1) : chosen + 2]
    assert likelihood(base.cost) == max(map(likelihood, neighbours))


def test_sparse_regressions_learn_from_known_labels_only():
    X, Y = words()
    known = Y.astype(float)
    known[::7, 0] = np.nan
    known[:, 2] = 0.0
    data = training(X, known)
    base = LassoBase("lasso")
    base.hold_out(data)
    answer = base.fit(data).scores(data.features).log_odds
    rows = np.flatnonzero(~np.isnan(known[:, 0]))
    twin = regression(base.cost).fit(X[rows], Y[rows, 0])
    np.testing.assert_allclose(answer[:, 0], twin.decision_function(X))
    np.testing.assert_allclose(answer[:, 2], -np.log(401.0))


def test_sparse_features_get_sparse_regressions():
    X, Y = words()
    model = LabelSetClassifier().fit(X[:150], Y[:150].astype(int))
    assert "lasso" in model._bases
    dense = plan.plan_bases(FeatureViews().fit_transform(X.toarray()), 3, "balanced")
    assert "lasso" not in [base.name for base in dense]
