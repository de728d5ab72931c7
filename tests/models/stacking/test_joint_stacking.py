"""The pool of joint models: weights, failures, unknown labels, saved files."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import labelfield
from labelfield import BinaryRelevance, JointStacking, LabelPowerset, MLkNN, PooledJoint
from labelfield.datasets import hide_labels, make_multilabel
from labelfield.model_selection import MultilabelStratifiedKFold
from labelfield.models.stacking.weights import likelihood_weights

DATA = make_multilabel(n_samples=240, n_labels=4, coupling=2.0, random_state=0)
X, Y = DATA.X, DATA.Y
MEMBERS = [
    ("independent", BinaryRelevance()),
    ("sets", LabelPowerset(alpha=1.0)),
    ("near", MLkNN()),
]


@pytest.fixture(scope="module")
def model():
    return JointStacking(MEMBERS, cv=3).fit(X, Y)


def test_weights_are_those_of_the_out_of_fold_likelihood(model):
    log_prob = np.empty((len(Y), 3))
    for train, test in MultilabelStratifiedKFold(3, shuffle=True, random_state=0).split(X, Y):
        for m, (_, member) in enumerate(MEMBERS):
            fitted = clone(member).fit(X[train], Y[train])
            log_prob[test, m] = fitted.predict_joint(X[test]).log_prob(Y[test])
    expected = likelihood_weights(log_prob)
    for m, (name, _) in enumerate(MEMBERS):
        assert model.weights_.get(name, 0.0) == pytest.approx(expected[m], abs=2e-3)


def test_the_joint_is_the_pool_of_the_members(model):
    joint = model.predict_joint(X[:20])
    assert isinstance(joint, PooledJoint)
    p = sum(
        w * np.exp(model.estimators_[name].predict_joint(X[:20]).log_prob(Y[:20]))
        for name, w in model.weights_.items()
    )
    np.testing.assert_allclose(np.exp(joint.log_prob(Y[:20])), p)


def test_leaderboard_names_every_member_best_first(model):
    values = [row["log_likelihood"] for row in model.leaderboard_]
    assert values == sorted(values, reverse=True)
    assert {row["member"] for row in model.leaderboard_} == {name for name, _ in MEMBERS}
    assert model.log_likelihood_ >= max(values) - 1e-9


def test_a_failing_member_is_named_and_left_out():
    broken = [*MEMBERS[:1], ("broken", LabelPowerset(LogisticRegression(C=-1.0)))]
    with pytest.warns(RuntimeWarning, match="'broken' is left out.*'C' parameter"):
        model = JointStacking(broken, cv=2).fit(X, Y)
    assert list(model.weights_) == ["independent"]


def test_all_failing_is_an_error_that_lists_why():
    broken = LabelPowerset(LogisticRegression(C=-1.0))
    with pytest.raises(ValueError, match=r"No member.*a: .*'C'.*b: .*'C'"):
        JointStacking([("a", broken), ("b", broken)], cv=2).fit(X, Y)


def test_unknown_labels_leave_members_that_know_them():
    holed = hide_labels(Y, 0.3, how="entries", random_state=0)
    with pytest.warns(RuntimeWarning, match="'sets' is left out.*NaN"):
        model = JointStacking(MEMBERS[:2], cv=2).fit(X, holed)
    assert list(model.weights_) == ["independent"]


def test_exact_match_weights_do_not_lose_training_matches():
    plain = JointStacking(MEMBERS, cv=3).fit(X, Y)
    tuned = JointStacking(MEMBERS, cv=3, weighting="exact_match").fit(X, Y)
    assert sum(tuned.weights_.values()) == pytest.approx(1.0)
    assert set(plain.weights_) <= {name for name, _ in MEMBERS}


@pytest.mark.parametrize(
    ("estimators", "words"),
    [
        ([], "estimators is empty"),
        ([("a", BinaryRelevance()), ("a", LabelPowerset(alpha=1.0))], "not unique"),
        ([BinaryRelevance()], "pairs; got"),
        ([("a", LogisticRegression())], "'a' has no predict_joint"),
    ],
)
def test_wrong_estimators_are_named(estimators, words):
    with pytest.raises(ValueError, match=words):
        JointStacking(estimators).fit(X, Y)


def test_parameters_of_members_can_be_set():
    model = JointStacking(MEMBERS).set_params(sets__alpha=7.0)
    assert dict(model.estimators)["sets"].alpha == 7.0


def test_saved_file_answers_the_same(model, tmp_path):
    model.save(tmp_path / "pool.lf")
    again = labelfield.load(tmp_path / "pool.lf")
    np.testing.assert_array_equal(again.predict_proba(X[:30]), model.predict_proba(X[:30]))
