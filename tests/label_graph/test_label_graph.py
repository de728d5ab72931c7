import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from labelfield import LabelGraph

mpl.use("agg")


def random_graph(L, density=1.0, seed=0):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(L, L)) * (rng.random((L, L)) < density), k=1)
    return LabelGraph.from_matrix([f"label {k}" for k in range(L)], weights + weights.T)


def test_links_are_sorted_by_strength_and_zeros_are_no_links():
    graph = LabelGraph(("a", "b", "c"), [[2, 0], [0, 1], [1, 2]], [1.0, -3.0, 0.0])
    assert graph.edges() == [("a", "b", -3.0), ("a", "c", 1.0)]
    assert graph.neighbors("c") == [("a", 1.0)]
    assert graph.density == pytest.approx(2 / 3)
    np.testing.assert_array_equal(graph.matrix(), [[0, -3, 1], [-3, 0, 0], [1, 0, 0]])
    assert graph.strongest(1).edges() == [("a", "b", -3.0)]


def test_networkx_has_the_same_nodes_and_weights():
    graph = LabelGraph(("a", "b", "c"), [[0, 1]], [2.0])
    found = graph.to_networkx()
    assert sorted(found.nodes) == ["a", "b", "c"]
    assert list(found.edges(data="weight")) == [("a", "b", 2.0)]


@pytest.mark.parametrize("L", [1, 2, 6, 20, 100, 374])
def test_the_picture_names_the_linked_labels_apart(L):
    graph = random_graph(L)
    axes = graph.plot()
    names = [text.get_text() for text in axes.texts]
    assert len(set(names)) == len(names)
    assert len(names) == L if L <= 20 else 20 < len(names) <= 70
    line_height = 1.2 * axes.texts[0].get_fontsize() / 72 * axes.figure.dpi
    radius = np.ptp(axes.transData.transform([[0, 0], [1.05, 0]])[:, 0])
    assert len(names) * line_height < 1.25 * 2 * np.pi * radius
    plt.close(axes.figure)


def test_the_threshold_hides_weak_links():
    graph = random_graph(8)
    axes = graph.plot(threshold=1.0)
    assert len(axes.patches) == (np.abs(graph.weights) >= 1.0).sum()
    plt.close(axes.figure)


def test_labels_stand_in_the_order_asked_for():
    names = ["label 2", "label 0", "label 3", "label 1"]
    for seed in range(3):
        axes = random_graph(4, seed=seed).plot(order=names)
        written = {text.get_text(): text.get_position() for text in axes.texts}
        top, right, bottom, left = (written[name] for name in names)
        assert top[1] > 1 > -1 > bottom[1]
        assert right[0] > 1 > -1 > left[0]
        plt.close(axes.figure)


@pytest.mark.parametrize("order", [["label 0"], ["label 0", "label 0"], ["label 0", "x"], [0, 1]])
def test_an_order_must_name_every_label_once(order):
    with pytest.raises(ValueError, match="order must name every label once"):
        random_graph(2).plot(order=order)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), "shape"),
        ([[0, 1], [2, 0]], "symmetric"),
        ([[0, np.nan], [np.nan, 0]], "finite"),
    ],
)
def test_a_matrix_is_checked(matrix, message):
    with pytest.raises(ValueError, match=message):
        LabelGraph.from_matrix(["a", "b"], matrix)


@pytest.mark.parametrize(
    ("names", "pairs", "weights", "message"),
    [
        ("aa", [[0, 1]], [1.0], "different"),
        ("ab", [[0, 2]], [1.0], "labels 0 to 1"),
        ("ab", [[0, 0]], [1.0], "two different"),
        ("abc", [[0, 1], [1, 0]], [1.0, 1.0], "all different"),
        ("ab", [[0, 1]], [np.inf], "finite"),
        ("ab", [[0, 1]], [1.0, 2.0], "one finite number per pair"),
    ],
)
def test_links_are_checked(names, pairs, weights, message):
    with pytest.raises(ValueError, match=message):
        LabelGraph(tuple(names), pairs, weights)


def test_an_unknown_label_is_named():
    with pytest.raises(ValueError, match="'x'"):
        LabelGraph(("a", "b"), [[0, 1]], [1.0]).neighbors("x")
