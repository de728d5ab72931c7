"""Learning the field: what it finds, holes in training, its guarantees."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from labelfield.restore.learning.learn import ALPHAS, as_net, learn_field
from labelfield.restore.shape import FieldShape
from labelfield.restore.tables.codec import EncodedTable
from mixed_nets import sparse_net


def encoded(net, n, seed=0):
    numbers, codes = net.sample(n, n_sweeps=30, rng=np.random.default_rng(seed))
    numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    return EncodedTable(numbers, codes)


def learn(table, sizes, alpha="auto", **options):
    shape = FieldShape(table.numbers.shape[1], sizes)
    options = {"tol": 3e-4, "max_iter": 1000, "rng": np.random.default_rng(0), **options}
    return learn_field(table, shape, alpha=alpha, **options)


@pytest.fixture(scope="module")
def net():
    return sparse_net(
        np.random.default_rng(0), mc=4, md=3, density=0.4, coupling=1.0, margin=1.0, loading=1.0
    )


@pytest.fixture(scope="module")
def table(net):
    return encoded(net, 600)


def coupled(net):
    shape = FieldShape(len(net.linear), net.sizes)
    B = np.block([[net.precision, net.mixed], [net.mixed.T, net.pair]])
    norms = shape.block_norms(B)
    np.fill_diagonal(norms, 0.0)
    return norms


def test_true_edges_get_the_weight(net, table):
    truth = coupled(net) > 0
    learned = coupled(learn(table, net.sizes).net)
    off = ~np.eye(len(truth), dtype=bool)
    assert learned[truth & off].min() > 1.5 * learned[~truth & off].max()


def test_the_strength_with_the_best_held_out_likelihood_is_taken(net, table):
    learned = learn(table, net.sizes)
    assert set(learned.path) == set(ALPHAS)
    assert learned.path[learned.alpha] == min(learned.path.values())
    assert learned.trace.reason == "converged"


def test_objective_never_rises_and_precision_is_positive_definite(net, table):
    learned = learn(table, net.sizes, alpha=0.02)
    assert (np.diff(learned.trace.objective) <= 0).all()
    assert np.linalg.eigvalsh(learned.net.precision)[0] > 0.01
    assert_allclose(learned.net.pair, learned.net.pair.T)


def test_a_precision_that_is_not_positive_definite_is_lifted():
    shape = FieldShape(2, ())
    theta = np.concatenate([[1.0, 1.0], [0, 0], [0, 4.0, 4.0, 0]])
    assert_allclose(np.linalg.eigvalsh(as_net(theta, shape).precision)[0], 0.01)


def test_holes_in_training_cost_little(net, table):
    rng = np.random.default_rng(1)
    hole = rng.random((600, 4)) < 0.25
    gap = rng.random((600, 3)) < 0.25
    holed = EncodedTable(np.where(hole, np.nan, table.numbers), np.where(gap, -1, table.codes))
    full = learn(table, net.sizes, alpha=0.02)
    learned = learn(holed, net.sizes, alpha=0.02)
    starts = FieldShape(4, net.sizes).state_starts
    plain_codes = np.where(gap, [np.bincount(c).argmax() for c in table.codes.T], table.codes)
    plain = learn(
        EncodedTable(np.where(hole, 0.0, table.numbers), plain_codes), net.sizes, alpha=0.02
    )

    def distance(one):
        return np.abs(coupled(one.net) - coupled(full.net)).sum()

    assert distance(learned) < 0.6 * distance(plain)
    filled = np.sqrt(np.mean((learned.numbers - table.numbers)[hole] ** 2))
    assert filled < 0.8 * np.sqrt(np.mean(table.numbers[hole] ** 2))
    right = np.take_along_axis(learned.states, table.codes + starts, axis=1)[gap]
    assert right.mean() > 0.6


def test_large_tables_choose_on_a_sample_and_fit_all_rows(net, monkeypatch):
    table = encoded(net, 500)
    monkeypatch.setattr("labelfield.restore.learning.learn.PATH_ROWS", 100)
    monkeypatch.setattr("labelfield.restore.learning.training_rows.SINGLE_PRECISION_ROWS", 200)
    single = learn(table, net.sizes, alpha=0.04)
    monkeypatch.undo()
    double = learn(table, net.sizes, alpha=0.04)
    assert_allclose(single.trace.objective[-1], double.trace.objective[-1], rtol=1e-4)
    assert_allclose(single.net.precision, double.net.precision, atol=0.1)


def test_fewer_rows_than_columns():
    rng = np.random.default_rng(0)
    table = EncodedTable(rng.normal(size=(6, 10)), rng.integers(0, 2, (6, 5)))
    learned = learn(table, (2,) * 5)
    assert learned.alpha == max(ALPHAS)
    assert np.linalg.eigvalsh(learned.net.precision)[0] > 0


def test_a_state_never_seen_keeps_a_small_probability():
    rng = np.random.default_rng(0)
    table = EncodedTable(rng.normal(size=(100, 1)), rng.integers(0, 2, (100, 2)))
    net = learn(table, (3, 2), alpha=0.05).net
    odds = np.exp(net.unary[:3])
    assert 1e-5 < odds[2] / odds.sum() < 0.01
