"""Spanning forests and the Chow-Liu tree against networkx and the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield.label_graph import chow_liu_tree, maximum_spanning_forest
from strategies import generators


@settings(max_examples=40, deadline=None)
@given(rng=generators, n_labels=st.integers(1, 9))
def test_forest_has_the_largest_weight(rng, n_labels):
    networkx = pytest.importorskip("networkx")
    weights = rng.normal(0.3, 1.0, (n_labels, n_labels))
    weights = weights + weights.T
    edges = maximum_spanning_forest(weights)
    twin = networkx.Graph()
    for a in range(n_labels):
        for b in range(a):
            if weights[a, b] > 0:
                twin.add_edge(a, b, weight=weights[a, b])
    best = networkx.maximum_spanning_tree(twin).size(weight="weight")
    assert weights[tuple(edges.T)].sum() == pytest.approx(best)


def mutual_information(a, b):
    """Return the mutual information of two 0/1 columns, cell by cell."""
    total = 0.0
    for u in (0, 1):
        for v in (0, 1):
            p = np.mean((a == u) & (b == v))
            if p > 0:
                total += p * np.log(p / (np.mean(a == u) * np.mean(b == v)))
    return total


@settings(max_examples=20, deadline=None)
@given(rng=generators)
def test_tree_of_mutual_information(rng):
    Y = (rng.random((30, 5)) < rng.random(5)).astype(np.uint8)
    Y[:, 3] = Y[:, 1] ^ (rng.random(30) < 0.2)
    weights = np.array([[mutual_information(a, b) for b in Y.T] for a in Y.T])
    best = weights[tuple(maximum_spanning_forest(weights).T)].sum()
    assert weights[tuple(chow_liu_tree(Y).T)].sum() == pytest.approx(best)


def test_constant_and_twin_labels():
    Y = np.array([[1, 1, 0, 1], [0, 0, 0, 1], [1, 1, 0, 1], [0, 0, 0, 1]])
    assert chow_liu_tree(Y).tolist() == [[0, 1]]
    assert chow_liu_tree(Y, pseudo_count=1.0).tolist()[0] == [0, 1]


def test_wrong_weights_are_named():
    with pytest.raises(ValueError, match=r"weights must have shape"):
        maximum_spanning_forest(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="NaN"):
        maximum_spanning_forest(np.full((2, 2), np.nan))
