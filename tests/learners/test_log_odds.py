import numpy as np
import pytest
from scipy.special import logit
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.svm import LinearSVC

from labelfield import BinaryRelevance, PairwiseCRF, PrecomputedProbabilities
from labelfield.datasets import make_multilabel
from labelfield.learners import LogOddsSource, label_probabilities


@pytest.fixture(scope="module")
def data():
    made = make_multilabel(n_samples=80, n_labels=3, random_state=0)
    return made.X, made.Y


def test_training_rows_are_judged_by_models_that_have_not_seen_them(data):
    X, Y = data
    source = LogOddsSource(BinaryRelevance(alpha=0.1), 4)
    held_out = source.fit_transform(X, Y)
    seen = source.transform(X)
    signs = 2.0 * Y - 1.0
    assert (np.log1p(np.exp(-signs * seen))).mean() < (np.log1p(np.exp(-signs * held_out))).mean()
    everywhere = BinaryRelevance(alpha=0.1).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(seen, logit(everywhere), rtol=1e-6)


def test_given_probabilities_stand_in_for_a_classifier(data):
    X, Y = data
    P = BinaryRelevance(alpha=0.1).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(
        LogOddsSource(PrecomputedProbabilities(), 4).fit_transform(P, Y), logit(P), rtol=1e-6
    )
    model = PairwiseCRF(PrecomputedProbabilities(), min_count=1).fit(P, Y)
    assert model.coef_.shape == (3, 1)
    assert model.predict(P).shape == Y.shape


@pytest.mark.parametrize("n_labels", [1, 2, 3])
def test_probabilities_come_in_any_of_scikit_learns_shapes(data, n_labels):
    X, Y = data[0], data[1][:, :n_labels]
    target = Y[:, 0] if n_labels == 1 else Y
    tree = ExtraTreesClassifier(5, random_state=0).fit(X, target)
    each = [ExtraTreesClassifier(5, random_state=0).fit(X, y) for y in Y.T]
    one_each = MultiOutputClassifier(each[0]).fit(X, Y)
    for found in (tree, one_each):
        assert label_probabilities(found, X, n_labels).shape == Y.shape
    expected = np.stack([model.predict_proba(X)[:, 1] for model in each], axis=1)
    np.testing.assert_array_equal(label_probabilities(one_each, X, n_labels), expected)


@pytest.mark.parametrize("wrong", ["given", LinearSVC()])
def test_a_source_without_probabilities_is_refused(wrong):
    with pytest.raises(ValueError, match="predict_proba"):
        LogOddsSource(wrong, 4)


def test_a_classifier_of_single_labels_is_cloned_for_each(data):
    X, Y = data
    holed = np.where(np.random.default_rng(0).random(Y.shape) < 0.1, np.nan, Y)
    for labels in (Y, holed):
        source = LogOddsSource(LogisticRegression(), 4)
        alone = LogOddsSource(BinaryRelevance(LogisticRegression()), 4)
        np.testing.assert_allclose(
            source.fit_transform(X, labels), alone.fit_transform(X, labels), atol=1e-9
        )
        np.testing.assert_allclose(source.transform(X), alone.transform(X), atol=1e-9)
