"""Jobs with the tools of scikit-learn."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_validate,
    learning_curve,
    validation_curve,
)
from sklearn.pipeline import make_pipeline as plain_pipeline

from jobs.data import TAGS, TEST, TEXTS, TRAIN, X, Y
from jobs.job import job
from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    LabelPowerset,
    LabelSetClassifier,
    MultilabelStratifiedGroupKFold,
    MultilabelStratifiedKFold,
    make_pipeline,
)
from labelfield.evaluation import compare_models
from labelfield.metrics import get_scorer as own_scorer
from labelfield.model_selection import stratified_split

TOPIC = "Tools of scikit-learn"
LABELS = BinaryRelevance(alpha=0.1)


@job(TOPIC, "probabilities of held-out rows", "cross_val_predict(m, X, Y, method='predict_proba')")
def held_out_probabilities():
    for target in (Y[:, :1], Y[:, :2], Y):
        p = cross_val_predict(LABELS, X, target, cv=3, method="predict_proba")
        assert roc_auc_score(target, p, average="micro") > 0.9


@job(TOPIC, "log-odds of held-out rows", "cross_val_predict(m, X, Y, method='decision_function')")
def held_out_scores():
    scores = cross_val_predict(LABELS, X, Y, cv=3, method="decision_function")
    p = cross_val_predict(LABELS, X, Y, cv=3, method="predict_proba")
    np.testing.assert_array_equal(scores > 0, p > 0.5)


@job(TOPIC, "several scorers at once", "cross_validate(m, X, Y, scoring=['f1_macro', 'roc_auc'])")
def several_scorers():
    scoring = ["f1_macro", "f1_samples", "roc_auc", "average_precision", "accuracy"]
    found = cross_validate(LABELS, X, Y, cv=3, scoring=scoring, error_score="raise")
    assert all((found[f"test_{name}"] > 0.5).all() for name in scoring)


@job(TOPIC, "scorers with one, two or many labels", "get_scorer('roc_auc')(model, X, Y)")
def few_labels():
    by_probability = make_scorer(roc_auc_score, response_method="predict_proba")
    for target in (Y[:, :1], Y[:, :2], Y):
        model = clone(LABELS).fit(X, target)
        expected = roc_auc_score(target, model.predict_proba(X))
        np.testing.assert_allclose(get_scorer("roc_auc")(model, X, target), expected)
        np.testing.assert_allclose(by_probability(model, X, target), expected)


@job(TOPIC, "scorers of whole sets", "labelfield.metrics.get_scorer('subset_accuracy')")
def set_scorers():
    model = clone(LABELS).fit(X, Y)
    assert own_scorer("subset_accuracy")(model, X, Y) == get_scorer("accuracy")(model, X, Y)


@job(TOPIC, "choose the decision by search", "GridSearchCV(m, {'decoder': ['subset', 'f1']})")
def search_decoders():
    search = GridSearchCV(LabelPowerset(), {"decoder": ["hamming", "subset", "f1"]}, cv=3)
    assert search.fit(X, Y).best_score_ > 0.5


@job(TOPIC, "search inside the inner classifier", "RandomizedSearchCV(m, {'estimator__C': ...})")
def search_inner():
    search = RandomizedSearchCV(
        BinaryRelevance(LogisticRegression()),
        {"estimator__C": [1e-5, 10.0]},
        n_iter=2,
        cv=3,
        scoring="f1_micro",
        random_state=0,
    )
    assert search.fit(X, Y).best_params_["estimator__C"] == 10.0


@job(TOPIC, "calibrate a model that stays as it is", "CalibratedSetClassifier(FrozenEstimator(m))")
def frozen():
    fitted = clone(LABELS).fit(X[TRAIN], Y[TRAIN])
    model = CalibratedSetClassifier(FrozenEstimator(fitted), cv="prefit", calibrator="isotonic")
    model.fit(X[TEST], Y[TEST])
    np.testing.assert_array_equal(model.predict_proba(X), fitted.predict_proba(X))


@job(TOPIC, "tune the threshold of one label", "TunedThresholdClassifierCV(m).fit(X, y)")
def one_threshold():
    tuned = TunedThresholdClassifierCV(clone(LABELS), scoring="f1", cv=3).fit(X, Y[:, 1])
    assert 0.0 < tuned.best_threshold_ < 1.0


@job(
    TOPIC,
    "tune a threshold per label",
    "BinaryRelevance(decoder='threshold_f1_macro')",
    works="yes; `TunedThresholdClassifierCV` takes one label only",
)
def many_thresholds():
    model = BinaryRelevance(decoder="threshold_f1_macro").fit(X, Y)
    assert model._fitted_decoder.thresholds_.shape == (3,)
    with pytest.raises(ValueError, match="Only binary classification"):
        TunedThresholdClassifierCV(clone(LABELS)).fit(X, Y)


@job(TOPIC, "weights of rows", "model.fit(X, Y, sample_weight=w)")
def weights():
    weight = np.arange(90) % 3
    model = clone(LABELS).fit(X, Y, sample_weight=weight)
    repeated = clone(LABELS).fit(X.repeat(weight, axis=0), Y.repeat(weight, axis=0))
    np.testing.assert_allclose(model.predict_proba(X), repeated.predict_proba(X), atol=1e-3)


@job(TOPIC, "weights through a pipeline", "make_pipeline(...).fit(texts, Y, sample_weight=w)")
def weights_through_a_pipeline():
    model = make_pipeline(TfidfVectorizer(), clone(LABELS))
    weighted = clone(model).fit(TEXTS, Y, sample_weight=np.r_[np.zeros(45), np.ones(45)])
    assert (
        np.abs(weighted.predict_proba(TEXTS) - model.fit(TEXTS, Y).predict_proba(TEXTS)).max() > 0
    )


@job(TOPIC, "metadata routing", "model.set_fit_request(sample_weight=True)")
def routing():
    weight = np.r_[np.zeros(45), np.ones(45)]
    with sklearn.config_context(enable_metadata_routing=True):
        model = clone(LABELS).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"alpha": [0.1]}, cv=3).fit(X, Y, sample_weight=weight)
    expected = clone(LABELS).fit(X[45:], Y[45:]).predict_proba(X)
    np.testing.assert_allclose(search.predict_proba(X), expected, atol=1e-3)


@job(TOPIC, "importance of columns", "permutation_importance(model, frame, Y)")
def importance():
    frame = pd.DataFrame(X).assign(noise=np.arange(90) % 7).rename(columns=str)
    found = permutation_importance(clone(LABELS).fit(frame, Y), frame, Y, random_state=0)
    assert found.importances_mean[:4].max() > 3 * abs(found.importances_mean[4])


@job(TOPIC, "learning and validation curves", "learning_curve(model, texts, Y)")
def curves():
    model = make_pipeline(TfidfVectorizer(), BinaryRelevance())
    _, _, test = learning_curve(model, TEXTS, Y, train_sizes=[0.2, 1.0], cv=3, scoring="f1_micro")
    assert test.mean(axis=1)[1] > test.mean(axis=1)[0]
    _, test = validation_curve(
        LABELS, X, Y, param_name="alpha", param_range=[0.1, 1e4], cv=3, scoring="f1_micro"
    )
    assert test.mean(axis=1)[0] > test.mean(axis=1)[1]


@job(TOPIC, "folds that balance labels", "cross_validate(m, X, Y, cv=MultilabelStratifiedKFold(3))")
def stratified_folds():
    found = cross_validate(LABELS, X, Y, cv=MultilabelStratifiedKFold(3), return_indices=True)
    for test in found["indices"]["test"]:
        assert np.abs(Y[test].sum(axis=0) - Y.sum(axis=0) / 3).max() <= 2


@job(TOPIC, "folds that also keep groups together", "cv=MultilabelStratifiedGroupKFold(3)")
def grouped_folds():
    groups = np.arange(90) // 3
    folds = MultilabelStratifiedGroupKFold(3)
    found = cross_validate(LABELS, X, Y, groups=groups, cv=folds, return_indices=True)
    for train, test in zip(found["indices"]["train"], found["indices"]["test"]):
        assert not set(groups[train]) & set(groups[test])
        assert Y[train].any(axis=0).all()


@job(TOPIC, "folds inside a model that keep groups together", "LabelSetClassifier(cv=folds)")
def grouped_folds_inside():
    groups = np.arange(90) // 3
    folds = list(MultilabelStratifiedGroupKFold(3).split(X, Y, groups))
    model = LabelSetClassifier(budget="quick", cv=folds).fit(X, Y)
    other = LabelSetClassifier(budget="quick", cv=3).fit(X, Y)
    assert model.leaderboard_[0]["log_likelihood"] != other.leaderboard_[0]["log_likelihood"]
    assert (model.predict(X) == Y).all(axis=1).mean() > 0.8


@job(TOPIC, "see how far a long fit is", "model.set_callbacks(ProgressBar()).fit(X, Y)")
def progress():
    steps = []

    class Recorder:
        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            steps.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

    LabelSetClassifier(budget="quick").set_callbacks(Recorder()).fit(X, Y)
    assert {"fit", "linear"} <= set(steps)


@job(TOPIC, "a single balanced split", "stratified_split(Y, test_size=0.25)")
def one_split():
    train, test = stratified_split(Y, test_size=1 / 3, random_state=0)
    assert np.abs(Y[test].sum(axis=0) * 2 - Y[train].sum(axis=0)).max() <= 3


@job(TOPIC, "compare models on documents", "compare_models(texts, tags, models, cv=folds)")
def compare():
    models = {
        "labels": make_pipeline(TfidfVectorizer(), BinaryRelevance()),
        "sets": make_pipeline(TfidfVectorizer(), LabelPowerset()),
        "forest": plain_pipeline(TfidfVectorizer(), RandomForestClassifier(10, random_state=0)),
    }
    found = compare_models(TEXTS, TAGS, models, decoders=("own",), metrics=("f1_micro",), cv=3)
    assert set(found["mean"]) == {f"{name}, own" for name in models}
    assert all(figures["f1_micro"] > 0.8 for figures in found["mean"].values())


@job(TOPIC, "clone, pickle, set parameters", "pickle.loads(pickle.dumps(model))")
def copies():
    model = make_pipeline(TfidfVectorizer(), clone(LABELS)).fit(TEXTS, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(TEXTS), model.predict_proba(TEXTS))
    assert clone(model).set_params(binaryrelevance__alpha=3.0)[-1].alpha == 3.0
