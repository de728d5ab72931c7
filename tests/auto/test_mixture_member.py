"""The mixture among the members of the pool."""

from typing import NamedTuple

import numpy as np
import pytest

import labelfield
from labelfield import LabelSetClassifier
from labelfield.auto import layers
from labelfield.auto.members import MANY_COMPONENTS, N_COMPONENTS, MixtureMember, _n_components
from labelfield.datasets import make_multilabel
from labelfield.joints import IndependentJoint


class Rows(NamedTuple):
    Y: np.ndarray
    folds: list
    weights: np.ndarray | None

    def weight_of(self, rows):
        return None if self.weights is None else self.weights[rows]


@pytest.fixture(scope="module")
def many():
    return make_multilabel(n_samples=240, n_labels=10, random_state=0)


def members(model):
    return {row["member"] for row in model.leaderboard_}


@pytest.fixture(scope="module")
def fitted(many):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("labelfield.auto.classifier.LEAST_GAIN", -np.inf)
        return LabelSetClassifier().fit(many.X[:160], many.Y[:160])


def test_more_than_eight_labels_get_a_mixture(fitted, data):
    assert "mixture" in members(fitted)
    assert "mixture" not in members(LabelSetClassifier().fit(data.X[:60], data.Y[:60]))


def test_it_is_left_out_where_time_or_room_is_short(many, monkeypatch):
    X, Y = many.X[:60], many.Y[:60]
    assert "mixture" not in members(LabelSetClassifier(budget="quick").fit(X, Y))
    monkeypatch.setattr(layers, "MAX_MIXTURE_CELLS", Y.size - 1)
    assert "mixture" not in members(LabelSetClassifier().fit(X, Y))


@pytest.mark.parametrize("n_rows", [2, 9])
def test_a_handful_of_rows_does_without_it(many, n_rows):
    model = LabelSetClassifier().fit(many.X[:n_rows], many.Y[:n_rows])  # a warning would fail
    assert "mixture" not in members(model)


def test_the_pool_with_it_is_a_distribution(fitted, many):
    joint = fitted.predict_joint(many.X[160:165])
    every = (np.arange(2**10)[:, None] >> np.arange(10) & 1).astype(np.uint8)
    total = np.exp(joint.log_scores_of(every)).sum(axis=1)
    np.testing.assert_allclose(total, 1.0, atol=1e-9)
    np.testing.assert_allclose(
        joint.marginals(), np.exp(joint.log_scores_of(every)) @ every, atol=1e-8
    )


def test_it_learns_from_known_labels_and_travels_in_files(many, tmp_path, monkeypatch):
    monkeypatch.setattr("labelfield.auto.classifier.LEAST_GAIN", -np.inf)
    Y = many.Y[:120].astype(float)
    Y[::5, 3] = np.nan
    model = LabelSetClassifier().fit(many.X[:120], Y)
    assert "mixture" in members(model)
    model.save(tmp_path / "pool.lf")
    again = labelfield.load(tmp_path / "pool.lf")
    np.testing.assert_array_equal(again.predict(many.X[160:]), model.predict(many.X[160:]))


def test_one_that_gains_little_on_the_first_fold_is_not_fitted_again(many, monkeypatch):
    X, Y = many.X[:60], many.Y[:60]
    fits, fit = [], MixtureMember.fit
    monkeypatch.setattr(MixtureMember, "fit", lambda *given: fits.append(1) or fit(*given))
    monkeypatch.setattr("labelfield.auto.classifier.LEAST_GAIN", 100.0)
    assert "mixture" not in members(LabelSetClassifier().fit(X, Y))
    assert len(fits) == 1
    assert "mixture" in members(LabelSetClassifier(budget="best").fit(X, Y))  # whatever it gains
    assert len(fits) == 1 + 6


@pytest.mark.parametrize("weighted", [False, True])
def test_the_gain_is_that_of_the_best_share_of_the_new_member(weighted):
    rng = np.random.default_rng(0)
    Y = rng.integers(2, size=(30, 4))
    old, new = (IndependentJoint(rng.normal(size=(10, 4))) for _ in range(2))
    weight = rng.random(30) if weighted else None
    rows = np.arange(30)
    data = Rows(Y, [(rows[10:], rows[:10])], weight)
    of_old, of_new = (joint.log_prob(Y[:10].astype(np.uint8)) for joint in (old, new))

    def mean(share):
        pooled = np.logaddexp(np.log1p(-share) + of_old, np.log(share) + of_new)
        return np.average(pooled, weights=None if weight is None else weight[:10])

    best = max(mean(share) for share in np.linspace(1e-6, 1 - 1e-6, 2001))
    expected = best - np.average(of_old, weights=None if weight is None else weight[:10])
    np.testing.assert_allclose(layers.gain_of(new, {"old": [old]}, data), expected, atol=1e-5)


def test_few_labels_and_rows_get_many_components():
    assert _n_components(2000, 14) == MANY_COMPONENTS
    assert _n_components(2000, 45) == N_COMPONENTS
    assert _n_components(20_000, 14) == N_COMPONENTS
