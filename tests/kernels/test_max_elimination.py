from itertools import combinations

import numpy as np
import pytest

from labelfield import kernels
from labelfield.joints.factor_graph.bucket_plan import plan_buckets
from labelfield.kernels.sets.bits import all_sets


def random_terms(rng, n_labels, density, triples):
    labels = range(n_labels)
    sizes = (2, 3) if triples else (2,)
    return [(label,) for label in labels] + [
        clique for size in sizes for clique in combinations(labels, size) if rng.random() < density
    ]


@pytest.mark.parametrize("triples", [False, True])
@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n_labels", [1, 2, 4, 8])
def test_the_best_set_is_the_best_of_all(n_labels, density, triples):
    rng = np.random.default_rng(n_labels)
    terms = random_terms(rng, n_labels, density, triples)
    weights = rng.normal(size=(5, len(terms)))
    signs = 2.0 * all_sets(n_labels) - 1.0
    products = np.stack([signs[:, list(term)].prod(axis=1) for term in terms], axis=1)
    scores = weights @ products.T
    best, value = kernels.fields.max_elimination.best_sets(plan_buckets(n_labels, terms), weights)
    np.testing.assert_allclose(value, scores.max(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(best, signs[scores.argmax(axis=1)])


def test_a_long_cycle_needs_small_tables_only():
    n_labels = 60
    ring = [tuple(sorted((label, (label + 1) % n_labels))) for label in range(n_labels)]
    plan = plan_buckets(n_labels, [(label,) for label in range(n_labels)] + ring)
    assert np.diff(plan.table_start).max() == 4
    weights = np.zeros((1, 2 * n_labels))
    weights[0, n_labels:] = 1.0
    weights[0, 7] = -0.5
    best, value = kernels.fields.max_elimination.best_sets(plan, weights)
    assert (best == -1.0).all()
    np.testing.assert_allclose(value, n_labels + 0.5)


def test_a_tight_graph_of_many_labels_is_refused():
    terms = [(label,) for label in range(22)] + list(combinations(range(22), 2))
    with pytest.raises(ValueError, match="tables over more than 19 labels"):
        plan_buckets(22, terms)
