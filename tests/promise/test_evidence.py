"""p-values against their definition, and their level by simulation."""

import numpy as np
import pytest
from scipy.stats import binom

from labelfield.promise.evidence import (
    betting_p_value,
    binomial_p_value,
    clopper_pearson_lower,
    lower_bound,
    mean_p_value,
    smallest_sample,
)


def test_binomial_p_value_is_the_tail():
    hits, n = np.array([0, 0, 3, 10, 58]), np.array([0, 10, 10, 10, 60])
    np.testing.assert_allclose(binomial_p_value(hits, n, 0.8), binom.sf(hits - 1, n, 0.8))
    assert binomial_p_value(0, 0, 0.8) == 1.0


def test_lower_bound_is_the_smallest_rate_that_explains_the_hits():
    for hits, n in ((0, 10), (3, 10), (10, 10), (58, 60)):
        bound = clopper_pearson_lower(hits, n, 0.95)
        assert binom.sf(hits - 1, n, bound) == pytest.approx(0.05 if hits else 1.0)
        values = np.arange(n) < hits
        assert lower_bound(values, 0.05) == pytest.approx(float(bound))


def test_smallest_sample_just_passes():
    n = smallest_sample(0.95, 0.05)
    assert binomial_p_value(n, n, 0.95) <= 0.05 < binomial_p_value(n - 1, n - 1, 0.95)


def test_bets_equal_the_textbook_loop():
    rng = np.random.default_rng(0)
    values = rng.random(50)
    highest = 0.0
    stakes = np.geomspace(0.01, 0.99, 16)
    capital = np.ones(16)
    for value in values:
        capital *= 1 + stakes * (value / 0.4 - 1)
        highest = max(highest, capital.mean())
    assert betting_p_value(values, 0.4) == pytest.approx(1 / highest)
    assert betting_p_value([], 0.4) == 1.0
    assert betting_p_value([0.1, 0.1], 0.4) == 1.0


def test_lower_bound_of_graded_values_is_where_the_test_turns():
    values = np.random.default_rng(1).beta(8, 2, 200)
    bound = lower_bound(values, 0.05)
    assert mean_p_value(values, bound - 1e-3) <= 0.05 < mean_p_value(values, bound + 1e-3)
    assert 0.7 < bound < values.mean()


@pytest.mark.parametrize("law", ["beta", "two points"])
def test_level_of_bets(law):
    rng = np.random.default_rng(2)
    draw = {
        "beta": lambda: rng.beta(4, 1, 60),  # mean .8
        "two points": lambda: rng.choice([0.5, 1.0], 60, p=[0.4, 0.6]),
    }[law]
    refuted = np.mean([betting_p_value(draw(), 0.8) <= 0.1 for _ in range(500)])
    assert refuted <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 500)
