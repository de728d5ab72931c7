import numpy as np
import pytest
from scipy.special import logit

from labelfield import BinaryRelevance, PairwiseCRF
from labelfield.datasets import make_multilabel
from labelfield.learners import LogOddsSource


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
    np.testing.assert_allclose(LogOddsSource("precomputed", 4).fit_transform(P, Y), logit(P))
    model = PairwiseCRF("precomputed", min_count=1).fit(P, Y)
    assert model.unary_.shape == (2, 3)
    assert model.predict(P).shape == Y.shape


@pytest.mark.parametrize("wrong", [np.full((80, 2), 0.5), np.full((80, 3), 1.5)])
def test_given_probabilities_are_checked(data, wrong):
    with pytest.raises(ValueError, match="precomputed"):
        LogOddsSource("precomputed", 4).fit_transform(wrong, data[1])


@pytest.mark.parametrize("wrong", ["given", object()])
def test_a_source_without_probabilities_is_refused(wrong):
    with pytest.raises(ValueError, match="predict_proba"):
        LogOddsSource(wrong, 4)
