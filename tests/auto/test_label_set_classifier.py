"""The classifier that chooses everything itself."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import labelfield
from labelfield import BinaryRelevance, LabelRules, LabelSetClassifier
from labelfield.auto import layers
from labelfield.auto.evidence import ListedSets
from labelfield.auto.features import Features
from labelfield.auto.plan import plan_bases
from labelfield.decode import DECODERS
from labelfield.joints import PooledJoint


@pytest.fixture(scope="module")
def balanced(data):
    return LabelSetClassifier().fit(data.X[:200], data.Y[:200])


def test_it_is_a_pool_of_members(balanced, data):
    joint = balanced.predict_joint(data.X[200:])
    assert isinstance(joint, PooledJoint)
    assert joint.names == list(balanced.weights_)
    np.testing.assert_allclose(sum(balanced.weights_.values()), 1.0)
    np.testing.assert_allclose(
        np.exp(joint.log_scores_of(_all_sets(4))).sum(axis=1), 1.0, atol=1e-9
    )


def _all_sets(n_labels):
    return (np.arange(2**n_labels)[:, None] >> np.arange(n_labels) & 1).astype(np.uint8)


def test_confidence_is_the_probability_of_the_set_everywhere(balanced, data):
    X = data.X[200:]
    joint = balanced.predict_joint(X)
    sets, log_prob = joint.top_k(1, allow_empty=balanced.empty_seen_)
    np.testing.assert_array_equal(balanced.predict(X), sets[:, 0])
    np.testing.assert_allclose(balanced.predict_confidence(X), np.exp(log_prob[:, 0]))
    f1 = balanced.predict(X, decoder="f1")
    np.testing.assert_allclose(balanced.confidence_of(X, f1), np.exp(joint.log_prob(f1)))


def test_held_out_confidence_matches_accuracy(balanced):
    rows = balanced.reviewed_rows_
    confidence, right = rows.confidence, rows.values()
    assert not rows.exact
    assert len(confidence) == 200
    assert abs(confidence.mean() - right.mean()) < 0.1


def test_route_and_curve(balanced, data):
    route = balanced.route(data.X[200:], accuracy=0.3)
    assert route.accept.shape == (60,)
    share, accuracy, threshold = balanced.automation_curve(data.X[200:], data.Y[200:])
    assert len(share) == len(accuracy) == len(threshold)


def test_leaderboard_shows_bases_members_and_the_pool(balanced):
    board = balanced.leaderboard_
    names = [row["member"] for row in board]
    assert names[0] == "pool"
    assert {"linear", "kernel", "forest", "independent", "field", "sets"} <= set(names)
    best = max(row["log_likelihood"] for row in board[1:])
    assert board[0]["log_likelihood"] > best - 0.05
    assert str(board).splitlines()[0].startswith("member")
    assert board._repr_html_().startswith("<table>")


def test_it_beats_binary_relevance_where_labels_depend_on_each_other():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    first = X[:, 0] * X[:, 1] > 0  # no linear model finds it
    Y = np.stack([first, first, X[:, 2] > 0], axis=1).astype(int)
    train, test = slice(400), slice(400, None)
    ours = LabelSetClassifier().fit(X[train], Y[train]).predict(X[test])
    theirs = BinaryRelevance().fit(X[train], Y[train]).predict(X[test])
    right = [(answer == Y[test]).all(axis=1).mean() for answer in (ours, theirs)]
    assert right[0] > right[1] + 0.2


def test_it_shows_what_it_is_made_of(balanced):
    assert repr(LabelSetClassifier(budget="quick")) == "LabelSetClassifier(budget='quick')"
    first, figures, pool = repr(balanced).splitlines()
    board = balanced.leaderboard_
    assert first == "LabelSetClassifier()"
    assert f"exact match {board[0]['exact_match']:.3f}" in figures
    heaviest = max(balanced.weights_, key=balanced.weights_.get)
    assert pool.startswith("Pool: ")
    assert pool.split(" % ")[1].startswith(heaviest)
    page = balanced._repr_html_()
    assert "sk-container" in page
    assert board._repr_html_() in page


class Told:
    """A callback that keeps the names of tasks as they begin and end."""

    def __init__(self):
        self.begun, self.ended = [], []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        self.begun.append((context.task_name, context.max_subtasks))

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)


def test_callbacks_are_told_what_is_being_fitted(data):
    told = Told()
    LabelSetClassifier().set_callbacks(told).fit(data.X[:60], data.Y[:60])
    parts = [(name, total) for name, total in told.begun if name != "fold"]
    bases = [("linear", 1), ("kernel", 1), ("forest", 5)]
    assert parts == [("fit", 4), *bases, ("label dependence", None)]
    at = told.begun.index(("forest", 5))
    assert told.begun[at + 1 : at + 6] == 5 * [("fold", 0)]
    assert sorted(told.ended) == sorted(name for name, _ in told.begun)


@pytest.mark.parametrize("metric", DECODERS)
def test_the_metrics_are_the_short_names_of_the_decoders(metric, data):
    """`predict` decides as `predict(decoder=)` of a model that was fitted for another metric."""
    model = LabelSetClassifier(metric, budget="quick").fit(data.X, data.Y)
    other = LabelSetClassifier(budget="quick").fit(data.X, data.Y)
    np.testing.assert_array_equal(model.predict(data.X), other.predict(data.X, decoder=metric))


def test_same_seed_same_answer(data):
    fits = [LabelSetClassifier(random_state=3).fit(data.X, data.Y) for _ in range(2)]
    first, second = (model.predict_proba(data.X) for model in fits)
    np.testing.assert_array_equal(first, second)


def test_a_saved_model_answers_the_same_and_needs_no_trust(tmp_path, data):
    model = LabelSetClassifier(budget="best").fit(data.X[:80], data.Y[:80])
    model.save(tmp_path / "model.lf")
    again = labelfield.load(tmp_path / "model.lf")
    np.testing.assert_allclose(again.predict_proba(data.X), model.predict_proba(data.X))
    assert {"boosted", "forest", "kernel"} <= {row["member"] for row in again.leaderboard_}


def test_texts_and_tables_are_read_as_they_come(data):
    texts = [
        " ".join(f"word{j}" for j, y in enumerate(row) if y) + f" and {i}"
        for i, row in enumerate(data.Y)
    ]
    model = LabelSetClassifier(budget="quick").fit(texts[:200], data.Y[:200])
    assert (model.predict(texts[200:]) == data.Y[200:]).all(axis=1).mean() > 0.9
    frame = pd.DataFrame({"note": texts, "size": data.X[:, 0], "kind": ["a", "b"] * 130})
    frame.loc[::7, "size"] = np.nan
    model = LabelSetClassifier(budget="quick").fit(frame[:200], data.Y[:200])
    assert (model.predict(frame[200:]) == data.Y[200:]).all(axis=1).mean() > 0.9


def test_unknown_labels_are_learned_around(data):
    Y = data.Y.astype(float)
    Y[np.random.default_rng(0).random(Y.shape) < 0.2] = np.nan
    model = LabelSetClassifier().fit(data.X[:200], Y[:200])
    assert "field" in {row["member"] for row in model.leaderboard_}
    full = LabelSetClassifier().fit(data.X[:200], data.Y[:200])
    both = [m.predict_joint(data.X[200:]).log_prob(data.Y[200:]).mean() for m in (model, full)]
    assert both[0] > both[1] - 0.5


def test_rows_of_no_weight_are_not_there(data):
    weight = (np.arange(260) < 150).astype(float)
    weighted = LabelSetClassifier(budget="quick").fit(data.X, data.Y, sample_weight=weight)
    alone = LabelSetClassifier(budget="quick").fit(data.X[:150], data.Y[:150])
    answers = [model.predict_proba(data.X) for model in (weighted, alone)]
    np.testing.assert_allclose(*answers, atol=1e-6)


def test_a_budget_of_seconds_leaves_out_what_takes_longer(data):
    model = LabelSetClassifier(budget=1e-6).fit(data.X, data.Y)
    assert "forest" not in {row["member"] for row in model.leaderboard_}
    assert model.predict(data.X[:2]).shape == (2, 4)
    model = LabelSetClassifier(budget=1e6).fit(data.X[:60], data.Y[:60])
    assert {"kernel", "forest", "boosted"} <= {row["member"] for row in model.leaderboard_}


def test_extra_bases_join(data):
    extra = [("trees", RandomForestClassifier(20, random_state=0))]
    model = LabelSetClassifier(budget="quick", extra_bases=extra).fit(data.X, data.Y)
    assert "trees" in {row["member"] for row in model.leaderboard_}


def test_rules_are_kept_by_every_answer(data):
    rules = LabelRules([f"y{j}" for j in range(4)]).implies("y0", "y1").exclusive("y2", "y3")
    model = LabelSetClassifier(budget="quick", rules=rules, on_violation="keep")
    model.fit(data.X, data.Y)
    for name in ("subset", "f1", "hamming"):
        assert rules.keeps(model.predict(data.X, decoder=name)).all()
    joint = model.predict_joint(data.X)
    np.testing.assert_allclose(
        model.predict_confidence(data.X), np.exp(joint.log_prob(model.predict(data.X)))
    )


def test_learned_decisions_are_fitted_on_held_out_rows(data):
    model = LabelSetClassifier("threshold_f1_macro", budget="quick").fit(data.X, data.Y)
    thresholds = model._fitted_decoder.thresholds_
    expected = model.predict_proba(data.X) > thresholds
    np.testing.assert_array_equal(model.predict(data.X), expected)


def test_thresholds_need_no_second_fit(balanced, data):
    learned = LabelSetClassifier("threshold_f1_macro").fit(data.X[:200], data.Y[:200])
    np.testing.assert_array_equal(
        balanced.predict(data.X, decoder="threshold_f1_macro"), learned.predict(data.X)
    )


def test_learners_whose_tables_grow_with_the_rows_are_left_out_of_large_data():
    for n, wanted in ((30_000, {"linear", "forest"}), (200_000, {"linear"})):
        X = np.broadcast_to(np.zeros(1), (n, 3))
        bases = plan_bases(Features(X, X, X, X), 2, "balanced")
        assert {base.name for base in bases} == wanted


def test_blocks_of_new_rows_leave_room_for_the_kernel(balanced, data, monkeypatch):
    assert balanced._bytes_per_row() > 24 * 200
    whole = balanced.predict_proba(data.X)
    monkeypatch.setattr(type(balanced), "_row_blocks", lambda self, X: [slice(0, 7), slice(7, 260)])
    np.testing.assert_allclose(balanced.predict_proba(data.X), whole, atol=1e-9)


def test_listed_sets_are_the_most_frequent(monkeypatch):
    monkeypatch.setattr("labelfield.auto.evidence.MAX_CELLS", 12)
    Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [0, 0]], dtype=np.uint8)
    listed = ListedSets.of(Y)
    assert listed.sets.tolist() == [[0, 1], [1, 0]]
    assert listed.of_row.tolist() == [1, 1, 0, 0, -1, -1]
    assert listed.counts(np.arange(3)).tolist() == [1, 2]


def test_many_rows_get_a_softmax_over_sets(tmp_path, monkeypatch):
    """Labels that exclude each other, as independent labels cannot say."""
    monkeypatch.setattr(layers, "MAX_PRODUCT_CELLS", 0)
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=300)
    X = np.eye(4)[truth] + rng.normal(size=(300, 4))
    model = LabelSetClassifier(budget="quick").fit(X, np.eye(4, dtype=int)[truth])
    found = {row["member"]: row["log_likelihood"] for row in model.leaderboard_}
    assert found["set logit"] > found["independent"] + 0.2
    model.save(tmp_path / "m.lf")
    again = labelfield.load(tmp_path / "m.lf")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    slopes = [one._layers.members["set logit"].logit.slope_ for one in (model, again)]
    np.testing.assert_array_equal(*slopes)
    np.testing.assert_array_equal(
        again.predict(X, decoder="tilted_subset"), model.predict(X, decoder="tilted_subset")
    )
