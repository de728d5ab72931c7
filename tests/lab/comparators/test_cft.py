"""The filter tree against a chain, and against a tree worked out node by node."""

import numpy as np
import pytest
from lab.comparators.cft import CondensedFilterTree
from lab.comparators.costs import COSTS

from comparator_contract import keeps_promises
from labelfield import ClassifierChain
from labelfield.datasets import make_multilabel
from labelfield.metrics import METRICS


def test_the_last_level_for_hamming_loss_is_the_end_of_a_classifier_chain():
    """Nothing comes after it that could be spoiled, and the first round sees the true labels."""
    data = make_multilabel(n_samples=150, n_labels=4, random_state=0)
    tree = CondensedFilterTree(cost="hamming", n_rounds=1, tol=1e-9).fit(data.X, data.Y)
    chain = ClassifierChain(alpha=1.0, tol=1e-9).fit(data.X, data.Y).problems_
    np.testing.assert_allclose(tree.coef_[:, 3], chain.coef[:, 3], atol=1e-5)
    np.testing.assert_allclose(tree.coupling_[:, 3], chain.coupling[:, 3], atol=1e-5)
    np.testing.assert_allclose(tree.intercept_[3], chain.intercept[3], atol=1e-5)


def best_without_features(Y):
    """Return the leaf of a filter tree of two labels, each node a vote of the rows on true paths.

    All nodes of a level share no weights here: with one earlier label the level has one for each.
    """
    cost = COSTS["f1"]

    def leaf_cost(row, leaf):
        return float(cost(row, np.array(leaf)))

    second = {}
    for first in (0, 1):
        rows = [row for row in Y if row[0] == first]
        votes = sum(leaf_cost(row, (first, 0)) - leaf_cost(row, (first, 1)) for row in rows)
        assert abs(votes) > 1e-9, "a tie tells nothing"
        second[first] = int(votes > 0)
    gain = sum(leaf_cost(row, (0, second[0])) - leaf_cost(row, (1, second[1])) for row in Y)
    first = int(gain > 0)
    assert abs(gain) > 1e-9, "a tie tells nothing"
    return first, second[first]


@pytest.mark.parametrize("seed", [0, 1, 4, 5])
def test_without_features_nodes_vote_by_what_they_save(seed):
    Y = np.random.default_rng(seed).integers(0, 2, (25, 2))
    model = CondensedFilterTree(n_rounds=1, alpha=1e-6, tol=1e-9).fit(np.zeros((25, 1)), Y)
    answer = model.predict_joint(np.zeros((1, 1))).mode()[0]
    assert tuple(answer) == best_without_features(Y)


def test_it_serves_the_cost_that_it_learns_from():
    data = make_multilabel(n_samples=600, n_labels=5, random_state=4)
    found = {
        cost: CondensedFilterTree(cost=cost).fit(data.X[:300], data.Y[:300]).predict(data.X[300:])
        for cost in COSTS
    }
    f1 = {cost: METRICS["f1_samples"](data.Y[300:], sets) for cost, sets in found.items()}
    assert f1["f1"] > f1["hamming"]


def test_contract():
    model = CondensedFilterTree(n_rounds=1, tol=1e-9)
    keeps_promises(model, check_label_permutation="another label order is another tree")
