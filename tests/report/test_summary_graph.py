"""The label graph: strongest links first, a first threshold, weights that make sense."""

import numpy as np
import pytest

from labelfield import LabelGraph
from labelfield.label_graph import associate_labels
from labelfield.report.summary import summarize_graph


def random_weights(L, seed=0):
    weights = np.triu(np.random.default_rng(seed).normal(size=(L, L)), k=1)
    return weights + weights.T


def test_links_are_the_pairs_by_strength():
    weights = random_weights(6)
    weights[0, 1] = weights[1, 0] = 0.0
    graph = summarize_graph(LabelGraph.from_matrix("abcdef", weights))
    assert len(graph["links"]) == 14
    strengths = [abs(weight) for _, _, weight in graph["links"]]
    assert strengths == sorted(strengths, reverse=True)
    for a, b, weight in graph["links"]:
        assert a < b
        assert weight == pytest.approx(weights[a, b], abs=5e-5)
    assert sorted(graph["order"]) == list(range(6))
    assert graph["keep_all"]
    assert graph["dropped"] == 0


def test_only_the_strongest_links_are_kept():
    graph = summarize_graph(LabelGraph.from_matrix(range(60), random_weights(60)), n_links=100)
    assert len(graph["links"]) == 100
    assert graph["dropped"] == 60 * 59 // 2 - 100


@pytest.mark.parametrize("L", [1, 2, 6, 20, 100, 374])
def test_the_first_threshold_shows_a_readable_number_of_labels(L):
    graph = summarize_graph(LabelGraph.from_matrix(range(L), random_weights(L)))
    shown = [link for link in graph["links"] if abs(link[2]) >= graph["threshold"]]
    labels = {end for a, b, _ in shown for end in (a, b)}
    assert len(labels) <= 70
    assert len(shown) <= max(8, 1.5 * L) + 1
    assert not graph["links"] or shown


def test_associations_have_the_sign_of_the_dependence():
    together = np.repeat([[1, 1, 0], [0, 0, 1]], 5, axis=0)
    graph = associate_labels(together, label_names=["a", "b", "c"])
    np.testing.assert_allclose(graph.matrix(), [[0, 1, -1], [1, 0, -1], [-1, -1, 0]])
    assert "not parameters of a model" in summarize_graph(graph)["explanation"]


def test_links_too_weak_to_write_are_left_out():
    graph = summarize_graph(LabelGraph(("a", "b", "c"), [[0, 1], [1, 2]], [0.5, 1e-6]))
    assert graph["links"] == [[0, 1, 0.5]]
    assert graph["dropped"] == 1
