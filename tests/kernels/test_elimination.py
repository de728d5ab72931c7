"""The heap of the best sets against sorting; the answers are tested as an engine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from label_graphs import cycle, random_field, truth_of
from labelfield import kernels
from labelfield.kernels.sets.bits import all_sets
from strategies import generators, random_graph


def best_of_row(graph, unary, coupling):
    """Return the best set of one row by the kernel for row after row."""
    plan = graph.elimination_plan
    odds, message = np.empty((plan.start[-1], 1)), np.empty((plan.start[-1], 1))
    best = np.empty(graph.n_labels, dtype=np.uint8)
    kernels.fields.elimination_best.best_set(
        plan, unary[:, None], coupling[:, None], odds, message, best
    )
    return best


@settings(max_examples=50, deadline=None)
@given(rng=generators, n=st.integers(1, 40))
def test_the_cheapest_comes_first(rng, n):
    cost = rng.integers(0, 8, n).astype(float)
    queue, waiting = np.zeros(n, dtype=np.int64), []
    arrivals = rng.permutation(n).tolist()
    while arrivals or waiting:
        if arrivals and (not waiting or rng.random() < 0.6):
            item = arrivals.pop()
            kernels.fields.elimination_best.push(queue, len(waiting), cost, item)
            waiting.append(item)
        else:
            cheapest = min(waiting, key=lambda item: (cost[item], item))
            assert kernels.fields.elimination_best.pop(queue, len(waiting), cost) == cheapest
            waiting.remove(cheapest)


@pytest.mark.parametrize("third_order", [False, True])
@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n_labels", [1, 2, 4, 8])
def test_the_best_set_of_a_row_is_the_best_of_all(n_labels, density, third_order):
    rng = np.random.default_rng(n_labels)
    joint = random_field(random_graph(rng, n_labels, third_order, density), 5, rng, strength=2.0)
    scores = truth_of(joint).scores
    for row in range(5):
        best = best_of_row(joint.graph, joint.unary[row], np.atleast_2d(joint.coupling)[row])
        np.testing.assert_array_equal(best, all_sets(n_labels)[scores[row].argmax()])


def test_a_long_cycle_needs_small_tables_only():
    graph = cycle(60)
    assert np.diff(graph.elimination_plan.start).max() == 4
    unary = np.full(60, -2.0)
    unary[7] = -3.0
    assert not best_of_row(graph, unary, np.full(60, 2.0)).any()
    assert best_of_row(graph, -unary, np.full(60, 2.0)).all()
