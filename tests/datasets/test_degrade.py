"""Label noise and hidden labels: rates, uniformity, seeds, untouched input."""

import numpy as np
import pytest

from labelfield.datasets import flip_labels, hide_labels


@pytest.fixture
def Y():
    return (np.random.default_rng(0).random((3000, 5)) < 0.4).astype(np.uint8)


def test_one_label_a_row_is_flipped_at_the_rate(Y):
    kept = Y.copy()
    noisy = flip_labels(Y, 0.3, random_state=0)
    np.testing.assert_array_equal(Y, kept)
    assert noisy.dtype == Y.dtype
    changed = noisy != Y
    assert set(changed.sum(axis=1)) == {0, 1}
    assert abs(changed.any(axis=1).mean() - 0.3) < 0.035
    np.testing.assert_allclose(changed.mean(axis=0), 0.06, atol=0.018)


def test_rates_may_differ_by_row(Y):
    rates = np.repeat([0.0, 1.0], 1500)
    changed = (flip_labels(Y, rates, random_state=0) != Y).any(axis=1)
    np.testing.assert_array_equal(changed, rates == 1)


def test_every_entry_is_flipped_at_the_rate(Y):
    changed = flip_labels(Y, 0.2, how="entry", random_state=0) != Y
    np.testing.assert_allclose(changed.mean(axis=0), 0.2, atol=0.03)
    assert (changed.sum(axis=1) > 1).any()
    assert (flip_labels(Y, 1.0, how="entry", random_state=0) == 1 - Y).all()


def test_unknown_labels_stay_unknown():
    Y = np.array([[np.nan, 1.0], [0.0, np.nan]])
    np.testing.assert_array_equal(np.isnan(flip_labels(Y, 1.0, random_state=0)), np.isnan(Y))


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.55, 1.0])
def test_exact_share_of_ones_is_hidden(Y, rate):
    kept = Y.copy()
    hidden = hide_labels(Y, rate, random_state=0)
    np.testing.assert_array_equal(Y, kept)
    assert (hidden <= Y).all()
    assert int(Y.sum()) - int(hidden.sum()) == round(rate * int(Y.sum()))


def test_exact_share_of_entries_becomes_nan(Y):
    hidden = hide_labels(Y, 0.37, how="entries", random_state=0)
    gone = np.isnan(hidden)
    assert gone.sum() == round(0.37 * Y.size)
    np.testing.assert_array_equal(hidden[~gone], Y[~gone])
    np.testing.assert_allclose(gone.mean(axis=0), 0.37, atol=0.04)


@pytest.mark.parametrize("degrade", [flip_labels, hide_labels])
def test_seeds_and_bad_arguments(Y, degrade):
    same = [degrade(Y, 0.4, random_state=9) for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert (degrade(Y, 0.4, random_state=8) != same[0]).any()
    for rate in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match=r"rate must lie in \[0, 1\]"):
            degrade(Y, rate)
    with pytest.raises(ValueError, match="how must be"):
        degrade(Y, 0.1, how="column")
    with pytest.raises(ValueError, match="must hold 0 and 1"):
        degrade(2 * Y, 0.1)
    with pytest.raises(ValueError, match="shape"):
        degrade(Y[:, 0], 0.1)
