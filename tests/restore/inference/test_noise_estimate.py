"""Noise estimated from a dirty table, where the truth is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labelfield.restore import MixedTable, RandomMixedField, corrupt_table
from mixed_nets import sparse_net


def strong_table(n, seed, **size):
    rng = np.random.default_rng(seed)
    net = sparse_net(rng, **size)
    numbers, codes = net.sample(n, n_sweeps=60, rng=rng)
    return MixedTable(numbers, codes, (("1", "2", "3"),) * codes.shape[1])


@pytest.fixture(scope="module")
def split():
    table = strong_table(500, 0, mc=5, md=4, density=0.5, coupling=1.5, loading=1.5, agreement=2.5)
    return table.take(slice(0, 300)), table.take(slice(300, 500))


@pytest.fixture(scope="module")
def model(split):
    return RandomMixedField(
        alpha=0.01, noise_scale="estimate", flip_rate="estimate", random_state=0
    ).fit(split[0])


def relative_scales(model, result):
    return np.array(list(result.noise_scale.values())) / model.codec_.scale


@pytest.mark.slow
@pytest.mark.parametrize("tau", [0.1, 0.2, 0.3, 0.4, 0.5])
@pytest.mark.parametrize("seed", [0, 1])
def test_sigma_and_flips_are_recovered_on_a_valid_mixed_net(tau, seed):
    table = strong_table(1500, seed)
    train, test = table.take(slice(0, 1000)), table.take(slice(1000, 1500))
    model = RandomMixedField(noise_scale="estimate", flip_rate="estimate", random_state=0)
    model.fit(train)
    dirty = corrupt_table(test, noise=tau, scale=model.codec_.scale, random_state=seed)
    result = model.restore(dirty)
    scales = relative_scales(model, result)
    assert abs(np.sqrt(np.mean(scales**2)) / tau - 1) < 0.15
    assert abs(next(iter(result.flip_rate.values())) - tau) < 0.03


def test_sigma_and_flips_are_recovered(split, model):
    dirty = corrupt_table(split[1], noise=0.3, scale=model.codec_.scale, random_state=1)
    result = model.restore(dirty)
    scales = relative_scales(model, result)
    assert abs(np.sqrt(np.mean(scales**2)) / 0.3 - 1) < 0.15
    assert abs(next(iter(result.flip_rate.values())) - 0.3) < 0.03


def test_a_single_noisy_column_is_told_apart(split, model):
    test = split[1]
    s = int(np.argmax(np.diag(model.net_.precision)))
    numbers = test.continuous.copy()
    numbers[:, s] += (
        0.4 * model.codec_.scale[s] * np.random.default_rng(0).normal(size=len(numbers))
    )
    model.set_params(flip_rate=0.0)
    scales = relative_scales(model, model.restore(test.with_cells(numbers, test.categorical)))
    model.set_params(flip_rate="estimate")
    assert scales[s] > 0.25
    assert np.delete(scales, s).max() < 0.6 * scales[s]


def test_known_parts_are_taken_as_given(split, model):
    dirty = corrupt_table(split[1], noise=0.2, scale=model.codec_.scale, random_state=1)
    model.set_params(noise_scale=0.25)
    result = model.restore(dirty)
    model.set_params(noise_scale="estimate", flip_rate=0.15)
    other = model.restore(dirty)
    model.set_params(flip_rate="estimate")
    assert_allclose(relative_scales(model, result), 0.25)
    assert_allclose(list(other.flip_rate.values()), 0.15)
    assert abs(np.median(relative_scales(model, other)) - 0.2) < 0.05


def test_a_heavy_tail_is_not_taken_for_noise():
    rng = np.random.default_rng(0)
    numbers = np.round(rng.standard_t(1.5, size=(500, 3)) * 4) / 2
    table = MixedTable(numbers, rng.integers(0, 2, (500, 2)), (("a", "b"),) * 2)
    train, test = table.take(slice(0, 350)), table.take(slice(350, 500))
    model = RandomMixedField(noise_scale="estimate", flip_rate=0.0, random_state=0).fit(train)
    dirty = corrupt_table(test, noise=0.1, flip=0.0, scale=model.codec_.scale, random_state=0)
    scales = relative_scales(model, model.restore(dirty))
    assert (scales < 0.15).all()
    before = np.sqrt(np.mean(((dirty.continuous - test.continuous) / model.codec_.scale) ** 2))
    restored = model.transform(dirty).continuous
    after = np.sqrt(np.mean(((restored - test.continuous) / model.codec_.scale) ** 2))
    assert after < 1.02 * before


def test_a_clean_table_is_found_clean(split, model):
    result = model.restore(split[1])
    assert np.median(relative_scales(model, result)) < 0.05
    assert next(iter(result.flip_rate.values())) < 0.02


def test_the_estimate_is_reproducible(split, model):
    dirty = corrupt_table(split[1].take(slice(0, 40)), noise=0.3, missing=0.2, random_state=1)
    first, second = model.restore(dirty), model.restore(dirty)
    assert first.noise_scale == second.noise_scale
    assert first.flip_rate == second.flip_rate
