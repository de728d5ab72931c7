import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import log_expit, logit

from labelfield import (
    BinaryRelevance,
    ChainJoint,
    FactorGraph,
    IsingJoint,
    LabelPowerset,
    PooledJoint,
    RBMJoint,
)
from labelfield.datasets import make_multilabel
from labelfield.joints import IndependentJoint, explain_set
from labelfield.joints.explanation import _feature_terms
from labelfield.kernels.sets.bits import all_sets
from labelfield.rules import LabelRules


@pytest.fixture(scope="module")
def joint():
    rng = np.random.default_rng(0)
    graph = FactorGraph(5, [(0, 1), (1, 2), (3, 4), (0, 2, 4)])
    return IsingJoint(rng.normal(size=(3, 5)), graph, 2 * rng.normal(size=(3, 4)))


@pytest.mark.parametrize("row", [0, 2])
@pytest.mark.parametrize("labels", [None, [1, 1, 1, 0, 1], [0, 0, 0, 0, 0]])
def test_log_odds_of_a_label_are_what_flipping_it_costs(joint, row, labels):
    why = explain_set(joint, row, labels=labels)
    one = joint.take(np.array([row]))
    chosen = one.mode()[0] if labels is None else np.array(labels, dtype=np.uint8)
    assert why.score == pytest.approx(one.log_score(chosen[None])[0])
    for reason in why.reasons:
        k = int(reason.label[1:])
        with_label, without = chosen.copy(), chosen.copy()
        with_label[k], without[k] = 1, 0
        scores = one.log_score(np.stack([with_label, without])[None])[0]
        assert reason.log_odds == pytest.approx(scores[0] - scores[1])
        assert reason.present == chosen[k]


def test_the_best_set_holds_the_labels_with_positive_log_odds(joint):
    for reason in explain_set(joint, 1).reasons:
        assert (reason.log_odds > 0) == reason.present


@pytest.mark.parametrize(
    "wrong",
    [{"labels": [1, 0]}, {"labels": [2, 0, 0, 0, 0]}, {"names": ["a"]}, {"row": 3}, {"row": -1}],
)
def test_arguments_are_checked(joint, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        explain_set(joint, **wrong)


def test_an_impossible_set_is_explained_by_its_marginals_and_weights(joint):
    listed = joint.restrict(np.eye(5, dtype=np.uint8))
    why = explain_set(PooledJoint([listed, listed], [0.7, 0.3]), 1, labels=[1, 1, 0, 0, 0])
    assert why.probability == 0.0
    assert [part.share for part in why.parts] == pytest.approx([0.7, 0.3])
    marginals = listed.marginals()[1]
    own = {reason.label: reason.own for reason in why.reasons}
    assert own["y3"] == pytest.approx(logit(marginals[3]))


def test_hidden_units_of_a_machine_are_named():
    joint = RBMJoint([[-1.0, -1.0]], [[3.0], [3.0]], [-3.0])
    reason = explain_set(joint, labels=[1, 1]).reasons[0]
    assert dict(reason.others) == pytest.approx(
        {"hidden unit 0": np.log1p(np.exp(3.0)) - np.log1p(np.exp(0.0))}
    )


def test_later_labels_of_a_chain_speak_for_earlier_ones():
    joint = ChainJoint.linear([[0.5, -2.0]], coupling=[[0.0, 0.0], [4.0, 0.0]])
    first, second = explain_set(joint, names=["sea", "beach"]).reasons
    assert (first.label, second.label) == ("sea", "beach")
    assert first.others == [("beach", pytest.approx(log_expit(2.0) - log_expit(-2.0)))]
    assert second.others == [("sea", pytest.approx(4.0))]


@pytest.fixture(scope="module")
def data():
    return make_multilabel(n_samples=80, n_features=8, n_labels=3, random_state=0)


def test_models_explain_their_predictions_down_to_named_features(data):
    frame = pd.DataFrame(data.X, columns=[f"size {j}" for j in range(8)])
    model = BinaryRelevance().fit(frame, data.Y)
    why = model.explain(frame[:2])[1]
    coef, intercept = model.problems_.coef, model.problems_.intercept
    for reason in why.reasons:
        k = int(np.flatnonzero(model.label_names_ == reason.label)[0])
        *best, other, constant = reason.features
        added = dict(zip(frame.columns, data.X[1] * coef[:, k]))
        assert len(best) == 5
        assert all(value == pytest.approx(added.pop(name)) for name, value in best)
        assert other == ("other features", pytest.approx(sum(added.values())))
        assert constant == ("constant", pytest.approx(intercept[k]))
    assert "alone:" in repr(why)


def test_models_explain_given_sets_and_single_targets(data):
    model = LabelPowerset(alpha=1.0).fit(data.X, data.Y)
    sparse = sp.csr_matrix(1 - model.predict(data.X[:2]))
    for why, labels in zip(model.explain(data.X[:2], sparse), sparse.toarray()):
        assert why.labels == tuple(model.label_names_[labels == 1])
    with pytest.raises(ValueError, match="sets must have shape"):
        model.explain(data.X[:2], sparse[:, :2])
    flat = BinaryRelevance().fit(sp.csr_matrix(data.X), data.Y[:, 0])
    why = flat.explain(sp.csr_matrix(data.X[:1]))[0]
    assert why.reasons[0].present == flat.predict(data.X[:1])[0]
    assert why.reasons[0].others == []


def test_explanations_say_when_a_rule_decided():
    rules = LabelRules(["flu", "fever", "mild", "severe"]).implies("flu", "fever")
    rules = rules.exclusive("mild", "severe")
    joint = IndependentJoint([[3.0, -1.0, 2.0, 1.5]])
    why = explain_set(joint.given_rules(rules), names=rules.label_names)
    assert why.labels == ("flu", "fever", "mild")
    decided = {reason.label: reason.rules for reason in why.reasons if reason.by_rule}
    assert decided == {
        "fever": ["flu implies fever"],
        "severe": ["mild, severe exclude each other"],
    }
    assert "by the rule: flu implies fever" in repr(why)
    free = explain_set(joint, names=rules.label_names)
    assert not any(reason.by_rule or reason.rules for reason in free.reasons)
    listed = joint.restrict(all_sets(4)).given_rules(rules)
    again = explain_set(listed, names=rules.label_names)
    assert {r.label for r in again.reasons if r.by_rule} >= {"fever", "severe"}


def test_features_that_say_the_same_stay_in_the_order_of_their_columns():
    names = ["a", "b", "c", "d"]
    added = np.array([0.5, 2.0, 2.0 * (1 + 1e-12), -3.0])
    terms = _feature_terms(0.0, added, names)
    assert [name for name, _ in terms] == ["d", "b", "c", "a", "constant"]
    assert _feature_terms(1.0, np.zeros(2), names[:2]) == [("constant", 1.0)]
