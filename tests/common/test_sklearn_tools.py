"""scikit-learn's tools around our models: scorers, searches, curves, routing."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.special import expit
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_validate,
    learning_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from labelfield import (
    BinaryRelevance,
    CalibratedSetClassifier,
    LabelPowerset,
    PairwiseCRF,
    ProbabilisticClassifierChain,
    metrics,
)
from labelfield.datasets import make_multilabel

DATA = make_multilabel(n_samples=120, n_features=5, n_labels=3, coupling=2.0, random_state=0)
X, Y = DATA.X, DATA.Y.astype(int)
SETS = ("f1_macro", "f1_micro", "accuracy", "precision_micro", "recall_weighted")
SAMPLES = ("f1_samples", "jaccard_samples")
SCORES = ("roc_auc", "average_precision", "roc_auc_ovr")
undefined = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


def labels(n_labels):
    rng = np.random.default_rng(n_labels)
    return (X @ rng.normal(size=(5, n_labels)) + rng.normal(size=(120, n_labels)) > 0).astype(int)


@undefined
@pytest.mark.parametrize("n_labels", [1, 2, 3, 10])
def test_scorers_agree_with_one_versus_rest(n_labels):
    target = labels(n_labels)
    ours = BinaryRelevance(LogisticRegression()).fit(X, target)
    theirs = OneVsRestClassifier(LogisticRegression()).fit(X, target)
    names = SETS + SCORES + (SAMPLES if n_labels > 1 else ())
    if n_labels == 2:  # there theirs takes the two labels for the two classes of one target
        names = [name for name in names if name not in SCORES[2:]]
    for name in names:
        scorer = get_scorer(name)
        np.testing.assert_allclose(scorer(ours, X, target), scorer(theirs, X, target), err_msg=name)


@pytest.mark.parametrize("n_labels", [1, 2, 3, 10])
@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_scorers_of_both_kinds_of_scores(n_labels, method):
    target = labels(n_labels)
    model = LabelPowerset().fit(X, target)
    scorer = make_scorer(roc_auc_score, response_method=method, average="macro")
    columns = [roc_auc_score(t, p) for t, p in zip(target.T, model.predict_proba(X).T)]
    np.testing.assert_allclose(scorer(model, X, target), np.mean(columns))


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "neg_log_loss", "roc_auc_ovr"])
def test_scorers_of_a_1d_target(name):
    target = np.array([0, 1])[Y[:, 0]]
    ours = BinaryRelevance(LogisticRegression()).fit(X, target)
    theirs = LogisticRegression().fit(X, target)
    np.testing.assert_allclose(
        get_scorer(name)(ours, X, target), get_scorer(name)(theirs, X, target)
    )


def test_classes_of_words():
    target = np.array(["no", "yes"])[Y[:, 0]]
    ours = BinaryRelevance(LogisticRegression()).fit(X, target)
    theirs = LogisticRegression().fit(X, target)
    assert list(ours.classes_) == ["no", "yes"]
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-6)
    assert get_scorer("roc_auc")(ours, X, target) == get_scorer("roc_auc")(theirs, X, target)


def test_scores_are_log_odds_and_finite():
    for model in (BinaryRelevance(), PairwiseCRF(), ProbabilisticClassifierChain()):
        model.fit(X, Y)
        np.testing.assert_allclose(expit(model.decision_function(X)), model.predict_proba(X))
    certain = LabelPowerset(LogisticRegression()).fit(X, np.column_stack([Y, 0 * Y[:, 0]]))
    assert (certain.predict_proba(X)[:, 3] == 0.0).all()
    assert np.isfinite(certain.decision_function(X)).all()


@pytest.mark.parametrize("n_labels", [1, 2, 3, 10])
@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_cross_val_predict(n_labels, method):
    target, folds = labels(n_labels), KFold(3)
    answer = cross_val_predict(BinaryRelevance(), X, target, cv=folds, method=method)
    expected = np.empty((120, n_labels))
    for train, test in folds.split(X):
        model = BinaryRelevance().fit(X[train], target[train])
        expected[test] = getattr(model, method)(X[test])
    np.testing.assert_array_equal(answer, expected)


@undefined
def test_cross_validate_with_several_scorers():
    found = cross_validate(
        PairwiseCRF(),
        X,
        Y,
        cv=3,
        scoring={
            "exact": metrics.get_scorer("subset_accuracy"),
            "accuracy": "accuracy",
            "f1": "f1_samples",
            "auc": "roc_auc",
            "loss": metrics.get_scorer("ranking_loss"),
        },
        return_train_score=True,
        error_score="raise",
    )
    np.testing.assert_array_equal(found["test_exact"], found["test_accuracy"])
    assert (found["test_auc"] > 0.6).all()
    assert (found["test_loss"] < 0.0).all()


@undefined
def test_search_over_decoders_and_inner_parameters():
    decoders = ["hamming", "subset", "f1", "threshold_f1_macro"]
    search = GridSearchCV(
        BinaryRelevance(LogisticRegression()),
        {"decoder": decoders, "estimator__C": [1e-4, 1.0]},
        scoring="f1_samples",
        cv=3,
        error_score="raise",
    ).fit(X, Y)
    assert search.best_params_["estimator__C"] == 1.0
    assert search.predict(X).shape == Y.shape
    assert search.predict_proba(X).shape == Y.shape
    assert len(search.cv_results_["params"]) == 8
    assert search.classes_.tolist() == [0, 1, 2]


def test_search_inside_a_text_pipeline():
    texts = [" ".join(np.array(["rain", "sun", "wind"])[row == 1]) + " day" for row in Y]
    model = BinaryRelevance(make_pipeline(TfidfVectorizer(), LogisticRegression()))
    grid = {"estimator__tfidfvectorizer__ngram_range": [(1, 1), (1, 2)]}
    search = GridSearchCV(model, grid, scoring="accuracy", cv=3, error_score="raise")
    assert search.fit(texts, Y).best_score_ > 0.9


def test_a_frozen_estimator_is_calibrated_as_it_is():
    fitted = BinaryRelevance().fit(X[:60], Y[:60])
    options = {"calibrator": "isotonic", "promise": None}
    frozen = CalibratedSetClassifier(FrozenEstimator(fitted), cv="prefit", **options)
    plain = CalibratedSetClassifier(fitted, cv="prefit", **options)
    for model in (frozen, plain):
        model.fit(X[60:], Y[60:])
    np.testing.assert_array_equal(frozen.predict_confidence(X), plain.predict_confidence(X))
    np.testing.assert_array_equal(frozen.predict_proba(X), fitted.predict_proba(X))
    refitted = clone(frozen).set_params(cv=3).fit(X[60:], Y[60:])
    np.testing.assert_array_equal(refitted.predict_proba(X), fitted.predict_proba(X))


def test_a_tuned_threshold_is_for_one_label():
    """scikit-learn tunes one threshold; several are what `threshold_f1_macro` learns."""
    tuned = TunedThresholdClassifierCV(BinaryRelevance(), scoring="f1", cv=3).fit(X, Y[:, 0])
    expected = BinaryRelevance().fit(X, Y[:, 0]).predict_proba(X)[:, 1] >= tuned.best_threshold_
    np.testing.assert_array_equal(tuned.predict(X), expected.astype(int))
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        TunedThresholdClassifierCV(BinaryRelevance(), scoring="f1_macro").fit(X, Y)


def test_weights_are_routed():
    weight = np.repeat([1.0, 0.0], 60)
    with sklearn.config_context(enable_metadata_routing=True):
        model = BinaryRelevance(alpha=1.0).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=False)
        found = cross_validate(
            model,
            X,
            Y,
            cv=KFold(3),
            params={"sample_weight": weight},
            return_estimator=True,
            error_score="raise",
        )
        search = GridSearchCV(model, {"alpha": [1.0]}, cv=3).fit(X, Y, sample_weight=weight)
    train = np.arange(40, 60)  # rows with weight outside of the first fold
    expected = BinaryRelevance(alpha=1.0).fit(X[train], Y[train]).predict_proba(X)
    np.testing.assert_allclose(found["estimator"][0].predict_proba(X), expected, atol=1e-4)
    expected = BinaryRelevance(alpha=1.0).fit(X[:60], Y[:60]).predict_proba(X)
    np.testing.assert_allclose(search.predict_proba(X), expected, atol=1e-4)


def test_permutation_importance_of_columns():
    frame = pd.DataFrame(X, columns=list("abcde")).assign(noise=np.arange(120.0) % 7)
    model = BinaryRelevance().fit(frame, Y)
    found = permutation_importance(
        model, frame, Y, scoring="average_precision", n_repeats=3, random_state=0
    )
    assert found.importances_mean[:5].max() > 10 * abs(found.importances_mean[5])


def test_learning_curves():
    sizes, train, test = learning_curve(
        BinaryRelevance(),
        X,
        Y,
        train_sizes=[0.2, 1.0],
        cv=3,
        scoring="f1_micro",
        error_score="raise",
    )
    assert sizes.tolist() == [16, 80]
    assert test.mean(axis=1)[1] > test.mean(axis=1)[0]
    assert train.shape == (2, 3)
