"""The best signs against all of them."""

from itertools import combinations

import numpy as np
import pytest

from labelfield.kernels.sets.bits import all_sets
from labelfield.models.margin.problem import terms_of
from labelfield.models.margin.sign_field import best_signs, sign_field


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n_labels", [1, 2, 4, 8])
def test_the_best_signs_are_the_best_of_all(n_labels, density, order):
    rng = np.random.default_rng(n_labels)
    cliques = [c for c in combinations(range(n_labels), order) if rng.random() < density]
    terms = terms_of(n_labels, cliques)
    weights = rng.normal(size=(5, len(terms)))
    signs = 2.0 * all_sets(n_labels) - 1.0
    products = np.stack([signs[:, list(term)].prod(axis=1) for term in terms], axis=1)
    best = best_signs(sign_field(n_labels, terms), weights)
    np.testing.assert_array_equal(best, signs[(weights @ products.T).argmax(axis=1)])


def test_a_tight_graph_of_many_labels_is_refused():
    with pytest.raises(ValueError, match="tables over more than 20 labels"):
        sign_field(22, terms_of(22, list(combinations(range(22), 2))))
