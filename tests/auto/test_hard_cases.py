"""LabelSetClassifier on hard data, with failing parts, interrupts and wrong arguments."""

import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import labelfield
from labelfield import LabelSetClassifier
from labelfield.decode import DECODERS


@pytest.mark.parametrize("n", [2, 3, 7, 19])
def test_few_rows(n, data):
    model = LabelSetClassifier().fit(data.X[:n], data.Y[:n])
    P = model.predict_proba(data.X)
    assert ((P >= 0) & (P <= 1)).all()
    confidence = model.predict_confidence(data.X)
    assert ((confidence > 0) & (confidence <= 1)).all()


def test_nineteen_rows_of_an_easy_rule_are_learned():
    X = np.linspace(-3.0, 3.0, 19)[:, None]
    Y = np.hstack([X > 0, X < 0]).astype(int)
    model = LabelSetClassifier().fit(X, Y)
    np.testing.assert_array_equal(model.predict([[-2.5], [2.5]]), [[0, 1], [1, 0]])


def test_one_row_cannot_be_judged(data):
    with pytest.raises(ValueError, match="n_samples=1 cannot be split"):
        LabelSetClassifier().fit(data.X[:1], data.Y[:1])


def test_one_label_as_a_vector_or_a_column(data):
    answers = [
        LabelSetClassifier(budget="quick").fit(data.X, Y).predict(data.X)
        for Y in (np.where(data.Y[:, 0], "yes", "no"), data.Y[:, 0], data.Y[:, [0]])
    ]
    words, numbers, column = answers
    np.testing.assert_array_equal(words == "yes", numbers == 1)
    np.testing.assert_array_equal(column, numbers[:, None])
    assert (numbers == data.Y[:, 0]).mean() > 0.7


def test_constant_labels_and_a_label_seen_once(data):
    Y = data.Y.copy()
    Y[:, 0], Y[:, 1], Y[:, 2] = 0, 1, 0
    Y[5, 2] = 1
    P = LabelSetClassifier().fit(data.X, Y).predict_proba(data.X)
    assert P[:, 0].max() < 0.05
    assert P[:, 1].min() > 0.95
    assert P[:, 2].max() < 0.5


@pytest.mark.parametrize("value", [0, 1])
def test_all_labels_constant(value, data):
    Y = np.full((40, 3), value)
    model = LabelSetClassifier().fit(data.X[:40], Y)
    np.testing.assert_array_equal(model.predict(data.X), np.full((260, 3), value))
    assert model.predict_confidence(data.X).min() > 0.8


def test_every_label_set_seen_once():
    rng = np.random.default_rng(0)
    Y = (np.arange(32)[:, None] >> np.arange(5) & 1).astype(int)
    X = Y + 0.1 * rng.normal(size=Y.shape)
    model = LabelSetClassifier().fit(X, Y)
    assert (model.predict(X) == Y).all(axis=1).mean() > 0.9


def test_ten_thousand_features_and_fifty_rows():
    rng = np.random.default_rng(0)
    Y = rng.integers(2, size=(100, 3))
    X = rng.normal(size=(100, 10_000))
    X[:, :1500] += np.repeat(Y, 500, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LabelSetClassifier().fit(X[:50], Y[:50])
    assert (model.predict(X[50:]) == Y[50:]).mean() > 0.9


def test_a_failing_base_is_named_and_left_out(data):
    failing = [("one class", LogisticRegression())]  # refuses a matrix of labels
    with pytest.warns(RuntimeWarning, match="Base 'one class' is left out of the fit"):
        model = LabelSetClassifier(budget="quick", extra_bases=failing).fit(data.X, data.Y)
    assert "one class" not in {row["member"] for row in model.leaderboard_}


def test_a_failing_member_is_named_and_left_out(data, monkeypatch):
    monkeypatch.setattr("labelfield.auto.members.FieldMember.fit", _fail)
    with pytest.warns(RuntimeWarning, match="Member 'field' is left out, it failed: no luck"):
        model = LabelSetClassifier().fit(data.X, data.Y)
    assert "field" not in {row["member"] for row in model.leaderboard_}
    assert model.predict(data.X).shape == data.Y.shape


def test_all_bases_failing_is_an_error_with_the_reasons(data, monkeypatch):
    monkeypatch.setattr("labelfield.auto.bases.LinearBase.hold_out", _fail)
    failing = [("one class", LogisticRegression())]
    with pytest.raises(ValueError, match=r"No base learner .* linear: no luck; one class: .*1d"):
        LabelSetClassifier(budget="quick", extra_bases=failing).fit(data.X, data.Y)


def test_an_interrupt_keeps_finished_bases(data, monkeypatch):
    monkeypatch.setattr("labelfield.auto.bases.ForestBase._grow", _interrupt)
    with pytest.warns(RuntimeWarning, match="'forest' is left out of the fit: interrupted"):
        model = LabelSetClassifier().fit(data.X, data.Y)
    assert {"linear", "kernel"} <= {row["member"] for row in model.leaderboard_}


def test_an_interrupt_keeps_finished_members(data, monkeypatch):
    monkeypatch.setattr("labelfield.auto.members.SetMember.fit", _interrupt)
    with pytest.warns(RuntimeWarning, match="Interrupted: the pool is made of independent, field"):
        model = LabelSetClassifier().fit(data.X, data.Y)
    assert model.predict_confidence(data.X).min() > 0


@pytest.mark.parametrize("where", ["bases.LinearBase.hold_out", "members.ProductMember.fit"])
def test_an_interrupt_before_anything_is_finished_ends_the_fit(where, data, monkeypatch):
    monkeypatch.setattr(f"labelfield.auto.{where}", _interrupt)
    with pytest.raises(KeyboardInterrupt):
        LabelSetClassifier(budget="quick").fit(data.X, data.Y)


def _fail(self, *arguments):
    raise ValueError("no luck")


def _interrupt(self, *arguments):
    raise KeyboardInterrupt


def test_a_file_with_a_base_of_another_package_is_trusted_by_name(data, tmp_path):
    X, Y, path = data.X[:60], data.Y[:60], tmp_path / "model.lf"
    extra = [("trees", RandomForestClassifier(5, random_state=0))]
    model = LabelSetClassifier(budget="quick", extra_bases=extra).fit(X, Y)
    names = ["sklearn.tree._tree.Tree"]
    with pytest.raises(ValueError, match=names[0]):
        labelfield.save(model, path)
    labelfield.save(model, path, trusted=names)
    with pytest.raises(ValueError, match=names[0]):
        labelfield.load(path)
    again = labelfield.load(path, trusted=names)
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X))
    assert repr(again) == repr(model)


@pytest.mark.parametrize(
    "wrong",
    [{"budget": "slow"}, {"budget": -1.0}, {"metric": 3}, {"metric": "acc"}, {"extra_bases": "x"}],
)
def test_wrong_arguments_are_named(wrong, data):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        LabelSetClassifier(**wrong).fit(data.X, data.Y)


def test_a_wrong_metric_is_told_the_right_ones(data):
    with pytest.raises(ValueError) as told:
        LabelSetClassifier("accuracy").fit(data.X, data.Y)
    assert all(repr(name) in str(told.value) for name in DECODERS)


@pytest.mark.parametrize(
    ("bases", "words"),
    [
        ([("constant", DummyClassifier)], "'constant' is .* no predict_proba"),
        ([DummyClassifier()], "pairs"),
        ([("forest", DummyClassifier())], "'forest' is taken"),
        ([("pool", DummyClassifier())], "'pool' is taken"),
    ],
)
def test_wrong_bases_are_named(bases, words, data):
    with pytest.raises(ValueError, match=words):
        LabelSetClassifier(extra_bases=bases).fit(data.X, data.Y)
