"""Wrappers around odd answers of calibrators, odd sets and labels known in part."""

import numpy as np
import pytest
from sklearn.base import clone

from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    IndependentJoint,
    LabelThresholdDecoder,
    PrecomputedProbabilities,
    SetReranker,
)
from labelfield.calibrate.calibrators.base import SetCalibrator
from labelfield.datasets import make_multilabel
from labelfield.model_selection import MultilabelStratifiedKFold


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(n_samples=600, n_labels=4, coupling=3.0, random_state=0)
    return made.X[:400], made.Y[:400], made.X[400:], made.Y[400:]


@pytest.mark.parametrize("hit", [0.0, 1.0])
def test_no_set_is_certain_or_excluded(data, hit):
    class Certain(SetCalibrator):
        def _fit(self, U, targets, weights, groups):
            pass

        def _predict(self, U):
            return np.full(len(U), hit)

    X, Y, X_new, Y_new = data
    model = SetReranker(BinaryRelevance(), n_candidates=3, calibrator=Certain(), cv=2).fit(X, Y)
    log_prob = model.predict_joint(X_new).log_prob(Y_new)
    assert np.isfinite(log_prob).all()
    assert log_prob.min() < -5.0


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        (np.full((200, 4), 2), "sets holds 2; entries must be 0, 1"),
        (np.full((200, 4), 0.9), "sets holds 0.9"),
        (np.full((200, 4), np.nan), "sets holds NaN"),
        (np.zeros((200, 3)), r"sets must have shape \(200, 4\); got \(200, 3\)"),
        (np.zeros((200, 4)).astype(str), "sets holds text"),
    ],
)
def test_confidence_of_what_is_no_set_is_refused(data, sets, words):
    X, Y, X_new, _ = data
    model = CalibratedSetClassifier(BinaryRelevance(), calibrator="identity", cv=2).fit(X, Y)
    with pytest.raises(ValueError, match=words):
        model.confidence_of(X_new, sets)


def test_one_dimensional_sets_are_classes(data):
    X, Y, X_new, Y_new = data
    y, y_new = (np.where(part[:, 0] == 1, "yes", "no") for part in (Y, Y_new))
    model = CalibratedSetClassifier(BinaryRelevance(), calibrator="identity", cv=2).fit(X, y)
    np.testing.assert_allclose(
        model.confidence_of(X_new, np.full(200, "yes")), model.predict_proba(X_new)[:, 1]
    )
    assert model.automation_curve(X_new, y_new)[0][-1] == 1.0
    with pytest.raises(ValueError, match=r"sets holds .*'perhaps'.*classes are \['no', 'yes'\]"):
        model.confidence_of(X_new, np.full(200, "perhaps"))


def test_rows_with_unknown_labels_are_left_out_of_the_curve(data):
    X, Y, X_new, Y_new = data
    model = CalibratedSetClassifier(BinaryRelevance(), calibrator="identity", cv=2).fit(X, Y)
    holed = Y_new.astype(float)
    holed[::2, 0] = np.nan
    expected = model.automation_curve(X_new[1::2], Y_new[1::2])
    np.testing.assert_allclose(model.automation_curve(X_new, holed), expected)


def test_learning_decoders_take_unknown_labels(data):
    X, Y, X_new, _ = data
    holed = np.where(np.arange(400)[:, None] % 5 == 0, np.nan, Y)
    model = CalibratedSetClassifier(BinaryRelevance(), decoder="threshold_f1_macro", cv=2).fit(
        X, holed
    )
    assert set(np.unique(model.predict(X_new))) <= {0, 1}


def test_thresholds_are_calibrated_on_rows_they_were_not_learned_from():
    rng = np.random.default_rng(0)
    P, Y = rng.random((80, 2)), rng.integers(0, 2, (80, 2))  # all that is learned is chance
    model = CalibratedSetClassifier(
        PrecomputedProbabilities(),
        decoder="threshold_f1_macro",
        calibrator="identity",
        label_calibration=None,
        cv=4,
    ).fit(P, Y)
    right = np.empty(80)
    folds = MultilabelStratifiedKFold(4, shuffle=True, random_state=0)
    for train, test in folds.split(Y, Y):
        decoder = LabelThresholdDecoder(average="macro").fit(P[train], Y[train])
        sets = decoder.decode(IndependentJoint.from_probabilities(P[test]))
        right[test] = (sets == Y[test]).all(axis=1)
    np.testing.assert_array_equal(model.reviewed_rows_.values(), right)
    own = LabelThresholdDecoder(average="macro").fit(P, Y)
    np.testing.assert_array_equal(
        model.predict(P), own.decode(IndependentJoint.from_probabilities(P))
    )


def test_one_complete_row_is_too_few_for_curves_and_routes(data):
    X, Y, X_new, _ = data
    holed = np.where(np.arange(400)[:, None] > 0, np.nan, Y)
    holed[:, 0] = Y[:, 0]
    with pytest.raises(ValueError, match="set label_calibration=None"):
        CalibratedSetClassifier(BinaryRelevance(), cv=2).fit(X, holed)
    model = CalibratedSetClassifier(BinaryRelevance(), cv=2, label_calibration=None)
    with pytest.raises(ValueError, match="decoder='threshold_f1_micro' learns"):
        clone(model).set_params(decoder="threshold_f1_micro").fit(X, holed)
    model.fit(X, holed)
    assert np.isfinite(model.predict_confidence(X_new)).all()
    with pytest.raises(ValueError, match="at least 2 rows without NaN"):
        model.route(X_new)


def test_expected_f1_takes_lists(data):
    X, Y, X_new, _ = data
    model = SetReranker(BinaryRelevance(), n_candidates=3, calibrator="identity", cv=2).fit(X, Y)
    np.testing.assert_allclose(
        model.predict_expected_f1(X_new.tolist()), model.predict_expected_f1(X_new)
    )
