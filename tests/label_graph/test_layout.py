import numpy as np

from labelfield.label_graph.layout import similarity_order


def test_similar_labels_become_neighbours():
    groups = np.array([0, 1, 2] * 4)
    weights = (groups[:, None] == groups) - 0.1
    np.fill_diagonal(weights, 0.0)
    order = similarity_order(weights)
    assert sorted(order) == list(range(12))
    assert (np.diff(groups[order]) != 0).sum() == 2
