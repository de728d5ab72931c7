import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar

from labelfield.models.margin import dual_ascent


def omega(lengths, rho):
    """Value of the penalty for group lengths; the free part is a group of its own."""
    return 0.5 * rho * lengths @ lengths + 0.5 * lengths.sum() ** 2


def conjugate(squares, rho):
    """Omega* of the groups as the kernel has it."""
    ratios = np.empty(len(squares))
    dual_ascent.group_ratios(squares, rho, ratios)
    return 0.5 * ratios @ squares


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([0.05, 0.1, 1.0, 3.0]))
def test_lengths_of_the_groups_attain_the_conjugate(seed, n_groups, rho):
    z = np.random.default_rng(seed).exponential(size=n_groups)
    ratios = np.empty(n_groups)
    total = dual_ascent.group_ratios(z**2, rho, ratios)
    lengths = ratios * z
    np.testing.assert_allclose(total, lengths.sum(), rtol=1e-10)
    # The gradient of lengths' z - omega vanishes where a group is used and is negative elsewhere.
    slope = z - rho * lengths - lengths.sum()
    np.testing.assert_allclose(slope[lengths > 0], 0.0, atol=1e-10)
    assert (slope[lengths == 0] <= 1e-10).all()
    np.testing.assert_allclose(conjugate(z**2, rho), lengths @ z - omega(lengths, rho), rtol=1e-10)


def test_the_conjugate_agrees_with_numerical_optimisation():
    rng = np.random.default_rng(0)
    for _ in range(5):
        z = rng.exponential(size=4)
        found = minimize(
            lambda c, z=z: omega(c, 0.3) - c @ z, np.full(4, 0.1), bounds=[(0, None)] * 4, tol=1e-12
        )
        np.testing.assert_allclose(conjugate(z**2, 0.3), -found.fun, rtol=1e-6)


def test_one_group_is_shrunk_by_one_plus_rho():
    ratios = np.empty(1)
    assert dual_ascent.group_ratios(np.array([4.0]), 0.25, ratios) == pytest.approx(1.6)
    assert ratios[0] == pytest.approx(0.8)
    dual_ascent.group_ratios(np.array([4.0]), 0.0, ratios)
    assert ratios[0] == 1.0


def test_groups_without_length_stay_without():
    ratios = np.empty(3)
    assert dual_ascent.group_ratios(np.zeros(3), 0.1, ratios) == 0.0
    assert (ratios == 0.0).all()


@given(st.integers(0, 2**32 - 1), st.integers(0, 5))
def test_the_step_is_that_of_a_golden_section(seed, n_groups):
    rng = np.random.default_rng(seed)
    z, direction = rng.normal(size=(2, n_groups, 3))
    free_z, free_direction = rng.normal(size=(2, 3))
    rise, rho = rng.normal() + 1.0, 0.2
    groups = np.stack(
        [(z**2).sum(axis=1), (z * direction).sum(axis=1), (direction**2).sum(axis=1)], axis=1
    )
    free = np.array([free_z @ free_direction, free_direction @ free_direction])

    def dual(step):
        moved = ((z + step * direction) ** 2).sum(axis=1)
        own = free_z + step * free_direction
        return rise * step - 0.5 * own @ own - conjugate(moved, rho)

    step = dual_ascent.best_step(rise, free, groups, rho, np.empty(n_groups))
    found = minimize_scalar(lambda s: -dual(s), bounds=(0.0, 1.0), options={"xatol": 1e-10})
    assert 0.0 <= step <= 1.0
    assert dual(step) >= max(-found.fun, dual(0.0), dual(1.0)) - 1e-12


def test_terms_are_products_and_their_means_those_of_the_weights():
    labels = np.array([[0, -1, -1], [0, 2, -1], [0, 1, 2]])
    signs = np.array([[1.0, -1.0, -1.0], [1.0, 1.0, -1.0]])
    products = dual_ascent.products(labels, signs)
    assert products.tolist() == [[1, -1, 1], [1, -1, -1]]
    duals = dual_ascent.Duals(signs[None].astype(np.int8), np.array([[0.75, 0.25]]))
    np.testing.assert_allclose(dual_ascent.mean_excess(labels, duals), [[0.0, 0.0, 0.5]])
    np.testing.assert_allclose(dual_ascent.mean_losses(duals), [0.25])
