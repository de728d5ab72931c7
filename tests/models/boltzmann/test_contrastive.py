"""Learning steps: the exact gradient, chains that reach it, and the special case without them."""

import numpy as np
import pytest
from scipy.special import expit

from labelfield import ContrastiveDivergence
from labelfield.joints import RBMJoint
from labelfield.models.boltzmann.contrastive import ChainLearner, Weights, exact_moments


def random_problem(seed=0, n=12, d=3, n_labels=4, n_hidden=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = rng.integers(0, 2, (n, n_labels)).astype(np.uint8)
    weights = Weights(
        rng.normal(size=(d, n_labels)),
        rng.normal(size=(n_labels, n_hidden)),
        rng.normal(size=n_labels),
        rng.normal(size=n_hidden),
    )
    return X, Y, weights


def log_likelihood(X, Y, weights):
    joint = RBMJoint(weights.unary(X), weights.coupling, weights.hidden_bias)
    return joint.log_prob(Y).mean()


def gradients_of_one_batch(X, Y, weights, repeats=1, **options):
    """Return the gradients that the learner climbs along, without climbing."""
    seen = {}

    def remember(which, gradient):
        seen.setdefault(which, []).append(np.array(gradient))

    options = {"batch_size": len(Y), "persistent": False, **options}
    learner = ChainLearner(
        X,
        Y,
        weights,
        settings=ContrastiveDivergence(**options),
        climb=remember,
        rng=np.random.default_rng(0),
    )
    for _ in range(repeats):
        learner.epoch()
    return [seen[which] for which in range(4)]


def finite_differences(X, Y, weights):
    for array in weights.arrays():
        slopes = np.empty(array.shape)
        for place in np.ndindex(array.shape):
            kept = array[place]
            values = []
            for step in (1e-5, -1e-5):
                array[place] = kept + step
                values.append(log_likelihood(X, Y, weights))
            array[place] = kept
            slopes[place] = (values[0] - values[1]) / 2e-5
        yield slopes


def test_exact_gradient_equals_finite_differences():
    X, Y, weights = random_problem()
    found = gradients_of_one_batch(X, Y, weights, n_steps="exact", centered=False)
    for gradient, slow in zip(found, finite_differences(X, Y, weights), strict=True):
        np.testing.assert_allclose(gradient[0], slow, atol=1e-8)


def test_centred_gradient_is_that_of_the_centred_model():
    """Moving couplings by dG and biases by db - dG m, dc - G' m climbs the same likelihood."""
    X, Y, weights = random_problem(1)
    centred = [g[0] for g in gradients_of_one_batch(X, Y, weights, n_steps="exact")]
    plain = list(finite_differences(X, Y, weights))
    gain = sum(np.vdot(a, b) for a, b in zip(centred, plain))
    assert gain > 0
    before = log_likelihood(X, Y, weights)
    for array, gradient in zip(weights.arrays(), centred):
        array += 1e-3 * gradient
    rise = log_likelihood(X, Y, weights) - before
    assert rise == pytest.approx(1e-3 * gain, rel=0.05)


def test_exact_moments_equal_the_joint():
    X, _, weights = random_problem(2)
    means, (pairs, labels, hidden) = exact_moments(weights.unary(X), weights)
    joint = RBMJoint(weights.unary(X), weights.coupling, weights.hidden_bias)
    np.testing.assert_allclose(means, joint.marginals(), atol=1e-12)
    np.testing.assert_allclose(labels, means.mean(axis=0), atol=1e-12)
    draws = joint.sample(4000, np.random.default_rng(0)).reshape(-1, 4).astype(float)
    on = expit(draws @ weights.coupling + weights.hidden_bias)
    np.testing.assert_allclose(pairs, draws.T @ on / len(draws), atol=0.02)
    np.testing.assert_allclose(hidden, on.mean(axis=0), atol=0.02)


@pytest.mark.parametrize("options", [{"n_steps": 30}, {"persistent": True}, {"n_steps": 15}])
def test_long_chains_come_close_to_the_exact_gradient(options):
    X, Y, weights = random_problem(3)
    X, Y = np.tile(X, (60, 1)), np.tile(Y, (60, 1))
    exact = gradients_of_one_batch(X, Y, weights, n_steps="exact", centered=False)
    drawn = gradients_of_one_batch(X, Y, weights, repeats=25, centered=False, **options)
    for truth, found in zip(exact, drawn, strict=True):
        np.testing.assert_allclose(np.mean(found[5:], axis=0), truth[0], atol=0.03)


def test_free_labels_are_drawn_from_their_distribution_given_the_others():
    X, Y, weights = random_problem(5, n=1)
    X, Y = np.tile(X, (4000, 1)), np.tile(Y, (4000, 1))
    free = np.zeros(Y.shape, dtype=bool)
    free[:, [0, 2]] = True
    learner = ChainLearner(
        X,
        Y,
        weights,
        settings=ContrastiveDivergence(persistent=False),
        free=free,
        offset=np.log(0.4),
        climb=lambda *_: None,
        rng=np.random.default_rng(0),
    )
    for _ in range(15):
        learner.epoch(impute=True)
    np.testing.assert_array_equal(learner.Y[~free], Y[~free])
    unary = weights.unary(X[:1]) + np.where(free[:1], np.log(0.4), 0.0)
    known = np.where(free[:1], np.nan, Y[:1])
    joint = RBMJoint(unary, weights.coupling, weights.hidden_bias).condition(known)
    np.testing.assert_allclose(learner.Y.mean(axis=0), joint.marginals()[0], atol=0.03)
