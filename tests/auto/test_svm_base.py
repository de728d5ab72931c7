"""Linear machines on wide sparse features: what LabelSetClassifier takes for many words."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from labelfield import LabelSetClassifier, load
from labelfield.auto import plan
from labelfield.auto.bases import SvmBase, Training
from labelfield.auto.bases.svm import COSTS, LEAST_GAIN, LOG_ODDS, TOLERANCE
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
    slope, shift = base.calibration.slope_[:, 0], base.calibration.shift_
    expected = LOG_ODDS * margins * slope + shift
    assert np.abs(held_out - expected).mean() < 0.02 * np.abs(expected).mean()
    assert mean_likelihood(held_out, Y) > mean_likelihood(LOG_ODDS * margins, Y)


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

    chosen, here = COSTS.index(base.cost), likelihood(base.cost)
    assert chosen == 0 or likelihood(COSTS[chosen - 1]) <= here
    assert chosen == len(COSTS) - 1 or likelihood(COSTS[chosen + 1]) <= (1 - LEAST_GAIN) * here
