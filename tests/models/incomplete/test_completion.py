"""EM over unknown labels with any joint model."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from labelfield import BinaryRelevance, LabelCompletion, LabelPowerset, PairwiseCRF
from labelfield._gate.validation import label_evidence
from labelfield.datasets import hide_labels, make_multilabel

DATA = make_multilabel(n_samples=300, n_labels=4, coupling=3.0, random_state=0)
X, Y = DATA.X, DATA.Y
HOLED = hide_labels(Y, 0.4, how="entries", random_state=1)
KNOWN = ~np.isnan(HOLED)


@pytest.mark.parametrize("completion", ["draw", "mode"])
def test_known_labels_are_kept_and_most_others_found(completion):
    model = LabelCompletion(LabelPowerset(alpha=1.0), completion=completion, random_state=0).fit(
        X, HOLED
    )
    np.testing.assert_array_equal(model.completed_[KNOWN], Y[KNOWN])
    found = (model.completed_ == Y)[~KNOWN].mean()
    share = max(Y[~KNOWN].mean(), 1 - Y[~KNOWN].mean())
    assert found > share + 0.05


def test_a_round_by_hand():
    model = LabelCompletion(PairwiseCRF(), completion="mode", max_iter=1, alpha=2.0).fit(X, HOLED)
    first = np.where(KNOWN, HOLED, BinaryRelevance(alpha=2.0, tol=1e-4).fit(X, HOLED).predict(X))
    joint = PairwiseCRF().fit(X, first).predict_joint(X)
    given = joint.tilt(label_evidence(HOLED, 0.01, 0.01)).mode()
    np.testing.assert_array_equal(model.completed_, np.where(KNOWN, HOLED, given))
    again = PairwiseCRF().fit(X, model.completed_)
    np.testing.assert_allclose(model.predict_proba(X), again.predict_proba(X))


def test_complete_labels_need_one_fit():
    model = LabelCompletion(LabelPowerset(alpha=1.0), random_state=0).fit(X, Y)
    np.testing.assert_array_equal(
        model.predict_proba(X), LabelPowerset(alpha=1.0).fit(X, Y).predict_proba(X)
    )
    assert model.n_iter_ == 1


def test_zeros_are_unknown_where_only_ones_are_known():
    marks = hide_labels(Y, 0.4, random_state=0)
    model = LabelCompletion(
        LabelPowerset(alpha=10.0), positives_only=True, missing_rate=0.4, random_state=0
    ).fit(X, marks)
    assert (model.completed_ >= marks).all()
    added = model.completed_ > marks
    assert added.any()
    assert Y[added].mean() > Y[marks == 0].mean()


def test_decoder_is_the_estimators_own_unless_given():
    plain = LabelCompletion(BinaryRelevance(decoder="f1"), random_state=0).fit(X, HOLED)
    np.testing.assert_array_equal(plain.predict(X), plain.estimator_.predict(X))
    other = LabelCompletion(BinaryRelevance(), decoder="f1", random_state=0).fit(X, HOLED)
    np.testing.assert_array_equal(other.predict(X), plain.predict(X))


def test_an_empty_set_is_answered_only_if_a_completed_row_is_empty():
    marks = np.where(Y.any(axis=1)[:, None], Y, 1).astype(float)
    assert not LabelCompletion(LabelPowerset(alpha=1.0), random_state=0).fit(X, marks).empty_seen_


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"completion": "guess"}, "'completion' parameter"),
        ({"estimator": LogisticRegression()}, "no predict_joint"),
        ({"max_iter": 0}, "max_iter"),
        ({"error_rate": 0.0}, "'error_rate' parameter"),
        ({"missing_rate": 2.0, "positives_only": True}, "'missing_rate' parameter"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(change, words):
    parameters = {"estimator": LabelPowerset(alpha=1.0), **change}
    with pytest.raises(ValueError, match=words):
        LabelCompletion(**parameters).fit(X, HOLED)
