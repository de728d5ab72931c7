"""Rates of annotation mistakes."""

import numpy as np
import pytest

from labelfield import NoiseRates


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ((0.6, 0.4), r"miss \+ false_hit must be below 1.*got 1\."),
        (([0.1, 0.7], 0.5), r"got 1\.2"),
        ((-0.1, 0.0), r"miss must be a rate"),
        ((0.1, [0.2, np.nan]), r"false_hit must be a rate"),
        (([[0.1]], 0.0), r"miss must be a rate"),
    ],
)
def test_useless_rates_are_refused(rates, message):
    with pytest.raises(ValueError, match=message):
        NoiseRates(*rates)


def test_targets_have_the_mean_of_the_clean_hits():
    rates = NoiseRates(np.array([0.5, 0.2]), 0.1)
    low, high = rates.targets(np.zeros(2)), rates.targets(np.ones(2))
    np.testing.assert_allclose((1 - rates.miss) * high + rates.miss * low, 1.0)
    np.testing.assert_allclose(0.1 * high + 0.9 * low, 0.0, atol=1e-15)


def test_rows_can_be_taken():
    rates = NoiseRates(np.array([0.5, 0.2, 0.1]), 0.1)
    assert rates.take(np.array([2, 0])).miss.tolist() == [0.1, 0.5]
    assert rates.take(np.array([2, 0])).false_hit == 0.1
    assert NoiseRates(0.2).uniform
    assert not rates.uniform


def noisy_hits(rng, n, miss, false_hit=0.0):
    clean = rng.random(n) < 0.4
    seen = np.where(clean, rng.random(n) >= miss, rng.random(n) < false_hit)
    return clean.astype(float), seen.astype(float)


def test_coders_with_one_known_rate():
    rng = np.random.default_rng(0)
    coders = rng.choice(["expert", "crowd", "clerk"], 30000)
    miss = np.select([coders == "expert", coders == "crowd"], [0.1, 0.5], 0.3)
    _, v = noisy_hits(rng, 30000, miss)
    rates = NoiseRates.estimate(v, coders=coders, known={"expert": 0.1})
    np.testing.assert_allclose(rates.miss, miss, atol=0.03)
    assert rates.false_hit == 0.0
    assert (rates.miss[coders == "expert"] == 0.1).all()


def test_a_clean_part_gives_both_rates():
    clean, v = noisy_hits(np.random.default_rng(0), 20000, 0.3, 0.1)
    clean[5000:] = np.nan
    rates = NoiseRates.estimate(v, clean=clean)
    assert rates.miss == pytest.approx(0.3, abs=0.03)
    assert rates.false_hit == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, r"cannot be found from v alone.*product"),
        ({"coders": list("abab")}, r"cannot be found.*known="),
        ({"coders": list("abab"), "known": {"c": 0.1}}, r"\['c'\], who annotated no row"),
        ({"coders": list("abab"), "known": {"b": 0.1}}, r"no hit"),
        ({"clean": [1, 1, np.nan, np.nan]}, r"got 2 and 0"),
        ({"clean": [1, 0]}, "clean has shape"),
        ({"clean": [1, 0, 2, 1]}, "clean must hold 0, 1 or NaN only"),
        ({"v": [1, 0, 2, 1]}, "v must hold 0, 1 or NaN only"),
        ({"v": [1, 0, np.nan, 1]}, "v holds NaN"),
        ({"v": ["a", "b"]}, "v holds text"),
        ({"coders": ["a"], "known": {"a": 0.1}}, "coders has shape"),
        ({"coders": list("abab"), "known": "a"}, "known must be a dict"),
    ],
)
def test_what_cannot_be_estimated_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        NoiseRates.estimate(**({"v": [1, 0, 1, 0]} | arguments))
