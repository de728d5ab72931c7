"""The pairwise field against enumeration, finite differences and binary relevance."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import check_grad
from scipy.special import logsumexp
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from labelfield import BinaryRelevance, PairwiseCRF
from labelfield.joints import base as joints_base
from labelfield.learners import LogOddsSource
from labelfield.models.field.likelihoods import (
    SupportLikelihood,
    pair_indicators,
    pairs_seen,
    support_log_weights,
)
from labelfield.models.field.pairwise_crf import SupportLoss
from labelfield.models.field.terms import FeatureTerms, LogOddsTerms


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    Y = (X[:, :3] + rng.normal(size=(60, 3)) > 0.3).astype(np.uint8)
    Y[:, 1] |= Y[:, 0]
    return X, Y


def make_loss(terms, Y, own_weights):
    sets, codes = np.unique(Y, axis=0, return_inverse=True)
    likelihood = SupportLikelihood(sets, codes.ravel())
    return SupportLoss(terms, likelihood, sets, pairs_seen(Y, 2), Y, own_weights)


@pytest.mark.parametrize("own_weights", [False, True])
@pytest.mark.parametrize("features", ["dense", "sparse", "log-odds"])
def test_gradient_equals_finite_differences(data, features, own_weights):
    X, Y = data
    terms = {
        "dense": lambda: FeatureTerms(X, 3),
        "sparse": lambda: FeatureTerms(sp.csr_matrix(X), 3),
        "log-odds": lambda: LogOddsTerms(X[:, :3]),
    }[features]()
    loss = make_loss(terms, Y, own_weights)
    start = loss.join(np.zeros(terms.shape))
    at = start + np.random.default_rng(1).normal(size=start.shape)
    value, slope = (lambda theta, i=i: loss.value_and_gradient(theta)[i] for i in range(2))
    assert check_grad(value, slope, at) < 1e-4 * np.linalg.norm(slope(at))


@pytest.mark.parametrize("set_alpha", [None, 0.3])
@pytest.mark.parametrize("estimator", [None, BinaryRelevance()])
def test_the_penalised_likelihood_has_no_slope_left(data, estimator, set_alpha):
    X, Y = data
    model = PairwiseCRF(estimator, alpha=0.7, set_alpha=set_alpha, min_count=2, tol=1e-9)
    model.fit(X, Y)
    if estimator is None:
        terms = FeatureTerms(X, 3)
        unary = terms.parameters(model.coef_.T, model.intercept_)
        shrunk = 0.7 * np.vstack([unary[:-1], np.zeros((1, 3))])  # constants are free
    else:
        terms = LogOddsTerms(LogOddsSource(estimator, model.cv).fit_transform(X, Y))
        unary = np.vstack([model.coef_.T - 1.0, model.intercept_])
        shrunk = 0.7 * unary
    loss = make_loss(terms, Y, set_alpha is not None)
    own = [] if set_alpha is None else model.set_weight_
    theta = np.concatenate([unary.ravel(), model.coupling_, own])
    slope = loss.value_and_gradient(theta)[1]
    slope += np.concatenate(
        [shrunk.ravel(), 0.7 * model.coupling_, (set_alpha or 0.0) * np.array(own)]
    )
    assert np.abs(slope).max() < 1e-5


def test_likelihood_equals_a_loop(data, monkeypatch):
    X, Y = data
    sets, codes = np.unique(Y, axis=0, return_inverse=True)
    rng = np.random.default_rng(2)
    field, set_score = rng.normal(size=(60, 3)), rng.normal(size=len(sets))
    expected = 0.0
    for n, y in enumerate(Y):
        scores = [s @ field[n] + set_score[m] for m, s in enumerate(sets)]
        held = next(m for m, s in enumerate(sets) if (s == y).all())
        expected += logsumexp(scores) - scores[held]
    likelihood = SupportLikelihood(sets, codes.ravel())
    whole = likelihood.evaluate(field, set_score)
    monkeypatch.setattr(joints_base, "BLOCK_BYTES", 24 * len(sets) * 7)
    in_blocks = likelihood.evaluate(field, set_score)
    assert whole[0] == pytest.approx(expected)
    for one, other in zip(whole, in_blocks):
        np.testing.assert_allclose(one, other)
    log_weights = support_log_weights(sets, field, set_score)
    assert -log_weights[np.arange(60), codes.ravel()].sum() == pytest.approx(expected)


def test_pairs_seen_counts_rows():
    Y = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1], [1, 0, 0]])
    assert pairs_seen(Y, 2).tolist() == [[0, 1], [1, 2]]
    assert pairs_seen(Y, 9).shape == (0, 2)
    assert pair_indicators(Y.astype(np.uint8), pairs_seen(Y, 1)).toarray().tolist() == [
        [1, 0, 0],
        [1, 1, 1],
        [0, 0, 1],
        [0, 0, 0],
    ]


def test_without_couplings_and_with_all_sets_it_is_binary_relevance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    Y = (X[:, :2] + rng.normal(size=(100, 2)) > 0).astype(np.uint8)
    Y[:4] = list(itertools.product([0, 1], repeat=2))
    field = PairwiseCRF(min_count=1000, tol=1e-8).fit(X, Y)
    alone = BinaryRelevance(tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(field.predict_proba(X), alone.predict_proba(X), atol=1e-5)


def test_couplings_find_labels_that_go_together():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    common = rng.normal(size=200)
    noise = np.stack([common, 0.8 * common + 0.4 * rng.normal(size=200), rng.normal(size=200)], 1)
    Y = (0.5 * X[:, :1] + noise > 0).astype(np.uint8)
    model = PairwiseCRF(min_count=1).fit(X, Y)
    couplings = dict(zip(map(tuple, model.pairs_.tolist()), model.coupling_))
    assert couplings[0, 1] > 1.0 + abs(couplings[0, 2])
    assert (np.diff(model.trace_.objective) <= 0).all()


def test_field_on_log_odds_improves_the_likelihood_of_its_classifier(data):
    X, Y = data
    alone = BinaryRelevance().fit(X, Y)
    model = PairwiseCRF(BinaryRelevance(), set_alpha=1.0, min_count=1).fit(X, Y)
    before = alone.predict_joint(X).log_prob(Y).mean()
    assert model.predict_joint(X).log_prob(Y).mean() > before
    assert model.set_weight_.any()


@pytest.mark.parametrize(
    ("estimator", "n_labels"),
    [(RandomForestClassifier(5, random_state=0), 3), (LogisticRegression(), 1)],
)
def test_classifiers_of_scikit_learn(data, estimator, n_labels):
    X, Y = data
    model = PairwiseCRF(estimator).fit(X, Y[:, :n_labels])
    p = model.predict_proba(X)
    assert p.shape == (60, n_labels)
    assert (p[Y[:, :n_labels] == 1].mean()) > p[Y[:, :n_labels] == 0].mean() + 0.2


def test_bad_input(data):
    X, Y = data
    with pytest.raises(ValueError, match="'alpha' parameter"):
        PairwiseCRF(alpha=-1).fit(X, Y)
    with pytest.raises(ValueError, match="no predict_proba"):
        PairwiseCRF(LinearSVC()).fit(X, Y)
    with pytest.raises(ValueError, match="n_samples=1 cannot be split"):
        PairwiseCRF(BinaryRelevance()).fit(X[:1], Y[:1])
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        PairwiseCRF(max_iter=1).fit(X, Y)
