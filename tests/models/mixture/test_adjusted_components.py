"""Mixtures whose components adjust the log-odds of one classifier."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from labelfield import BinaryRelevance, ConditionalBernoulliMixture, load
from labelfield.calibrate import PrecomputedProbabilities
from labelfield.models.mixture.adjusted_components import AdjustedComponents
from labelfield.models.mixture.parts import log_bernoulli_sum

TREES = RandomForestClassifier(15, min_samples_leaf=3, random_state=0)


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 4))
    Y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(120, 3)) > 0.2).astype(np.uint8)
    Y[:, 2] &= 1 - Y[:, 0]
    return X, Y


def mixture(estimator=TREES, **parameters):
    fixed = {"n_components": 3, "early_stopping": False, "max_iter": 6, "random_state": 0}
    return ConditionalBernoulliMixture(estimator, structure="shared", **{**fixed, **parameters})


def test_em_never_lowers_the_penalised_likelihood(data):
    model = mixture(max_iter=12, tol=1e-8).fit(*data)
    assert model.n_iter_ > 3
    assert (np.diff(model.trace_.objective) < 1e-9).all()


def test_the_m_step_finds_the_minimum_of_its_objective(data):
    """Newton's steps, repeated, against a general solver."""
    _, Y = data
    rng = np.random.default_rng(0)
    T, gamma = rng.normal(size=Y.shape), rng.random((len(Y), 2))
    components = AdjustedComponents(scale_alpha=2.0, shift_alpha=0.5)
    components.start(T, Y, gamma)
    for _ in range(20):
        components.update(T, Y, gamma)

    def objective(theta):
        scale, shift = theta.reshape(2, 3)
        loss = -gamma[:, 1] @ log_bernoulli_sum(Y, T * scale + shift)
        return loss + 1.0 * ((scale - 1.0) ** 2).sum() + 0.25 * (shift**2).sum()

    best = minimize(objective, np.r_[np.ones(3), np.zeros(3)], tol=1e-12).x.reshape(2, 3)
    np.testing.assert_allclose([components.scale[1], components.shift[1]], best, atol=1e-4)


def test_steps_that_fail_are_shortened():
    """From far off, a whole Newton step of a logistic loss goes astray."""
    rng = np.random.default_rng(0)
    T = rng.normal(size=(50, 1))
    Y = (T > 0.3).astype(np.uint8)
    components = AdjustedComponents(scale_alpha=1e-6, shift_alpha=1e-6)
    components.start(T, Y, np.ones((50, 1)))
    components.shift[:] = -8.0
    values = []
    for _ in range(30):
        components.update(T, Y, np.ones((50, 1)))
        loss = -log_bernoulli_sum(Y, components.component_logits(0, T)).sum()
        values.append(float(loss + components.penalty()))
    assert (np.diff(values) <= 1e-12).all()
    assert values[-1] < 0.2 * values[0]


def test_a_component_without_rows_says_what_the_classifier_says():
    T = np.array([[0.5, -2.0], [1.0, 3.0]])
    Y = np.eye(2, dtype=np.uint8)
    components = AdjustedComponents()
    gamma = np.array([[1.0, 0.0], [1.0, 0.0]])
    components.start(T, Y, gamma)
    components.update(T, Y, gamma)
    np.testing.assert_allclose(components.component_logits(1, T), T)


def test_unknown_labels_are_not_learned_from(data):
    _, Y = data
    rng = np.random.default_rng(0)
    T, known = rng.normal(size=Y.shape), rng.random(Y.shape) < 0.6
    whole, other = Y * known, np.where(known, Y, rng.integers(2, size=Y.shape)).astype(np.uint8)
    found = []
    for labels in (whole, other):
        components = AdjustedComponents()
        components.start(T, labels, np.ones((len(Y), 1)), known)
        components.update(T, labels, np.ones((len(Y), 1)), known)
        found.append(components.scale.copy())
    np.testing.assert_array_equal(*found)


def test_it_finds_that_labels_exclude_each_other():
    """Features tell nothing, labels exclude each other: one component per label."""
    rng = np.random.default_rng(0)
    Y = np.eye(2, dtype=np.uint8)[rng.integers(2, size=400)]
    X = rng.normal(size=(400, 3))
    model = mixture(BinaryRelevance(alpha=100.0), n_components=2, max_iter=20).fit(X, Y)
    both = np.ones((400, 1, 2), dtype=np.uint8)
    assert np.exp(model.predict_joint(X).log_prob(both)).max() < 0.02
    assert (model.predict(X).sum(axis=1) == 1).all()


def test_early_stopping_judges_rows_by_their_own_log_odds(data):
    model = mixture(early_stopping=True, max_iter=8).fit(*data)
    assert 1 <= len(model.validation_scores_) <= 8


def test_probabilities_of_another_model(data):
    X, Y = data
    P = BinaryRelevance(alpha=1.0).fit(X, Y).predict_proba(X)
    model = mixture(PrecomputedProbabilities(), cv=2).fit(P, Y)
    assert model.predict(P).shape == Y.shape


def test_any_gate_sees_the_log_odds(data):
    X, Y = data
    model = mixture(gate=LogisticRegression()).fit(X, Y)
    assert model.gate_.fitted.n_features_in_ == Y.shape[1]


def test_unknown_labels_weights_and_files(data, tmp_path):
    X, Y = data
    holed = Y.astype(float)
    holed[::7, 1] = np.nan
    model = mixture(BinaryRelevance(alpha=1.0)).fit(X, holed, sample_weight=np.full(len(Y), 2.0))
    model.save(tmp_path / "mixture.labelfield")
    again = load(tmp_path / "mixture.labelfield")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_models_of_files_that_know_no_shared_classifier_answer(data):
    X, Y = data
    model = ConditionalBernoulliMixture(n_components=2, alpha=1.0, random_state=0).fit(X, Y)
    expected = model.predict_proba(X)
    del vars(model)["_source"], vars(model)["cv"]  # as such files leave them out
    np.testing.assert_array_equal(model.predict_proba(X), expected)
