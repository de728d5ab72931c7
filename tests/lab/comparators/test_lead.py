"""The network of LEAD against all graphs of three labels, and its predictions by hand."""

from itertools import product

import numpy as np
import pytest
from lab.comparators.lead import ErrorNetwork, best_network, family_score

from comparator_contract import keeps_promises
from labelfield.datasets import make_multilabel


def is_acyclic(parents):
    return not np.trace(sum(np.linalg.matrix_power(parents.astype(int), k) for k in (1, 2, 3)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("max_parents", [1, 2])
def test_no_graph_has_a_better_score(seed, max_parents):
    rng = np.random.default_rng(seed)
    errors = rng.integers(-1, 2, (60, 3))
    errors[:, 2] = np.where(rng.random(60) < 0.7, errors[:, 0], errors[:, 1])

    def score(parents):
        return sum(family_score(errors, j, np.flatnonzero(parents[:, j])) for j in range(3))

    graphs = np.array(list(product([False, True], repeat=9))).reshape(-1, 3, 3)
    allowed = [g for g in graphs if is_acyclic(g) and g.sum(axis=0).max() <= max_parents]
    parents, order = best_network(errors, max_parents)
    position = np.argsort(order)
    assert score(parents) == pytest.approx(max(map(score, allowed)))
    assert all(position[i] < position[j] for i, j in np.argwhere(parents))
    assert len(allowed) == (25 if max_parents == 2 else 16)


def test_the_score_is_the_probability_of_the_errors_one_row_at_a_time():
    """Counts with the prior's share, row by row: the product rule of a Dirichlet prior."""
    errors = np.random.default_rng(0).integers(-1, 2, (20, 2))
    log_prob = 0.0
    for row in range(20):
        same = errors[:row, 1] == errors[row, 1]
        hits = (same & (errors[:row, 0] == errors[row, 0])).sum()
        log_prob += np.log((hits + 1 / 9) / (same.sum() + 1 / 3))
    assert family_score(errors, 0, (1,)) == pytest.approx(log_prob)


def test_labels_are_taken_one_after_the_other():
    data = make_multilabel(n_samples=300, n_labels=4, random_state=3)
    model = ErrorNetwork(alpha=0.1).fit(data.X, data.Y)
    assert model.parents_.any()
    answer = np.zeros(data.Y.shape, dtype=np.uint8)
    for label in model.order_:
        answer[:, label] = model.problems_.log_odds(data.X, answer)[:, label] > 0
    joint = model.predict_joint(data.X)
    np.testing.assert_array_equal(joint.mode(), answer)


def test_too_many_labels_are_refused():
    with pytest.raises(ValueError, match="up to 15 labels; Y has 16"):
        best_network(np.zeros((5, 16), dtype=int), 1)


def test_contract():
    keeps_promises(ErrorNetwork(tol=1e-9))
