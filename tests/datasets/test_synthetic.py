"""Generated label problems against their definitions, written as plain loops."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from labelfield.datasets import make_correlated_discs, make_multilabel, make_star_cliques


def test_multilabel_follows_its_own_chain():
    data = make_multilabel(20_000, 3, 3, random_state=0)
    X, Y, truth = data.X, data.Y.astype(float), data.truth
    assert (np.triu(truth["coupling"]) == 0).all()
    for k in range(3):
        p = expit(X @ truth["coef"][:, k] + truth["intercept"][k] + Y @ truth["coupling"][k])
        groups = [p < 2, X[:, 0] > 0.5] + [Y[:, 0] == 1] * (k > 0)
        for group in groups:
            spread = np.sqrt((p * (1 - p))[group].sum())
            assert abs((Y[:, k] - p)[group].sum()) < 4 * spread


def test_multilabel_without_coupling_is_independent_given_x():
    assert not make_multilabel(10, coupling=0, random_state=0).truth["coupling"].any()


def test_multilabel_sparse_has_the_asked_density():
    data = make_multilabel(300, 50, density=0.1, random_state=0)
    assert sparse.isspmatrix_csr(data.X)
    assert abs(data.X.nnz / 15_000 - 0.1) < 0.02


def test_discs_by_the_definition():
    data = make_correlated_discs(200, 8, random_state=3)
    for x, y in zip(data.X, data.Y):
        previous = 0
        for eta, label in zip(data.truth["directions"], y):
            previous = max(previous, int(eta @ [*x, 1] > 0))
            assert label == previous
    assert (data.Y[:, 0] != data.Y[:, 1]).any()


def test_discs_are_uniform_on_the_disc():
    X = make_correlated_discs(20_000, random_state=0).X
    squared = (X**2).sum(axis=1)
    assert squared.max() <= 1
    np.testing.assert_allclose(
        np.quantile(squared, [0.25, 0.5, 0.75]), [0.25, 0.5, 0.75], atol=0.02
    )
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=0.02)


def test_star_labels_are_the_best_of_all_sets():
    data = make_star_cliques(40, 6, 7, n_edges=3, n_active=4, random_state=1)
    u, v, edges = (data.truth[k] for k in ("label_weights", "edge_weights", "edges"))
    assert edges.tolist() == [[0, 1], [0, 2], [0, 3]]
    assert not u[:, :, 4:].any()
    assert not v[:, :, 4:].any()
    assert (u[:, :, :4] != 0).all()
    for x, y in zip(data.X, data.Y):
        scores = {}
        for labels in product((0, 1), repeat=6):
            score = sum(u[k, labels[k]] @ x for k in range(6))
            score += sum(v[e, 2 * labels[i] + labels[j]] @ x for e, (i, j) in enumerate(edges))
            scores[labels] = score
        assert tuple(y) == max(scores, key=scores.get)


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (make_correlated_discs, {"n_labels": 9}, "between 1 and 8"),
        (make_star_cliques, {"n_edges": 10}, "between 0 and n_labels - 1"),
        (make_star_cliques, {"n_active": 11}, "between 1 and n_features"),
    ],
)
def test_impossible_sizes(make, options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)


@pytest.mark.parametrize("make", [make_multilabel, make_correlated_discs, make_star_cliques])
def test_same_seed_same_data(make):
    one, two, other = (make(50, random_state=seed) for seed in (4, 4, 5))
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.Y, two.Y)
    assert (one.X != other.X).any()
    assert make(0, random_state=0).Y.shape[0] == 0


def test_star_without_edges_is_label_by_label():
    data = make_star_cliques(30, 3, n_edges=0, random_state=0)
    u = data.truth["label_weights"]
    np.testing.assert_array_equal(data.Y, data.X @ (u[:, 1] - u[:, 0]).T > 0)
