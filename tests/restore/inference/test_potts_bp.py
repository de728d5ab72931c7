"""Belief propagation on many-state fields against enumeration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labelfield.restore.inference import potts_bp
from mixed_nets import all_states

SIZES = (2, 3, 4, 2)
STARTS = np.cumsum([0, *SIZES])
TREE = np.array([[0, 1], [1, 2], [1, 3]])
CYCLE = np.array([[0, 1], [1, 2], [2, 3], [0, 3]])


def field(edges, n, strength=1.0, seed=0):
    rng = np.random.default_rng(seed)
    log_pair = np.zeros((STARTS[-1], STARTS[-1]))
    for j, k in edges:
        block = strength * rng.normal(size=(SIZES[j], SIZES[k]))
        log_pair[STARTS[j] : STARTS[j + 1], STARTS[k] : STARTS[k + 1]] = block
        log_pair[STARTS[k] : STARTS[k + 1], STARTS[j] : STARTS[j + 1]] = block.T
    return rng.normal(size=(n, STARTS[-1])), log_pair, rng.normal(size=(2, STARTS[-1]))


def propagate(unary, log_pair, edges, readout, damping=0.0):
    return potts_bp.marginals(unary, np.exp(log_pair), STARTS, edges, readout, damping, 200, 1e-12)


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
    belief, _, _, unsettled = propagate(unary, log_pair, TREE, readout, damping)
    assert unsettled == 0
    assert_allclose(belief, enumerate_field(unary, log_pair, readout)[0], atol=1e-8)


def test_spread_is_exact_where_all_pairs_are_edges():
    pairs = np.array([[0, 1]])
    unary, log_pair, readout = field(pairs, 4, strength=2.0)
    readout[:, STARTS[2] :] = 0.0
    _, _, spread, _ = propagate(unary, log_pair, pairs, readout)
    assert_allclose(spread, enumerate_field(unary, log_pair, readout)[1], atol=1e-8)


def test_close_on_a_cycle_of_moderate_couplings():
    unary, log_pair, readout = field(CYCLE, 20)
    belief, _, _, _ = propagate(unary, log_pair, CYCLE, readout, 0.3)
    assert np.abs(belief - enumerate_field(unary, log_pair, readout)[0]).mean() < 0.01


def test_incoming_is_what_the_neighbours_say():
    unary, log_pair, readout = field(TREE, 3)
    belief, incoming, _, _ = propagate(unary, log_pair, TREE, readout)
    for j in range(len(SIZES)):
        block = slice(STARTS[j], STARTS[j + 1])
        posterior = np.exp(unary[:, block] + incoming[:, block])
        posterior /= posterior.sum(axis=1, keepdims=True)
        assert_allclose(belief[:, block], posterior, atol=1e-10)


def test_a_ruled_out_state_stays_out():
    unary, log_pair, readout = field(TREE, 3)
    unary[:, [2, 4]] = -np.inf
    belief, _, _, _ = propagate(unary, log_pair, TREE, readout)
    assert (belief[:, [2, 4]] == 0).all()
    exact = enumerate_field(np.maximum(unary, -1e4), log_pair, readout)[0]
    assert_allclose(belief, exact, atol=1e-8)


def test_rows_do_not_see_each_other():
    unary, log_pair, readout = field(CYCLE, 70)
    together = propagate(unary, log_pair, CYCLE, readout, 0.3)
    alone = propagate(unary[[69]], log_pair, CYCLE, readout, 0.3)
    assert_allclose(together[0][69], alone[0][0], atol=1e-9)
    assert_allclose(together[2][69], alone[2][0], atol=1e-9)


def test_without_edges_beliefs_are_the_unaries():
    unary, log_pair, readout = field(TREE[:0], 2)
    belief, incoming, _, _ = propagate(unary, log_pair, TREE[:0], readout)
    assert (incoming == 0).all()
    assert_allclose(belief, enumerate_field(unary, log_pair, readout)[0], atol=1e-12)


def test_couplings_beyond_the_range_of_floats_give_numbers():
    unary, log_pair, readout = field(CYCLE, 4, strength=300.0)
    belief = potts_bp.marginals(
        unary, np.exp(log_pair - log_pair.max()), STARTS, CYCLE, readout, 0.3, 50, 1e-4
    )[0]
    assert np.isfinite(belief).all()
    assert_allclose(np.add.reduceat(belief, STARTS[:-1], axis=1), 1.0)


def test_rows_that_do_not_settle_are_counted():
    unary, log_pair, readout = field(CYCLE, 40)
    result = potts_bp.marginals(unary, np.exp(log_pair), STARTS, CYCLE, readout, 0.3, 1, 1e-12)
    assert result[3] == 40
