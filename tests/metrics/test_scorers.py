import pickle

import numpy as np
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from labelfield import metrics


@pytest.fixture(scope="module")
def data():
    return make_multilabel_classification(60, 4, n_classes=6, n_labels=2, random_state=0)


@pytest.mark.parametrize("name", metrics.METRICS)
def test_every_metric_scores_a_perfect_answer_best(name):
    metric = metrics.METRICS[name]
    Y = np.repeat(np.eye(6), 2, axis=0)
    sign = 1 if metric.greater_is_better else -1
    assert metric.name == name
    assert metric.title
    assert sign * metric(Y, Y) > sign * metric(Y, 1 - Y)


def test_grid_search_picks_by_the_named_metric(data):
    X, Y = data
    grid = {"n_neighbors": [1, 5, 15]}
    found = {}
    for name in ("subset_accuracy", "hamming_loss"):
        search = GridSearchCV(KNeighborsClassifier(), grid, scoring=metrics.get_scorer(name), cv=3)
        found[name] = search.fit(X, Y).cv_results_["mean_test_score"]
    assert (found["subset_accuracy"] > 0).all()
    assert (found["hamming_loss"] < 0).all()


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(),
        RandomForestClassifier(5, random_state=0),
        MultiOutputClassifier(GaussianNB()),
        ClassifierChain(GaussianNB()),
        RidgeClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_scores_are_read_in_each_shape_of_scikit_learn(model, data):
    X, Y = data
    names = ("roc_auc_macro", "ranking_loss", "f1_samples")
    scoring = {name: metrics.get_scorer(name) for name in names}
    result = cross_validate(model, X, Y, scoring=scoring, cv=2, error_score="raise")
    assert (result["test_roc_auc_macro"] > 0.55).all()
    assert (result["test_ranking_loss"] > -0.45).all()


def test_two_labels_are_not_read_as_two_classes(data):
    X, Y = data[0], data[1][:, :2]
    model = ClassifierChain(GaussianNB()).fit(X, Y)
    expected = metrics.roc_auc(Y, model.predict_proba(X))
    assert metrics.get_scorer("roc_auc_macro")(model, X, Y) == expected


def test_a_label_never_seen_in_training_scores_zero_everywhere(data):
    X, Y = data[0], data[1].copy()
    Y[:, 0] = 0
    model = RandomForestClassifier(5, random_state=0).fit(X, Y)
    Y[0, 0] = 1
    scores = metrics.get_scorer("roc_auc_macro").metric.function
    expected = [m[:, 1] if m.shape[1] == 2 else np.zeros(len(X)) for m in model.predict_proba(X)]
    assert metrics.get_scorer("roc_auc_macro")(model, X, Y) == scores(Y, np.column_stack(expected))


def test_one_binary_target_is_one_label(data):
    X, y = data[0], data[1][:, 0]
    model = GaussianNB().fit(X, y)
    expected = metrics.roc_auc(y, model.predict_proba(X)[:, 1])
    assert metrics.get_scorer("roc_auc_macro")(model, X, y) == expected
    assert metrics.get_scorer("subset_accuracy")(model, X, y) == model.score(X, y)


def test_scorers_can_be_sent_to_other_processes():
    scorer = metrics.get_scorer("precision_at_3")
    assert pickle.loads(pickle.dumps(scorer)).metric.name == "precision_at_3"


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="name='accuracy' is not known.*'subset_accuracy'"):
        metrics.get_scorer("accuracy")
