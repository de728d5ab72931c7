"""Posteriors of the mixed net against enumeration of all joint states."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labelfield.restore import Noise
from labelfield.restore.inference.posterior import collapsed, mean_field
from labelfield.restore.shape import FieldShape
from mixed_nets import exact_posterior, random_net


def dirty_rows(net, n, rng, missing=0.3):
    numbers, codes = net.sample(n, n_sweeps=30, rng=rng)
    numbers = numbers + 0.4 * rng.normal(size=numbers.shape)
    flipped = rng.random(codes.shape) < 0.4
    codes = np.where(flipped, (codes + 1) % np.array(net.sizes), codes)
    numbers[rng.random(numbers.shape) < missing] = np.nan
    codes[rng.random(codes.shape) < missing] = -1
    return numbers, codes


def errors(infer, strength, *, scale=0.4, flip=0.4, n_models=3):
    """Mean absolute error of marginals, RMSE of means, relative RMSE of variances."""
    found = []
    for seed in range(n_models):
        rng = np.random.default_rng(seed)
        net = random_net(rng, strength=strength)
        numbers, codes = dirty_rows(net, 60, rng)
        noise = Noise.uniform(net.shape, scale, flip)
        mean, variance, proba = exact_posterior(net, noise, numbers, codes)
        answer = infer(net, noise, numbers, codes)
        gap = np.sqrt(np.mean((answer.variance - variance) ** 2) / np.mean(variance**2))
        found.append(
            (np.abs(answer.proba - proba).mean(), np.sqrt(np.mean((answer.mean - mean) ** 2)), gap)
        )
    return np.mean(found, axis=0)


@pytest.mark.parametrize("strength", [0.3, 0.5, 0.8])
def test_collapsed_marginals_are_within_five_thousandths_of_enumeration(strength):
    marginals, means, variances = errors(collapsed, strength)
    assert marginals < 0.005
    assert means < 0.02
    assert variances < 0.1


@pytest.mark.parametrize(("strength", "bound"), [(0.3, 0.01), (0.8, 0.05)])
def test_mean_field_is_near_but_worse_than_collapsed(strength, bound):
    marginals, means, _ = errors(mean_field, strength)
    better_marginals, better_means, _ = errors(collapsed, strength)
    assert better_marginals < marginals < bound
    assert better_means < means


def test_cells_without_noise_are_conditioned_on():
    marginals, means, variances = errors(collapsed, 0.5, scale=0.0, flip=0.0)
    assert marginals < 0.002
    assert means < 0.005
    assert variances < 0.02


def test_no_noise_is_the_limit_of_little_noise():
    rng = np.random.default_rng(1)
    net = random_net(rng, strength=0.5)
    numbers, codes = dirty_rows(net, 20, rng)
    shape = net.shape
    none = collapsed(net, Noise.uniform(shape, 0.0, 0.0), numbers, codes)
    little = collapsed(net, Noise.uniform(shape, 1e-4, 1e-9), numbers, codes)
    assert_allclose(little.mean, none.mean, atol=1e-5)
    assert_allclose(little.proba, none.proba, atol=1e-4)
    kept = ~np.isnan(numbers)
    assert_allclose(none.mean[kept], numbers[kept], rtol=0)


def test_noise_on_some_columns_only():
    rng = np.random.default_rng(2)
    net = random_net(rng, strength=0.5)
    numbers, codes = dirty_rows(net, 30, rng)
    noise = Noise.uniform(net.shape, np.array([0.0, 0.3, 0.0, 1.0]), np.array([0, 0.2, 0, 0.5]))
    mean, variance, proba = exact_posterior(net, noise, numbers, codes)
    answer = collapsed(net, noise, numbers, codes)
    assert np.abs(answer.proba - proba).mean() < 0.003
    assert_allclose(answer.mean, mean, atol=0.03)
    assert (answer.variance[~np.isnan(numbers)[:, 0], 0] == 0).all()


def test_rows_are_answered_one_by_one():
    rng = np.random.default_rng(3)
    net = random_net(rng)
    numbers, codes = dirty_rows(net, 40, rng)
    noise = Noise.uniform(net.shape, 0.2, 0.1)
    together = collapsed(net, noise, numbers, codes)
    alone = collapsed(net, noise, numbers[17:18], codes[17:18])
    assert_allclose(together.mean[17:18], alone.mean, atol=1e-3)
    assert_allclose(together.proba[17:18], alone.proba, atol=1e-3)


def test_elsewhere_does_not_look_at_the_cell_itself():
    rng = np.random.default_rng(4)
    net = random_net(rng, mc=2, sizes=(3, 2))
    noise = Noise.uniform(net.shape, 0.3, 0.2)
    numbers, codes = rng.normal(size=(6, 2)), np.zeros((6, 2), dtype=int)
    seen = collapsed(net, noise, numbers, codes)
    hidden = collapsed(net, noise, numbers, codes * [1, 1] - [[1, 0]] * 6)
    assert_allclose(np.exp(seen.log_elsewhere[:, :3]), hidden.proba[:, :3], atol=1e-3)


@pytest.mark.parametrize("infer", [collapsed, mean_field])
@pytest.mark.parametrize(("mc", "sizes"), [(3, ()), (0, (2, 3))])
def test_one_kind_of_column_is_enough(infer, mc, sizes):
    rng = np.random.default_rng(5)
    net = random_net(rng, mc=mc, sizes=sizes)
    numbers, codes = (
        dirty_rows(net, 10, rng) if sizes else (rng.normal(size=(10, 3)), np.zeros((10, 0), int))
    )
    noise = Noise.uniform(FieldShape(mc, sizes), 0.5, 0.1)
    answer = infer(net, noise, numbers, codes)
    mean, _, proba = exact_posterior(net, noise, numbers, codes)
    assert_allclose(answer.mean, mean, atol=1e-8)
    assert_allclose(answer.proba, proba, atol=1e-4)


def test_flips_are_uniform_over_the_other_states():
    noise = Noise.uniform(FieldShape(0, (4, 1)), 0.0, np.array([0.3, 0.0]))
    assert_allclose(noise.transition[0].sum(axis=0), 1.0)
    assert_allclose(noise.transition[0][1, 0], 0.1)
    assert_allclose(noise.flip_rate, [0.3, 0.0])
    assert_allclose(
        noise.log_likelihood(np.array([[2, -1]])),
        [[np.log(0.1)] * 2 + [np.log(0.7), np.log(0.1), 0.0]],
    )
