"""Corrupted tables: rates, uniformity, seeds, untouched input."""

import numpy as np
import pytest

from labelfield.restore import MixedTable, corrupt_table


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    categorical = np.column_stack([rng.integers(4, size=2000), rng.integers(2, size=2000)])
    continuous = rng.normal(size=(2000, 3)) * [1, 10, 0.1]
    return MixedTable(continuous, categorical, (tuple("abcd"), tuple("xy")))


def test_noise_has_the_asked_scale(table):
    noisy = corrupt_table(table, noise=0.5, flip=0.0, random_state=0)
    error = noisy.continuous - table.continuous
    np.testing.assert_allclose(error.std(axis=0), 0.5 * table.continuous.std(axis=0), rtol=0.08)
    np.testing.assert_array_equal(noisy.categorical, table.categorical)
    given = corrupt_table(table, noise=0.5, scale=[2.0, 2.0, 2.0], random_state=0)
    np.testing.assert_allclose((given.continuous - table.continuous).std(axis=0), 1.0, rtol=0.08)


def test_flips_go_to_every_other_state_alike(table):
    flipped = corrupt_table(table, noise=0.4, random_state=0).categorical
    moved = flipped != table.categorical
    np.testing.assert_allclose(moved.mean(axis=0), 0.4, atol=0.045)
    steps = (flipped[:, 0] - table.categorical[:, 0])[moved[:, 0]] % 4
    np.testing.assert_allclose(np.bincount(steps, minlength=4)[1:] / len(steps), 1 / 3, atol=0.07)


@pytest.mark.parametrize(("share", "cells"), [(0.0, 0), (0.3, 2), (0.5, 2), (1.0, 5)])
def test_mcar_removes_the_same_number_from_every_row(table, share, cells):
    gone = corrupt_table(table, missing=share, random_state=0).missing()
    assert (gone.sum(axis=1) == cells).all()
    np.testing.assert_allclose(gone.mean(axis=0), cells / 5, atol=0.05)


@pytest.mark.parametrize("share", [0.2, 0.6])
def test_mar_spares_a_column_and_follows_it(table, share):
    gone = corrupt_table(table, missing=share, mechanism="mar", random_state=0).missing()
    assert abs(gone.mean() - share) < 0.02
    whole = np.flatnonzero(~gone.any(axis=0))
    assert len(whole) == 1
    driver = np.hstack([table.continuous, table.categorical])[:, whole[0]]
    high = driver > np.median(driver) if whole[0] < 3 else driver >= driver.max()
    assert gone[high].mean() > 1.3 * gone[~high].mean()


@pytest.mark.parametrize("share", [0.2, 0.6])
def test_mnar_follows_the_removed_value(table, share):
    gone = corrupt_table(table, missing=share, mechanism="mnar", random_state=0).missing()
    assert abs(gone.mean() - share) < 0.02
    values = np.hstack([table.continuous, table.categorical])
    for j in range(5):
        assert values[gone[:, j], j].mean() > values[~gone[:, j], j].mean()


def test_holes_stay_and_input_is_untouched(table):
    holed = corrupt_table(table, missing=0.4, random_state=3)
    before = holed.continuous.copy(), holed.categorical.copy()
    again = corrupt_table(holed, noise=1.0, missing=0.2, mechanism="mnar", random_state=4)
    assert (again.missing() >= holed.missing()).all()
    np.testing.assert_array_equal(holed.continuous, before[0])
    np.testing.assert_array_equal(holed.categorical, before[1])


def test_table_seeds_and_bad_arguments(table):
    same = [corrupt_table(table, noise=0.2, missing=0.3, random_state=5) for _ in range(2)]
    np.testing.assert_array_equal(same[0].continuous, same[1].continuous)
    np.testing.assert_array_equal(same[0].categorical, same[1].categorical)
    for options, message in [
        ({"noise": -1}, r"The 'noise' parameter .* range \[0.0, inf\). Got -1"),
        ({"noise": "much"}, r"The 'noise' parameter .* range \[0.0, inf\). Got 'much'"),
        ({"noise": 1.5}, "flip defaults to noise, and 1.5 is no probability"),
        ({"flip": -0.1}, r"The 'flip' parameter .* range \[0.0, 1.0\] or None. Got -0.1"),
        ({"missing": 2}, r"The 'missing' parameter .* range \[0.0, 1.0\]. Got 2"),
        ({"mechanism": "odd"}, "The 'mechanism' parameter .* among .*'mnar'.* Got 'odd'"),
        ({"missing": 0.9, "mechanism": "mar"}, "at most 0.800"),
    ]:
        with pytest.raises(ValueError, match=message):
            corrupt_table(table, **options)
