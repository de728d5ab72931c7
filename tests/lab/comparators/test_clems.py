"""The embedding of CLEMS where it is known exactly, where it is not, and its decisions."""

import numpy as np
from lab.comparators.clems import CostEmbedding, embed
from lab.comparators.costs import COSTS
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from comparator_contract import keeps_promises
from labelfield.datasets import make_multilabel
from labelfield.kernels.sets.bits import all_sets
from labelfield.metrics import METRICS


def table_of(cost, sets):
    return np.array([COSTS[cost](truth, sets) for truth in sets])


def test_costs_are_those_of_the_metrics():
    sets = all_sets(3)
    for truth in sets:
        for other in sets:
            pair = truth[None], other[None]
            assert np.isclose(COSTS["f1"](*pair)[0], 1 - METRICS["f1_samples"](*pair))
            assert np.isclose(COSTS["hamming"](*pair)[0], METRICS["hamming_loss"](*pair))


def test_the_roots_of_hamming_losses_are_distances_already():
    wanted = np.sqrt(table_of("hamming", all_sets(3)))
    places, stress = embed(wanted, 3, 100)
    assert stress < 1e-6
    np.testing.assert_allclose(pdist(places), wanted[np.triu_indices(8, 1)], atol=1e-9)


def test_scaling_orders_the_distances_of_f1_better_than_its_start():
    wanted = np.sqrt(table_of("f1", all_sets(4)))
    pairs = wanted[np.triu_indices(16, 1)]
    start, first = embed(wanted, 2, 1)
    places, last = embed(wanted, 2, 300)
    assert last < first
    assert spearmanr(pdist(places), pairs)[0] > spearmanr(pdist(start), pairs)[0]


def test_the_nearest_set_is_taken():
    data = make_multilabel(n_samples=150, n_labels=4, random_state=0)
    model = CostEmbedding(n_trees=10, random_state=0).fit(data.X, data.Y)
    places = model.forest_.predict(data.X[:10])
    nearest = [np.linalg.norm(model.places_ - place, axis=1).argmin() for place in places]
    np.testing.assert_array_equal(model.predict(data.X[:10]), model.sets_[nearest])


def test_contract():
    model = CostEmbedding(n_trees=3, random_state=0)
    keeps_promises(model, check_label_permutation="equal costs are ordered by the list of sets")
