"""Losses of adjusted log-odds against plain formulas and finite differences."""

import numpy as np
import pytest
from scipy.special import expit

from labelfield.models.mixture.adjusted_loss import adjusted_terms


def plain_terms(scale, shift, T, Y, weight):
    Z = T * scale + shift
    P = expit(Z)
    loss, slope, curve = np.logaddexp(0.0, Z) - Y * Z, P - Y, P * (1.0 - P)
    parts = [loss, slope * T, slope, curve * T**2, curve * T, curve]
    return np.stack([(weight * part).sum(axis=0) for part in parts])


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    T = rng.normal(scale=3.0, size=(12, 4))
    T[0] = [40.0, -40.0, 800.0, -800.0]  # nothing may overflow
    Y = (rng.random((12, 4)) < 0.4).astype(float)
    return rng.normal(size=4), rng.normal(size=4), T, Y, rng.random((12, 4))


@pytest.mark.parametrize("masked", [False, True], ids=["row weights", "label weights"])
def test_terms_are_the_plain_sums(problem, masked):
    scale, shift, T, Y, weight = problem
    rows = np.array([0, 2, 3, 7, 11])
    weight = weight[rows] if masked else weight[rows, :1]
    found = adjusted_terms(scale, shift, T, Y, rows, weight)
    np.testing.assert_allclose(
        found, plain_terms(scale, shift, T[rows], Y[rows], weight), atol=1e-12
    )


def test_no_rows_say_nothing(problem):
    scale, shift, T, Y, _ = problem
    none = np.zeros(0, dtype=np.intp)
    assert not adjusted_terms(scale, shift, T, Y, none, np.zeros((0, 1))).any()
