"""Flat cliques, and what they imply: pairs, neighbours, components."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from label_graphs import cycle, grid, random_tree
from labelfield.joints.factor_graph import FactorGraph
from strategies import generators, random_graph


@settings(max_examples=40, deadline=None)
@given(rng=generators, n_labels=st.integers(1, 9), third_order=st.booleans())
def test_pairs_neighbours_components(rng, n_labels, third_order):
    networkx = pytest.importorskip("networkx")
    graph = random_graph(rng, n_labels, third_order, density=0.25)
    twin = networkx.empty_graph(n_labels)
    for clique in graph.cliques:
        twin.add_edges_from((a, b) for a in clique for b in clique if a < b)
    assert sorted(map(tuple, graph.edges.tolist())) == sorted(twin.edges)
    starts, labels = graph.neighbours
    for label in range(n_labels):
        assert labels[starts[label] : starts[label + 1]].tolist() == sorted(twin[label])
    for part in networkx.connected_components(twin):
        assert len(set(graph.components[list(part)])) == 1
    assert graph.components.max() + 1 == networkx.number_connected_components(twin)
    assert graph.is_forest == networkx.is_forest(twin)


def test_members_are_sorted_and_pairs_keep_their_order():
    graph = FactorGraph(5, np.array([[3, 1], [0, 4]]))
    assert graph.edges.tolist() == [[1, 3], [0, 4]]
    assert graph.is_pairwise
    assert FactorGraph(3, []).edges.shape == (0, 2)
    assert FactorGraph.complete(3).cliques == [(0, 1), (0, 2), (1, 2)]


def test_graphs_of_arrays_are_kept_and_others_made_anew():
    edges = np.array([[3, 1], [0, 4]])
    kept = FactorGraph.of_edges(5, edges)
    assert FactorGraph.of_edges(5, edges.astype(np.int32)) is kept
    assert FactorGraph.of_edges(5, kept) is kept
    assert FactorGraph.of_edges(6, edges).n_labels == 6
    assert FactorGraph.of_edges(5, [[3, 1], (0, 1, 4)]).cliques == [(1, 3), (0, 1, 4)]
    assert FactorGraph.of_edges(5, np.zeros((0, 2), dtype=int)).n_cliques == 0
    np.testing.assert_array_equal(kept.membership.toarray(), [[0, 1, 0, 1, 0], [1, 0, 0, 0, 1]])
    with pytest.raises(ValueError, match="whole numbers"):
        FactorGraph.of_edges(5, np.array([[0.5, 1.0]]))


@pytest.mark.parametrize(
    ("cliques", "words"),
    [
        ([(0, 0)], "different labels"),
        ([(0,)], "two or three"),
        ([(0, 1, 2, 3)], "two or three"),
        ([(0, 4)], r"labels 0\.\.3"),
        ([(-1, 2)], r"labels 0\.\.3"),
        ([(0, 1), (2, 3), (1, 0)], "twice"),
    ],
)
def test_wrong_cliques_are_named(cliques, words):
    with pytest.raises(ValueError, match=words):
        FactorGraph(4, cliques)


@pytest.mark.parametrize(
    ("graph", "width"),
    [
        (FactorGraph(4, []), 0),
        (random_tree(30, np.random.default_rng(0)), 1),
        (cycle(12), 2),
        (grid(4, 4), 4),
        (FactorGraph.complete(6), 5),
        (FactorGraph(5, [(0, 1, 2), (2, 3, 4)]), 2),
        (FactorGraph.complete(30), None),
    ],
)
def test_treewidth(graph, width):
    assert graph.treewidth == width
    if width is None:
        assert graph.elimination_order is None
        assert graph.n_cells == np.inf
    else:
        assert sorted(graph.elimination_order) == list(range(graph.n_labels))


def test_order_leaves_few_configurations():
    assert FactorGraph.complete(5).n_cells == 1 + 2 + 4 + 8 + 16
    star = FactorGraph(50, [(0, i) for i in range(1, 50)])
    assert star.n_cells == 49 * 2 + 1
