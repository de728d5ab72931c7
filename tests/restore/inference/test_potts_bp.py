"""Belief propagation on many-state fields against enumeration and unconditioned messages."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labelfield.restore.inference import potts_bp
from labelfield.restore.inference.potts_known import conditioned_marginals
from mixed_nets import all_states

SIZES = (2, 3, 4, 2)
STARTS = np.cumsum([0, *SIZES])
TREE = np.array([[0, 1], [1, 2], [1, 3]])
CYCLE = np.array([[0, 1], [1, 2], [2, 3], [0, 3]])
PAIRS = np.argwhere(np.triu(np.ones((4, 4)), 1))


def field(edges, n, strength=1.0, seed=0):
    rng = np.random.default_rng(seed)
    log_pair = np.zeros((STARTS[-1], STARTS[-1]))
    for j, k in edges:
        block = strength * rng.normal(size=(SIZES[j], SIZES[k]))
        log_pair[STARTS[j] : STARTS[j + 1], STARTS[k] : STARTS[k + 1]] = block
        log_pair[STARTS[k] : STARTS[k + 1], STARTS[j] : STARTS[j + 1]] = block.T
    return rng.normal(size=(n, STARTS[-1])), log_pair, rng.normal(size=(2, STARTS[-1]))


def propagate(unary, log_pair, readout, damping=0.0, sweeps=200, tol=1e-12):
    """All variables send and receive."""
    known = np.zeros((len(unary), len(SIZES)), dtype=bool)
    return potts_bp.marginals(
        unary, known, log_pair, STARTS, readout.T.copy(), damping, sweeps, tol, True
    )


def condition(unary, log_pair, readout, certainty=True):
    return conditioned_marginals(
        unary,
        log_pair,
        SIZES,
        readout.T,
        damping=0.3,
        max_sweeps=200,
        tol=1e-12,
        certainty=certainty,
    )


def enumerate_field(unary, log_pair, readout):
    D = all_states(SIZES)
    score = unary @ D.T + 0.5 * np.einsum("ak,kl,al->a", D, log_pair, D)
    weight = np.exp(score - score.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    values = D @ readout.T
    mean = weight @ values
    return weight @ D, weight @ values**2 - mean**2


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_exact_on_a_tree(damping):
    unary, log_pair, readout = field(TREE, 5, strength=2.0)
    belief, _, _, unsettled = propagate(unary, log_pair, readout, damping)
    assert unsettled == 0
    assert_allclose(belief, enumerate_field(unary, log_pair, readout)[0], atol=1e-8)


def test_spread_is_exact_where_all_pairs_are_edges():
    pairs = np.array([[0, 1]])
    unary, log_pair, readout = field(pairs, 4, strength=2.0)
    readout[:, STARTS[2] :] = 0.0
    _, _, spread, _ = propagate(unary, log_pair, readout)
    assert_allclose(spread, enumerate_field(unary, log_pair, readout)[1], atol=1e-8)


def test_close_on_a_cycle_of_moderate_couplings():
    unary, log_pair, readout = field(CYCLE, 20)
    belief, _, _, _ = propagate(unary, log_pair, readout, 0.3)
    assert np.abs(belief - enumerate_field(unary, log_pair, readout)[0]).mean() < 0.01


def test_incoming_is_what_the_neighbours_say():
    unary, log_pair, readout = field(TREE, 3)
    belief, incoming, _, _ = propagate(unary, log_pair, readout)
    for j in range(len(SIZES)):
        block = slice(STARTS[j], STARTS[j + 1])
        posterior = np.exp(unary[:, block] + incoming[:, block])
        posterior /= posterior.sum(axis=1, keepdims=True)
        assert_allclose(belief[:, block], posterior, atol=1e-10)


def test_a_ruled_out_state_stays_out():
    unary, log_pair, readout = field(TREE, 3)
    unary[:, [2, 4]] = -np.inf
    belief, _, _, _ = propagate(unary, log_pair, readout)
    assert (belief[:, [2, 4]] == 0).all()
    exact = enumerate_field(np.maximum(unary, -1e4), log_pair, readout)[0]
    assert_allclose(belief, exact, atol=1e-8)


def some_known(unary, rng):
    """Leave one state to two thirds of the variables, others in every row."""
    unary = unary.copy()
    for row in unary:
        for j in np.flatnonzero(rng.random(len(SIZES)) < 0.6):
            row[STARTS[j] : STARTS[j + 1]][np.arange(SIZES[j]) != rng.integers(SIZES[j])] = -np.inf
    return unary


def log_normalised(score):
    total = np.logaddexp.reduceat(score, STARTS[:-1], axis=1)
    return score - np.repeat(total, SIZES, axis=1)


@pytest.mark.parametrize("edges", [TREE, CYCLE, PAIRS], ids=["tree", "cycle", "all pairs"])
def test_conditioning_on_known_variables_changes_nothing(edges):
    unary, log_pair, readout = field(edges, 60)
    unary = some_known(unary, np.random.default_rng(1))
    belief, incoming, spread = condition(unary, log_pair, readout)
    slow = propagate(unary, log_pair, readout, 0.3)
    assert slow[3] == 0
    assert_allclose(belief, slow[0], atol=1e-9)
    assert_allclose(log_normalised(incoming), log_normalised(slow[1]), atol=1e-9)
    assert_allclose(spread, slow[2], atol=1e-9)


def test_a_row_that_is_all_known_hears_every_other_variable():
    unary, log_pair, readout = field(CYCLE, 2)
    shown = STARTS[:-1] + np.array(SIZES) - 1
    unary[:] = -np.inf
    unary[:, shown] = 0.0
    belief, incoming, spread = condition(unary, log_pair, readout)
    assert (np.flatnonzero(belief[1]) == shown).all()
    assert_allclose(incoming[0], log_pair[shown].sum(axis=0))
    assert (spread == 0).all()


def test_beliefs_alone_are_the_same_beliefs():
    unary, log_pair, readout = field(CYCLE, 20)
    unary = some_known(unary, np.random.default_rng(1))
    whole = condition(unary, log_pair, readout)
    assert (condition(unary, log_pair, readout, certainty=False)[0] == whole[0]).all()


def test_rows_do_not_see_each_other():
    unary, log_pair, readout = field(CYCLE, 70)
    together = propagate(unary, log_pair, readout, 0.3)
    alone = propagate(unary[[69]], log_pair, readout, 0.3)
    assert_allclose(together[0][69], alone[0][0], atol=1e-9)
    assert_allclose(together[2][69], alone[2][0], atol=1e-9)


def test_without_edges_beliefs_are_the_unaries():
    unary, log_pair, readout = field(TREE[:0], 2)
    belief, incoming, _, _ = propagate(unary, log_pair, readout)
    assert (incoming == 0).all()
    assert_allclose(belief, enumerate_field(unary, log_pair, readout)[0], atol=1e-12)


def test_couplings_beyond_the_range_of_floats_give_numbers():
    unary, log_pair, readout = field(CYCLE, 4, strength=300.0)
    belief = propagate(unary, log_pair, readout, 0.3, 50, 1e-4)[0]
    assert np.isfinite(belief).all()
    assert_allclose(np.add.reduceat(belief, STARTS[:-1], axis=1), 1.0)


def test_rows_that_do_not_settle_are_counted():
    unary, log_pair, readout = field(CYCLE, 40)
    assert propagate(unary, log_pair, readout, 0.3, sweeps=1)[3] == 40
