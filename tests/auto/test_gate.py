"""Weights of the members that depend on the row."""

import numpy as np
import pytest

import labelfield
from labelfield import LabelSetClassifier
from labelfield.auto import pooling
from labelfield.kernels.sets.bits import all_sets


@pytest.fixture(scope="module")
def rows():
    """Return rows whose sets are a handful on one side, and anything at all on the other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    copies = np.repeat(X[:, 1:2] + 0.3 * rng.normal(size=(500, 1)) > 0, 7, axis=1)
    chance = rng.random((500, 7)) < 0.5
    return X, np.where(X[:, :1] > 0, copies, chance).astype(np.uint8)


@pytest.fixture(scope="module")
def gated(rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pooling, "MIN_GATE_ROWS", 100)
        return LabelSetClassifier().fit(rows[0][:400], rows[1][:400])


@pytest.fixture(scope="module")
def plain(rows):
    return LabelSetClassifier().fit(rows[0][:400], rows[1][:400])


def test_few_rows_get_weights_alike(plain, rows):
    log_weights = plain.predict_joint(rows[0][400:]).log_weights
    np.testing.assert_array_equal(log_weights, np.tile(log_weights[0], (100, 1)))


def test_the_pool_is_that_of_the_members_with_the_weights_of_the_row(gated, rows):
    joint = gated.predict_joint(rows[0][400:])
    sets, weights = all_sets(7), np.exp(joint.log_weights)
    assert np.ptp(weights, axis=0).max() > 0.2
    assert joint.names == list(gated.weights_)
    p = sum(
        weights[:, [m]] * np.exp(member.log_scores_of(sets) - member.log_normalizer()[:, None])
        for m, member in enumerate(joint.joints)
    )
    np.testing.assert_allclose(np.exp(joint.log_scores_of(sets)), p, atol=1e-9)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(gated.predict(rows[0][400:]), sets[p.argmax(axis=1)])
    np.testing.assert_allclose(gated.predict_confidence(rows[0][400:]), p.max(axis=1))


def test_sureness_is_that_of_all_sets(gated, rows):
    plain = gated.predict_joint(rows[0][400:])
    product = plain.joints[plain.names.index("independent")]
    seen, possible = all_sets(7)[1::3], np.ones((100, 43), dtype=bool)
    possible[:, 5] = False
    found = pooling.sureness(plain, product, seen, possible)
    p, of_product = (np.exp(joint.log_scores_of(all_sets(7))) for joint in (plain, product))
    of_product /= of_product.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(found[:, 0]), p.max(axis=1))
    np.testing.assert_allclose(
        np.exp(found[:, 1]), np.delete(of_product[:, 1::3], 5, axis=1).sum(axis=1)
    )


def test_held_out_rows_are_likelier_with_the_gate(gated, plain, rows):
    assert gated.leaderboard_[0]["log_likelihood"] > plain.leaderboard_[0]["log_likelihood"]
    X, Y = rows[0][400:], rows[1][400:]
    with_gate, without = (model.predict_joint(X).log_prob(Y).mean() for model in (gated, plain))
    assert with_gate > without


def test_it_does_not_matter_which_rows_are_asked_together(gated, rows):
    X = rows[0][400:]
    whole = gated.predict_confidence(X)
    np.testing.assert_allclose(gated.predict_confidence(X[40:60]), whole[40:60])


def test_saved_files_keep_the_gate(gated, rows, tmp_path):
    labelfield.save(gated, tmp_path / "model.lf")
    loaded = labelfield.load(tmp_path / "model.lf")
    np.testing.assert_array_equal(
        loaded.predict_joint(rows[0][400:]).log_weights,
        gated.predict_joint(rows[0][400:]).log_weights,
    )


def test_unknown_labels_and_weights_are_taken(rows, monkeypatch):
    monkeypatch.setattr(pooling, "MIN_GATE_ROWS", 100)
    X, Y = rows[0][:300], rows[1][:300].astype(float)
    Y[::10, 0] = np.nan
    model = LabelSetClassifier(budget="quick").fit(
        X, Y, sample_weight=np.r_[np.zeros(50), [1] * 250]
    )
    p = np.exp(model.predict_joint(X[:20]).log_scores_of(all_sets(7)))
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
