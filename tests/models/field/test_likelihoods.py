"""The likelihoods of a pairwise field against enumeration, loops and central differences."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit, logsumexp
from scipy.stats import entropy

from labelfield.models.field import sign_means
from labelfield.models.field.field_problem import PairwiseLoss
from labelfield.models.field.likelihoods import LIKELIHOODS, MeanFieldLikelihood, signs
from labelfield.models.field.terms import ConstantTerms, FeatureTerms, LogOddsTerms

N, D, L = 12, 3, 4
EDGES = np.array([(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)])


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D))
    Y = (rng.random((N, L)) < 0.4).astype(np.uint8)
    Y[:2] = [[0] * L, [1] * L]
    return X, Y


def terms_of(shared, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(N, L)), rng.normal(size=(1 if shared else N, len(EDGES)))


def score(s, z, c):
    """Half of what labels and pairs add: the definition."""
    return 0.5 * (s @ z + sum(w * s[a] * s[b] for (a, b), w in zip(EDGES, c)))


def slow_value(objective, Y, field, coupling):
    everything = np.array(list(itertools.product([0, 1], repeat=L)))
    sets = {"exact": everything, "support": np.unique(Y, axis=0)}.get(objective)
    coupling = np.broadcast_to(coupling, (N, len(EDGES)))
    total = 0.0
    for y, z, c in zip(Y, field, coupling):
        if sets is not None:
            total += logsumexp([score(signs(s), z, c) for s in sets]) - score(signs(y), z, c)
            continue
        for label in range(L):
            flipped = signs(y)
            flipped[label] *= -1
            total -= np.log(expit(score(signs(y), z, c) - score(flipped, z, c)))
    return total


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("objective", ["exact", "pseudo", "support"])
def test_value_equals_its_definition(data, objective, shared):
    _, Y = data
    field, coupling = terms_of(shared)
    value, slope, pair_slope = LIKELIHOODS[objective](Y, EDGES).evaluate(field, coupling)
    assert value == pytest.approx(slow_value(objective, Y, field, coupling), rel=1e-12)
    assert (slope.shape, pair_slope.shape) == (field.shape, coupling.shape)


def test_log_odds_given_the_others_are_linear_in_their_signs():
    z, c = np.array([0.3, -0.2, 0.1, 0.7]), np.array([1.0, 0.5, -0.4, 0.2, -1.5])
    y = np.array([1, 0, 1, 1])
    with_label, without = np.array([1, 1, 1, 1]), np.array([1, 0, 1, 1])
    log_odds = score(signs(with_label), z, c) - score(signs(without), z, c)
    assert log_odds == pytest.approx(z[1] + c[0] * signs(y)[0] + c[2] * signs(y)[3])


@pytest.mark.parametrize("couplings", ["constant", "features"])
@pytest.mark.parametrize("unary", ["dense", "sparse", "log-odds"])
@pytest.mark.parametrize("objective", sorted(LIKELIHOODS))
def test_gradient_equals_central_differences(data, objective, unary, couplings, monkeypatch):
    X, Y = data
    if objective == "mean_field":  # means to the last digit, so that differences are clean
        settled = sign_means.sign_means

        def to_the_end(field, edges, coupling, own):
            return settled(field, edges, coupling, own, 1e-13, 5000)

        monkeypatch.setattr(sign_means, "sign_means", to_the_end)
    labels = {
        "dense": lambda: FeatureTerms(X, L, X.mean(axis=0)),
        "sparse": lambda: FeatureTerms(sp.csr_matrix(X), L),
        "log-odds": lambda: LogOddsTerms(np.tile(X, 2)[:, :L]),
    }[unary]()
    pairs = ConstantTerms(X, len(EDGES)) if couplings == "constant" else FeatureTerms(X, len(EDGES))
    loss = PairwiseLoss(LIKELIHOODS[objective](Y, EDGES), labels, pairs, Y, free_constants=True)
    assert loss.means.any() == (couplings == "constant")
    theta = 0.3 * np.random.default_rng(2).normal(size=loss.reference.shape)
    value, gradient = loss.value_and_gradient(theta)
    assert loss.value(theta) == value
    step = 1e-5
    differences = [
        (loss.value(theta + step * e) - loss.value(theta - step * e)) / (2 * step)
        for e in np.eye(len(theta))
    ]
    np.testing.assert_allclose(gradient, differences, atol=1e-6 * np.abs(gradient).max())


def test_mean_field_bound_equals_its_definition_at_a_fixed_point():
    field, coupling = (0.4 * part for part in terms_of(shared=False))
    bound, means = sign_means.sign_means(field, EDGES, coupling, np.ones((N, L)), 1e-13, 5000)
    for i in range(N):
        weights = np.zeros((L, L))
        weights[EDGES[:, 0], EDGES[:, 1]] = coupling[i]
        weights += weights.T
        np.testing.assert_allclose(means[i], np.tanh(field[i] + weights @ means[i]), atol=1e-12)
        p = (1.0 + means[i]) / 2.0
        expected = field[i] @ means[i] + means[i] @ weights @ means[i] / 2.0
        assert bound[i] == pytest.approx(expected + entropy([p, 1.0 - p]).sum())


def test_mean_field_is_below_the_likelihood(data):
    _, Y = data
    field, coupling = terms_of(shared=True)
    mean_field = MeanFieldLikelihood(Y, EDGES).evaluate(field, coupling)[0]
    assert 0.0 < mean_field < LIKELIHOODS["exact"](Y, EDGES).evaluate(field, coupling)[0]


def slow_largest_bound(z, c):
    """The largest of the bounds that loops of updates reach from every corner."""
    weights = np.zeros((L, L))
    weights[EDGES[:, 0], EDGES[:, 1]] = c
    weights += weights.T
    found = []
    for corner in itertools.product([-1.0, 1.0], repeat=L):
        means = np.array(corner)
        for _ in range(300):
            for label in range(L):
                means[label] = np.tanh(z[label] + weights[label] @ means)
        p = (1.0 + means) / 2.0
        score = z @ means + means @ weights @ means / 2.0
        found.append(score + entropy([p, 1.0 - p]).sum())
    return max(found)


def test_rows_that_fit_their_labels_get_the_largest_bound(data):
    _, Y = data
    rng = np.random.default_rng(5)
    own = signs(Y)
    field = 0.2 * own + 0.1 * rng.normal(size=(N, L))
    coupling = own[:, EDGES[:, 0]] * own[:, EDGES[:, 1]] + 0.2 * rng.normal(size=(N, len(EDGES)))
    bound, _ = sign_means.sign_means(field, EDGES, coupling, own)
    largest = [slow_largest_bound(z, c) for z, c in zip(field, coupling)]
    np.testing.assert_allclose(bound, largest, atol=1e-9)


def test_strong_couplings_do_not_make_the_mean_field_loss_negative():
    rng = np.random.default_rng(0)
    field, coupling = 0.3 * rng.normal(size=(N, L)), 3.0 * rng.normal(size=(N, len(EDGES)))
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=L)))
    scores = [[2.0 * score(s, z, c) for s in corners] for z, c in zip(field, coupling)]
    likeliest = corners[np.argmax(scores, axis=1)]
    alone, _ = sign_means.sign_means(field, EDGES, coupling, np.tanh(field))
    with_own, _ = sign_means.sign_means(field, EDGES, coupling, likeliest)
    assert (alone < np.max(scores, axis=1) - 0.1).any()  # from one start the largest is missed
    assert (with_own >= np.max(scores, axis=1)).all()


def test_means_of_certain_labels_are_finite():
    bound, means = sign_means.sign_means(
        np.array([[400.0, -400.0]]), np.array([[0, 1]]), np.array([[1.0]]), np.ones((1, 2))
    )
    assert means.tolist() == [[1.0, -1.0]]
    assert bound.tolist() == [799.0]
