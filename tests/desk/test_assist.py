"""Live answers of the desk against enumeration over all sets."""

import numpy as np
import pytest

from labelfield import BinaryRelevance, CalibratedSetClassifier, LabelRules
from labelfield.datasets import make_multilabel
from labelfield.desk.assist import Consultation, DeskModel
from labelfield.desk.assist.promise import ask_first
from labelfield.joints import (
    CandidateJoint,
    IndependentJoint,
    IsingJoint,
    MixtureJoint,
    PooledJoint,
    SupportJoint,
)
from labelfield.kernels.sets.bits import all_sets

L = 5


def joints(n_labels=L):
    rng = np.random.default_rng(3)
    product = IndependentJoint(rng.normal(0, 2, (1, n_labels)))
    mixture = MixtureJoint(np.log([[0.3, 0.7]]), rng.normal(0, 2, (1, 2, n_labels)))
    sets = np.unique(rng.integers(0, 2, (20, n_labels)).astype(np.uint8), axis=0)
    listed = SupportJoint(sets, np.log(rng.dirichlet(np.ones(len(sets)), 1)))
    edges = [(j, j + 1) for j in range(n_labels - 1)]
    return {
        "product": product,
        "mixture": mixture,
        "listed": listed,
        "pool": PooledJoint([product, mixture, listed], [0.2, 0.3, 0.5]),
        "candidates": CandidateJoint(mixture, mixture.top_k(2)[0], [[0.6, 0.1]]),
        "field": IsingJoint(
            rng.normal(0, 1, (1, n_labels)), edges=edges, coupling=rng.normal(0, 2, len(edges))
        ),
    }


@pytest.mark.parametrize("kind", joints())
@pytest.mark.parametrize("known", [[1, None, None, 0, None], [None] * 5, [None, 0, None, None, 1]])
def test_live_answers_equal_enumeration(kind, known):
    joint = joints()[kind]
    known = np.array([np.nan if one is None else one for one in known], dtype=float)
    sets = all_sets(L)
    p = np.exp(joint.log_prob(np.broadcast_to(sets, (1, *sets.shape))))[0]
    p = p * (np.isnan(known) | (sets == known)).all(axis=1)
    p /= p.sum()
    given = Consultation(joint).given(known)
    np.testing.assert_allclose(given.probabilities, p @ sets, atol=1e-9)
    assert given.probability == pytest.approx(p.max())
    assert p[(sets == given.best).all(axis=1)][0] == pytest.approx(p.max())
    assert given.possible
    assert given.listed is None


@pytest.mark.parametrize("kind", joints())
def test_ask_first_is_the_label_of_the_largest_doubt(kind):
    joint = joints()[kind]
    p = joint.marginals()[0]
    assert ask_first(joint, np.full(L, np.nan)) == np.argmin(np.abs(p - 0.5))


def test_other_joints_answer_from_their_best_sets_and_say_so():
    joint = joints(20)["field"]
    known = np.full(20, np.nan)
    known[[0, 5]] = 1 - joint.mode()[0, [0, 5]]  # unexpected: hardly a listed set agrees
    given = Consultation(joint).given(known)
    assert given.listed == 1000
    exact = joint.condition(known[None]).marginals()[0]
    assert np.abs(given.probabilities - exact).max() < 0.15
    assert given.possible
    assert (given.best[[0, 5]] == known[[0, 5]]).all()


def test_what_the_model_holds_for_impossible_is_said():
    joint = SupportJoint([[1, 0], [0, 1]], np.log([[0.9, 0.1]]))
    given = Consultation(joint).given(np.array([1.0, 1.0]))
    assert not given.possible
    np.testing.assert_allclose(given.probabilities, [0.9, 0.1])


def test_the_empty_set_is_best_only_where_it_may_or_must_be():
    joint = IndependentJoint.from_probabilities([[0.1, 0.3, 0.2]])
    nothing, none = np.full(3, np.nan), np.zeros(3)
    assert Consultation(joint).given(nothing).best.tolist() == [0, 0, 0]
    careful = Consultation(joint, allow_empty=False)
    assert careful.given(nothing).best.tolist() == [0, 1, 0]
    assert careful.given(nothing).probability == pytest.approx(0.9 * 0.3 * 0.8)
    assert careful.given(none).best.tolist() == [0, 0, 0]


def test_nothing_to_ask_where_all_is_known():
    assert Consultation(joints()["pool"]).given(np.ones(L)).ask is None


@pytest.fixture(scope="module")
def data():
    return make_multilabel(n_samples=200, n_features=4, n_labels=3, random_state=0)


def test_a_model_says_what_it_accepts(data):
    fitted = CalibratedSetClassifier(BinaryRelevance(alpha=0.1), promise=0.5).fit(data.X, data.Y)
    told = DeskModel(fitted).predictions(data.X, accuracy=0.2)
    route = fitted.route(data.X, accuracy=0.2)
    np.testing.assert_array_equal(told.accepted, route.accept)
    np.testing.assert_array_equal(told.sets, fitted.predict(data.X))
    assert f"{route.threshold:.3f}" in told.promise.words
    strict = DeskModel(fitted).predictions(data.X, accuracy=0.999)
    assert not strict.accepted.any()
    assert "cannot be promised: the best that can be promised is" in strict.promise.words
    model = DeskModel(fitted)
    listed = model.alternatives(data.X, 0, model.consult(data.X, 0), 5)
    assert listed.coverage == 0.9
    assert 1 <= len(listed.sets) <= 5


def test_a_model_without_a_promise_has_everything_reviewed(data):
    model = DeskModel(BinaryRelevance(alpha=0.1).fit(data.X, data.Y))
    told = model.predictions(data.X)
    assert not told.accepted.any()
    assert "every case is reviewed" in told.promise.words
    assert model.about(told.promise)["threshold"] is None


def test_rules_and_reasons(data):
    names = [f"y{j}" for j in range(3)]
    rules = LabelRules(names).implies("y0", "y1")
    fitted = BinaryRelevance(alpha=0.1, rules=rules, on_violation="close").fit(data.X, data.Y)
    model = DeskModel(fitted, columns=["a", "b", "c", "d"])
    assert model.broken_rules(np.array([1, 0, 0])) == ["y0 implies y1"]
    assert model.broken_rules(np.array([1, 1, 0])) == []
    reasons = model.reasons(data.X, 0, np.array([1, 1, 0]))
    assert set(reasons) == {"y0", "y1"}
    with pytest.raises(ValueError, match="no label 'nobody'"):
        model.as_known({"nobody": True})
