"""Holes drawn from the field: the right law, and no coupling made stronger than it is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from labelfield.restore.inference.noise import Noise
from labelfield.restore.learning import training_rows
from labelfield.restore.learning.learn import learn_field
from labelfield.restore.learning.training_rows import TrainingRows, redraw
from labelfield.restore.shape import FieldShape
from labelfield.restore.tables.codec import EncodedTable
from mixed_nets import exact_posterior, random_net


def test_draws_have_the_posterior_moments():
    net = random_net(np.random.default_rng(0), mc=2, sizes=(2, 3))
    shape = FieldShape(2, (2, 3))
    seen = EncodedTable(np.array([[np.nan, 0.7]]), np.array([[-1, -1]]))
    n = 20_000
    numbers, states = np.tile([0.0, 0.7], (n, 1)), np.tile([0.5, 0.5, 1 / 3, 1 / 3, 1 / 3], (n, 1))
    holes = np.tile(~seen.observed(), (n, 1))
    redraw(net, numbers, states, holes, np.random.default_rng(1), sweeps=15)
    mean, variance, proba = exact_posterior(
        net, Noise.uniform(shape, 0.0, 0.0), seen.numbers, seen.codes
    )
    assert_allclose(numbers.mean(axis=0), mean[0], atol=0.03)
    assert_allclose(numbers.var(axis=0), variance[0], atol=0.03)
    assert_allclose(states.mean(axis=0), proba[0], atol=0.015)
    assert_array_equal(np.add.reduceat(states, shape.state_starts, axis=1), 1.0)


def test_what_was_seen_stays_in_every_copy():
    rng = np.random.default_rng(2)
    net = random_net(rng, mc=2, sizes=(2, 3))
    numbers = np.where(rng.random((30, 2)) < 0.4, np.nan, rng.normal(size=(30, 2)))
    codes = np.where(rng.random((30, 2)) < 0.4, -1, rng.integers(0, 2, (30, 2)))
    table = EncodedTable(numbers, codes)
    rows = TrainingRows(table, FieldShape(2, (2, 3)))
    rows.draw(net, rng)
    there = ~np.isnan(numbers)
    copies = rows.numbers.reshape(training_rows.MOST_COPIES, 30, 2)
    assert_array_equal(copies[:, there], np.tile(numbers[there], (len(copies), 1)))
    assert (copies[:, ~there].std(axis=0) > 0.1).all()
    shown = table.states((2, 3)) == 1
    assert (rows.states.reshape(len(copies), 30, 5)[:, shown] == 1).all()


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_holes_make_no_coupling_stronger(share):
    """Filled with expectations instead, these edges come out 1.5 and 2.7 times too strong."""
    precision = 2 * np.eye(6)
    for s in range(5):
        precision[s, s + 1] = precision[s + 1, s] = 0.9 * (-1) ** s
    spread = np.linalg.inv(precision)
    scale = np.sqrt(np.diag(spread))
    rng = np.random.default_rng(0)
    numbers = rng.multivariate_normal(np.zeros(6), spread, size=1500) / scale
    numbers[rng.random(numbers.shape) < share] = np.nan
    table = EncodedTable(numbers, np.zeros((1500, 0), dtype=int))
    found = learn_field(
        table, FieldShape(6, ()), alpha=1e-4, tol=1e-6, max_iter=1000, rng=rng
    ).net.precision
    truth = precision * np.outer(scale, scale)
    edges = np.eye(6, k=1) == 1
    assert 0.85 < np.mean(found[edges] / truth[edges]) < 1.1
    assert np.abs(found - truth).mean() < 0.12
