"""The loops of restricted Boltzmann machines against enumeration and finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logsumexp

from labelfield import kernels
from labelfield.kernels.sets.bits import all_sets

brief = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)
NO_PAIR = np.zeros((0, 0))


def random_machine(seed, n=4, n_labels=5, n_hidden=3, related=True):
    """Return unary (n, L), coupling (L, J), hidden_bias (J,) and a positive semi-definite pair."""
    rng = np.random.default_rng(seed)
    root = rng.normal(0.0, 0.5, (n_labels, 3))
    return (
        rng.normal(-0.5, 1.5, (n, n_labels)),
        rng.normal(0.0, 1.5, (n_labels, n_hidden)),
        rng.normal(0.0, 1.0, n_hidden),
        root @ root.T if related else None,
    )


def textbook_score(y, unary, coupling, hidden_bias, pair):
    """Sum over the states of the hidden units: log sum_h exp(-E)."""
    states = all_sets(coupling.shape[1]).astype(float)
    energies = [unary @ y + y @ coupling @ h + hidden_bias @ h for h in states]
    return logsumexp(energies) + (0.0 if pair is None else y @ pair @ y)


@brief
@given(seed=seeds, related=st.booleans())
def test_score_sums_the_hidden_units_out(seed, related):
    machine = random_machine(seed, related=related)
    sets = all_sets(5)[np.random.default_rng(seed).integers(0, 32, 4)].astype(float)
    slow = [textbook_score(y, u, *machine[1:]) for y, u in zip(sets, machine[0])]
    np.testing.assert_allclose(kernels.fields.rbm.score(sets, *machine), slow, atol=1e-10)


@brief
@given(seed=seeds, related=st.booleans())
def test_field_is_the_gradient_of_the_score(seed, related):
    machine = random_machine(seed, related=related)
    Y = np.random.default_rng(seed).random((4, 5))
    slow = np.empty((4, 5))
    for label in range(5):
        step = 1e-5 * np.eye(5)[label]
        up, down = (kernels.fields.rbm.score(Y + s * step, *machine) for s in (1, -1))
        slow[:, label] = (up - down) / 2e-5
    np.testing.assert_allclose(kernels.fields.rbm.field(Y, *machine), slow, atol=1e-8)


@brief
@given(seed=seeds)
def test_score_is_convex_where_the_pairs_are_positive(seed):
    machine = random_machine(seed)
    rng = np.random.default_rng(seed)
    one, other, share = rng.random((4, 5)), rng.random((4, 5)), rng.random((4, 1))
    between = kernels.fields.rbm.score(share * one + (1 - share) * other, *machine)
    ends = [kernels.fields.rbm.score(Y, *machine) for Y in (one, other)]
    chord = share[:, 0] * ends[0] + (1 - share[:, 0]) * ends[1]
    assert (between <= chord + 1e-10).all()


@brief
@given(seed=seeds, related=st.booleans())
def test_ascent_never_falls_ends_on_vertices_and_keeps_what_is_fixed(seed, related):
    machine = random_machine(seed, n=20, related=related)
    rng = np.random.default_rng(seed)
    free = rng.random((20, 5)) < 0.7
    start = np.where(free, rng.random((20, 5)), 1.0)
    ends, history = kernels.fields.rbm.ascend(start, free, *machine)
    assert (np.diff(history, axis=0) >= 0.0).all()
    assert np.minimum(ends, 1.0 - ends).max() < 1e-3
    np.testing.assert_array_equal(ends[~free], 1.0)
    np.testing.assert_allclose(kernels.fields.rbm.score(ends, *machine), history[-1])


def test_ascent_finds_the_vertex_of_a_linear_score():
    unary = np.array([[2.0, -1.0, 0.5], [-3.0, 1.0, -0.2]])
    free = np.ones((2, 3), dtype=bool)
    ends, _ = kernels.fields.rbm.ascend(
        np.full((2, 3), 0.5), free, unary, np.zeros((3, 0)), np.zeros(0)
    )
    np.testing.assert_array_equal(ends, unary > 0)


@brief
@given(seed=seeds)
def test_mean_field_settles_where_means_agree(seed):
    unary, coupling, hidden_bias, _ = random_machine(seed)
    machine = unary, 0.3 * coupling, hidden_bias
    free = np.random.default_rng(seed).random((4, 5)) < 0.8
    start = np.where(free, expit(unary), 1.0)
    means = kernels.fields.rbm.mean_field(start, free, *machine, n_rounds=500, tol=1e-13)
    expected = np.where(free, expit(kernels.fields.rbm.field(means, *machine)), 1.0)
    np.testing.assert_allclose(means, expected, atol=1e-9)


@brief
@given(seed=seeds, related=st.booleans())
def test_flip_gains_are_differences_of_scores(seed, related):
    machine = random_machine(seed, related=related)
    Y = np.random.default_rng(seed).integers(0, 2, (4, 5)).astype(np.uint8)
    pair = machine[3] if related else NO_PAIR
    gains = kernels.fields.rbm.flip_gains(Y, *machine[:3], pair)
    before = kernels.fields.rbm.score(Y.astype(float), *machine)
    for label in range(5):
        flipped = Y.astype(float)
        flipped[:, label] = 1.0 - flipped[:, label]
        after = kernels.fields.rbm.score(flipped, *machine)
        np.testing.assert_allclose(gains[:, label], after - before, atol=1e-10)


@brief
@given(seed=seeds, related=st.booleans())
def test_greedy_flips_end_where_no_flip_helps(seed, related):
    machine = random_machine(seed, n=10, related=related)
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, (10, 5)).astype(np.uint8)
    free = rng.random((10, 5)) < 0.7
    pair = machine[3] if related else NO_PAIR
    start, before = Y.copy(), kernels.fields.rbm.score(Y.astype(float), *machine)
    kernels.fields.rbm.greedy_flips(Y, free, *machine[:3], pair)
    assert (kernels.fields.rbm.flip_gains(Y, *machine[:3], pair)[free] <= 1e-9).all()
    assert (kernels.fields.rbm.score(Y.astype(float), *machine) >= before - 1e-12).all()
    np.testing.assert_array_equal(Y[~free], start[~free])


@pytest.mark.parametrize("related", [False, True])
def test_long_chains_visit_sets_as_often_as_they_are_probable(related):
    unary, coupling, hidden_bias, pair = random_machine(3, n=1, n_labels=3, related=related)
    sets = all_sets(3)
    p = np.exp([textbook_score(y, unary[0], coupling, hidden_bias, pair) for y in sets])
    p /= p.sum()
    n_chains = 400
    unary = np.repeat(unary, n_chains, axis=0)
    Y, free = np.zeros((n_chains, 3), np.uint8), np.ones((n_chains, 3), bool)
    pair = NO_PAIR if pair is None else pair
    machine = unary, coupling, hidden_bias, pair
    logits, counts = np.empty((n_chains, 3)), np.zeros(8)
    rng = np.random.default_rng(0)
    means = []
    for sweep in range(120):
        bars = rng.logistic(size=(n_chains, 6))
        kernels.fields.rbm.gibbs_sweep(Y, free, *machine, coupling.T.copy(), bars, logits)
        if sweep >= 20:
            counts += np.bincount(Y @ [4, 2, 1], minlength=8)
            means.append(expit(logits).mean(axis=0))
    np.testing.assert_allclose(counts / counts.sum(), p, atol=0.015)
    np.testing.assert_allclose(np.mean(means, axis=0), p @ sets, atol=0.015)


def test_steps_equal_the_textbook():
    rng = np.random.default_rng(0)
    weights, squares = rng.normal(size=7), np.zeros(7)
    w, s = weights.copy(), squares.copy()
    for gradient in rng.normal(size=(5, 7)):
        kernels.fields.rbm.adagrad_step(weights, gradient, squares, 0.1, 0.01)
        slope = gradient - 0.01 * w
        s += slope**2
        w += 0.1 * slope / np.sqrt(s + 1e-8)
        np.testing.assert_allclose(weights, w, rtol=1e-12)
