"""CalibratedSetClassifier and SetReranker."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelfield import (
    BinaryRelevance,
    BoostedSetCalibrator,
    CalibratedSetClassifier,
    CandidateJoint,
    ClassifierChainEnsemble,
    ConditionalBernoulliMixture,
    IdentitySetCalibrator,
    LabelPowerset,
    NoiseRates,
    PairwiseCRF,
    PrecomputedProbabilities,
    ProbabilisticClassifierChain,
    SetReranker,
    load,
    save,
)
from labelfield.calibrate.calibrators.base import PRIOR, SetCalibrator
from labelfield.datasets import make_multilabel
from labelfield.joints import base
from labelfield.metrics import f1_score, subset_accuracy


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(n_samples=600, n_labels=4, coupling=3.0, random_state=0)
    return made.X[:400], made.Y[:400], made.X[400:], made.Y[400:]


class Recorder(SetCalibrator):
    """Keeps what it is given."""

    def _fit(self, U, targets, weights, groups):
        self.U_, self.targets_, self.groups_ = U, targets, groups

    def _predict(self, U):
        return U[:, 0]


def test_identity_states_the_joint_probability(data):
    X, Y, X_new, _ = data
    wrapped = CalibratedSetClassifier(
        BinaryRelevance(alpha=1.0), calibrator="identity", label_calibration=None
    ).fit(X, Y)
    model = BinaryRelevance(alpha=1.0).fit(X, Y)
    sets = model.predict(X_new)
    np.testing.assert_array_equal(wrapped.predict(X_new), sets)
    expected = np.exp(model.predict_joint(X_new).log_prob(sets))
    np.testing.assert_allclose(wrapped.predict_confidence(X_new), expected)
    np.testing.assert_allclose(wrapped.confidence_of(X_new, sets), expected)


@pytest.mark.parametrize(
    "estimator",
    [
        BinaryRelevance(alpha=1.0),
        LabelPowerset(alpha=1.0),
        ProbabilisticClassifierChain(alpha=1.0),
        ClassifierChainEnsemble(n_chains=2, alpha=1.0, random_state=0),
        ConditionalBernoulliMixture(n_components=3, alpha=1.0, max_iter=3, random_state=0),
        PairwiseCRF(alpha=1.0),
        make_pipeline(StandardScaler(), LabelPowerset(alpha=1.0)),
        RandomForestClassifier(10, max_depth=4, random_state=0),
        ClassifierChain(LogisticRegression()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_any_classifier_keeps_its_sets_and_gets_true_confidence(data, estimator):
    X, Y, X_new, Y_new = data
    wrapped = CalibratedSetClassifier(estimator, cv=3, calibrator="isotonic").fit(X, Y)
    sets = wrapped.predict(X_new)
    np.testing.assert_array_equal(sets, wrapped.estimator_.predict(X_new))
    confidence = wrapped.predict_confidence(X_new)
    assert abs(confidence.mean() - subset_accuracy(Y_new, sets)) < 0.12
    assert (
        SetReranker(estimator, cv=3, n_candidates=4).fit(X, Y).predict(X_new).shape == Y_new.shape
    )


def test_pipeline_keeps_the_joint_of_its_last_step(data):
    X, Y, X_new, _ = data
    piped = CalibratedSetClassifier(make_pipeline(StandardScaler(), LabelPowerset(alpha=1.0)), cv=2)
    joint = piped.fit(X, Y).predict_joint(X_new)
    expected = LabelPowerset(alpha=1.0).fit(StandardScaler().fit_transform(X), Y)
    scaled = StandardScaler().fit(X).transform(X_new)
    np.testing.assert_allclose(joint.marginals(), expected.predict_joint(scaled).marginals())


def one_probability(model, joint, sets, X):
    raw = np.exp(model.estimator_.predict_joint(X).log_prob(sets))
    confidence = model.predict_confidence(X)
    assert np.abs(raw - confidence).max() > 0.05  # there is something to correct
    np.testing.assert_allclose(np.exp(joint.log_prob(sets)), confidence, atol=1e-5)
    every = np.array(list(np.ndindex(*(2,) * sets.shape[1])), dtype=np.uint8)
    np.testing.assert_allclose(np.exp(joint.log_scores_of(every)).sum(axis=1), 1.0)


@pytest.mark.parametrize("decoder", [None, "f1", "threshold_f1_macro"])
def test_calibrated_joint_gives_the_predicted_set_its_confidence(data, decoder):
    X, Y, X_new, _ = data
    model = CalibratedSetClassifier(LabelPowerset(alpha=0.001), cv=3, decoder=decoder).fit(X, Y)
    one_probability(model, model.calibrated_joint(X_new), model.predict(X_new), X_new)


def test_reranked_joint_gives_the_predicted_set_its_confidence(data):
    X, Y, X_new, _ = data
    model = SetReranker(LabelPowerset(alpha=0.001), cv=3).fit(X, Y)
    one_probability(model, model.predict_joint(X_new), model.predict(X_new), X_new)


def test_calibrated_joint_is_about_exact_sets(data):
    X, Y, X_new, _ = data
    model = CalibratedSetClassifier(LabelPowerset(alpha=1.0), cv=2, target="f1").fit(X, Y)
    with pytest.raises(ValueError, match="target='exact'"):
        model.calibrated_joint(X_new)


def test_probabilities_from_elsewhere(data):
    X, Y, X_new, _ = data
    model = BinaryRelevance(alpha=1.0).fit(X, Y)
    P, P_new = model.predict_proba(X), model.predict_proba(X_new)
    wrapped = CalibratedSetClassifier(PrecomputedProbabilities(), label_calibration="isotonic")
    wrapped.fit(P, Y)
    np.testing.assert_array_equal(wrapped.predict(P_new), P_new > 0.5)
    assert wrapped.predict_confidence(P_new).std() > 0.05
    with pytest.raises(ValueError, match="one probability per label: got 3 columns for 4"):
        CalibratedSetClassifier(PrecomputedProbabilities()).fit(P[:, :3], Y)
    with pytest.raises(ValueError, match=r"P must hold probabilities"):
        CalibratedSetClassifier(PrecomputedProbabilities()).fit(2 * P, Y)


def test_prior_does_not_know_the_row(data):
    X, Y, _, _ = data
    same = (Y[7] == Y).all(axis=1)
    rows = np.append(np.flatnonzero(~same), 7)  # the last row is the only one with its set
    model = SetReranker(BinaryRelevance(alpha=1.0), n_candidates=16, calibrator=Recorder(), cv=3)
    model.fit(X[rows], Y[rows])
    seen = model.calibrator_
    own = (seen.groups_ == len(rows) - 1) & (seen.targets_ == 1)
    assert seen.U_[own, PRIOR].tolist() == [0.0]
    assert seen.U_[:, PRIOR].max() > 0.05
    assert model.prior_(Y[[7]])[0] == 1 / len(rows)


def test_prior_of_a_set_is_the_same_for_all_rows_of_a_fold(data):
    X, Y, _, _ = data
    seen = CalibratedSetClassifier(BinaryRelevance(alpha=1.0), calibrator=Recorder(), cv=4).fit(
        X, Y
    )
    U = seen.calibrator_.U_
    for encoding in np.unique(U[:, 3:7], axis=0):
        same = (U[:, 3:7] == encoding).all(axis=1)
        assert len(np.unique(U[same, PRIOR])) <= 4  # one value per fold, whatever the row holds


def test_columns_are_in_the_documented_order(data):
    X, Y, _, _ = data
    fitted = CalibratedSetClassifier(
        LabelPowerset(alpha=1.0),
        calibrator=Recorder(),
        extra_features=lambda X, sets: np.repeat(X[:, None, :2], sets.shape[1], axis=1),
    ).fit(X, Y)
    U, rows = fitted.calibrator_.U_, fitted.calibrator_.groups_
    assert U.shape == (400, 3 + 4 + 2)
    np.testing.assert_array_equal(U[:, 1], U[:, 3:7].sum(axis=1))
    np.testing.assert_array_equal(U[:, 7:], X[rows, :2])
    np.testing.assert_array_equal(fitted.calibrator_.targets_, (U[:, 3:7] == Y[rows]).all(axis=1))
    assert sorted(rows) == list(range(400))


def test_f1_as_the_target(data):
    X, Y, X_new, Y_new = data
    fitted = CalibratedSetClassifier(BinaryRelevance(alpha=1.0), target="f1", calibrator="isotonic")
    fitted.fit(X, Y)
    expected = f1_score(Y_new, fitted.predict(X_new), average="samples")
    assert abs(fitted.predict_confidence(X_new).mean() - expected) < 0.05
    route = fitted.route(X_new, accuracy=0.5, measure="f1")
    assert f1_score(Y_new, fitted.predict(X_new), average="rows")[route.accept].mean() > 0.5


@pytest.mark.parametrize("cv", ["prefit", 0.4, 3])
def test_ways_to_get_calibration_rows(data, cv):
    X, Y, X_new, Y_new = data
    estimator = LabelPowerset(alpha=1.0).fit(X[:200], Y[:200])
    rows = slice(200, None) if cv == "prefit" else slice(None)
    fitted = CalibratedSetClassifier(estimator, cv=cv, calibrator="isotonic").fit(X[rows], Y[rows])
    n_rows = {"prefit": 200, 0.4: 160, 3: 400}[cv]
    assert len(fitted.reviewed_rows_.confidence) == n_rows
    assert not fitted.reviewed_rows_.exact
    if cv == "prefit":
        assert fitted.estimator_ is estimator
    accuracy = subset_accuracy(Y_new, fitted.predict(X_new))
    assert abs(fitted.predict_confidence(X_new).mean() - accuracy) < 0.1


def test_frozen_estimators_are_not_refitted(data):
    X, Y, X_new, _ = data
    estimator = LabelPowerset(alpha=1.0).fit(X[:200], Y[:200])
    fitted = CalibratedSetClassifier(FrozenEstimator(estimator)).fit(X[200:], Y[200:])
    np.testing.assert_array_equal(fitted.predict(X_new), estimator.predict(X_new))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cv": "prefit"}, "not fitted yet"),
        ({"cv": "all"}, "'cv' parameter"),
        ({"calibrator": "platt"}, "calibrator must be one of auto, boosted"),
        ({"label_calibration": "beta"}, "'label_calibration' parameter"),
        ({"target": "jaccard"}, "'target' parameter"),
        ({"promise": 1}, "'promise' parameter"),
        ({"noise": NoiseRates(0.1), "target": "f1"}, "use target='exact'"),
        ({"noise": NoiseRates([0.1, 0.2])}, "one rate, or one for each row"),
    ],
)
def test_wrong_parameters_are_named(data, parameters, message):
    X, Y, _, _ = data
    with pytest.raises((ValueError, NotFittedError), match=message):
        CalibratedSetClassifier(LabelPowerset(alpha=1.0), **parameters).fit(X, Y)


def test_confidence_before_calibration_is_refused(data):
    with pytest.raises(NotFittedError):
        CalibratedSetClassifier(LabelPowerset(alpha=1.0)).predict_confidence(data[0])
    with pytest.raises(NotFittedError):
        SetReranker(LabelPowerset(alpha=1.0)).predict(data[0])


def test_estimator_without_probabilities_is_refused(data):
    class Bare(BinaryRelevance):
        predict_joint = property()
        predict_proba = property()

    with pytest.raises(ValueError, match="neither predict_joint nor predict_proba"):
        CalibratedSetClassifier(Bare()).fit(data[0], data[1])


def test_route_and_curve(data):
    X, Y, X_new, Y_new = data
    fitted = CalibratedSetClassifier(LabelPowerset(alpha=1.0), calibrator="isotonic").fit(X, Y)
    route = fitted.route(X_new, accuracy=0.4)
    np.testing.assert_array_equal(route.accept, fitted.predict_confidence(X_new) >= route.threshold)
    np.testing.assert_array_equal(route.review, ~route.accept)
    assert route.accept.any()
    assert not route.exact
    assert route.acceptance.rate >= 0.4
    right = (fitted.predict(X_new) == Y_new).all(axis=1)
    assert right[route.accept].mean() > 0.35
    share, accuracy, _ = fitted.automation_curve(X_new, Y_new)
    assert share[-1] == 1.0
    assert accuracy[-1] == pytest.approx(right.mean())
    with pytest.warns(UserWarning, match="the best that can be promised is"):
        assert not fitted.route(X_new, accuracy=0.999).accept.any()
    with pytest.raises(ValueError, match="promise='auto'"):
        CalibratedSetClassifier(LabelPowerset(alpha=1.0), promise=None).fit(X, Y).route(X_new)


def test_route_allows_for_noise(data):
    X, Y, X_new, _ = data
    plain = CalibratedSetClassifier(LabelPowerset(alpha=1.0), calibrator="isotonic").fit(X, Y)
    fitted = CalibratedSetClassifier(
        LabelPowerset(alpha=1.0), calibrator="isotonic", noise=NoiseRates(0.2)
    ).fit(X, Y)
    ratio = fitted.predict_confidence(X_new).mean() / plain.predict_confidence(X_new).mean()
    assert ratio == pytest.approx(1 / 0.8, rel=0.05)
    assert fitted.route(X_new, accuracy=0.5).threshold == pytest.approx(
        plain.route(X_new, accuracy=0.4).threshold / 0.8
    )
    assert fitted.acceptance(0.5).accuracy == pytest.approx(0.5)
    assert fitted.acceptance(0.5).rate == pytest.approx(plain.acceptance(0.4).rate / 0.8)
    unmet = fitted.acceptance(0.99), plain.acceptance(0.99 * 0.8)
    assert unmet[0].best.accuracy == pytest.approx(unmet[1].best.accuracy / 0.8)
    with pytest.raises(ValueError, match="needs clean rows"):
        fitted.acceptance(measure="f1")
    fitted.noise = NoiseRates(np.full(400, 0.2))
    with pytest.raises(ValueError, match="needs clean rows"):
        fitted.route(X_new)


def test_reranking_by_the_score_is_the_mode(data):
    X, Y, X_new, _ = data
    same = SetReranker(LabelPowerset(alpha=1.0), calibrator=IdentitySetCalibrator()).fit(X, Y)
    expected = (
        LabelPowerset(alpha=1.0).fit(X, Y).predict_joint(X_new).mode(allow_empty=same.empty_seen_)
    )
    np.testing.assert_array_equal(same.predict(X_new), expected)


def test_reranking_brings_back_dependence():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    pair = 1 - np.eye(3, dtype=int)[rng.integers(0, 3, 3000)]  # two of three, whatever x says
    Y = np.column_stack([pair, X[:, 0] > 0])
    train, test = slice(0, 2000), slice(2000, None)
    calibrator = BoostedSetCalibrator(loss="kl", max_iter=60)
    model = SetReranker(BinaryRelevance(alpha=1.0), n_candidates=8, calibrator=calibrator)
    model.fit(X[train], Y[train])
    plain = subset_accuracy(
        Y[test], BinaryRelevance(alpha=1.0).fit(X[train], Y[train]).predict(X[test])
    )
    assert plain < 0.05  # each of the three is likely, so all are predicted
    assert subset_accuracy(Y[test], model.predict(X[test])) > 0.25
    assert (model.predict(X[test])[:, :3].sum(axis=1) == 2).mean() > 0.98


def test_reranker_states_confidence_and_joint(data):
    X, Y, X_new, Y_new = data
    model = SetReranker(BinaryRelevance(alpha=1.0), n_candidates=5, calibrator="boosted").fit(X, Y)
    joint = model.predict_joint(X_new)
    assert isinstance(joint, CandidateJoint)
    sets = model.predict(X_new)
    highest = joint.probabilities.max(axis=1)
    fits = joint.other > 1e-5  # else the confidences were scaled down
    np.testing.assert_allclose(model.predict_confidence(X_new)[fits], highest[fits], atol=1e-6)
    np.testing.assert_allclose(np.exp(joint.log_prob(sets)), highest)
    f1 = f1_score(Y_new, sets, average="samples")
    assert abs(model.predict_expected_f1(X_new).mean() - f1) < 0.06
    better = f1_score(Y_new, model.predict(X_new, decoder="f1"), average="samples")
    assert better > f1 - 0.02


def test_small_blocks_change_nothing(data, monkeypatch):
    X, Y, X_new, _ = data
    model = SetReranker(BinaryRelevance(alpha=1.0), n_candidates=3, calibrator="tree", cv=2).fit(
        X, Y
    )
    whole = model.predict_confidence(X_new)
    monkeypatch.setattr(base, "BLOCK_BYTES", 2000)
    np.testing.assert_allclose(model.predict_confidence(X_new), whole, rtol=1e-9)


def test_expected_f1_equals_enumeration(data):
    X, Y, X_new, _ = data
    model = SetReranker(BinaryRelevance(alpha=1.0), n_candidates=5, calibrator="isotonic").fit(X, Y)
    joint, sets = model.predict_joint(X_new[:20]), model.predict(X_new[:20])
    every = ((np.arange(16)[:, None] >> np.arange(4)) & 1).astype(np.uint8)
    p = np.exp(joint.log_prob(np.broadcast_to(every, (20, 16, 4))))
    f1 = np.stack([f1_score(np.tile(s, (16, 1)), every, average="rows") for s in sets])
    np.testing.assert_allclose(model.predict_expected_f1(X_new[:20]), (p * f1).sum(axis=1))


@pytest.mark.parametrize("wrapper", [CalibratedSetClassifier, SetReranker])
def test_one_class_of_hits(wrapper):
    X = np.random.default_rng(0).normal(size=(80, 2))
    Y = np.column_stack([X[:, 0] > 0, np.zeros(80)]).astype(int)
    model = wrapper(BinaryRelevance(alpha=1e-3), calibrator="isotonic").fit(X, Y)
    assert np.isfinite(model.predict_confidence(X)).all()
    assert model.predict_confidence(X).mean() > 0.9


@pytest.mark.parametrize("wrapper", [CalibratedSetClassifier, SetReranker])
def test_saved_models_answer_as_before(data, wrapper, tmp_path):
    X, Y, X_new, _ = data
    wide = np.tile(Y, (1, 17))  # keys of more than 64 labels are bytes
    calibrator = BoostedSetCalibrator(loss="kl", max_iter=20)
    model = wrapper(BinaryRelevance(alpha=1.0), calibrator=calibrator, cv=2, promise=2).fit(X, wide)
    save(model, tmp_path / "model.lf")
    again = load(tmp_path / "model.lf")
    np.testing.assert_array_equal(again.predict_confidence(X_new), model.predict_confidence(X_new))
    np.testing.assert_array_equal(again.predict(X_new), model.predict(X_new))
    assert again.route(X_new, accuracy=0.3).threshold == model.route(X_new, accuracy=0.3).threshold
