from itertools import product

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from labelfield import ConditionalGraphicalLasso, LogLinearLasso
from labelfield.models.field.clique_loss import CliqueLikelihood
from labelfield.models.field.log_linear_lasso import nested_groups

CLIQUES = [(0, 1), (0, 2), (1, 2), (0, 1, 2)]


def toy(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    Y = (X @ rng.normal(size=(3, 3)) + rng.normal(size=(n, 3)) > 0).astype(np.uint8)
    Y[:, 2] |= Y[:, 0]
    return X, Y


def test_the_likelihood_is_a_sum_over_all_sets():
    rng = np.random.default_rng(0)
    Y = (rng.random((4, 3)) < 0.5).astype(np.uint8)
    likelihood = CliqueLikelihood(Y, CLIQUES)
    weights = rng.normal(size=(4, 7))
    terms = [(0,), (1,), (2,), *CLIQUES]

    def log_p(flat):
        weights = flat.reshape(4, 7)
        signs = np.array(list(product((-1.0, 1.0), repeat=3)))
        scores = weights @ np.array([signs[:, list(t)].prod(axis=1) for t in terms])
        true = np.array([(2.0 * Y - 1.0)[:, list(t)].prod(axis=1) for t in terms]).T
        return np.log(np.exp(scores).sum(axis=1)).sum() - np.vdot(weights, true)

    value, slope, clique_slope = likelihood.evaluate(weights[:, :3], weights[:, 3:])
    # Products of signs and of bits differ by a constant per row, which log Z takes up.
    np.testing.assert_allclose(value, log_p(weights.ravel()), rtol=1e-10)
    expected = approx_fprime(weights.ravel(), log_p, 1e-6).reshape(4, 7)
    np.testing.assert_allclose(np.hstack([slope, clique_slope]), expected, atol=1e-4)


def test_with_pairs_alone_it_is_the_exact_conditional_graphical_lasso():
    X, Y = toy()
    ours = LogLinearLasso(alpha=2.0, clique_alpha=5.0, tol=1e-7).fit(X, Y)
    # Weights there are twice ours, since a sign counts half a log-odds.
    theirs = ConditionalGraphicalLasso(objective="exact", alpha=0.5, edge_alpha=2.5, tol=1e-7).fit(
        X, Y
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)
    assert ours.cliques_ == [tuple(edge) for edge in theirs.edges_.tolist()]


def test_triples_come_with_their_pairs_and_strength_drops_them():
    X, _ = toy(300)
    odd = np.random.default_rng(1).random((300, 2)) < 0.5
    Y = np.column_stack([odd, odd[:, 0] ^ odd[:, 1]]).astype(np.uint8)
    weak = LogLinearLasso(clique_alpha=1.0, max_order=3).fit(X, Y)
    assert weak.cliques_ == CLIQUES
    known = weak.predict_joint(X).condition(np.column_stack([odd, np.full(300, np.nan)]))
    assert (known.mode() == Y).all()
    assert LogLinearLasso(clique_alpha=1e4, max_order=3).fit(X, Y).cliques_ == []
    assert weak.label_graph_.names == ("y0", "y1", "y2")


def test_groups_of_a_pair_hold_the_triples_around_it():
    groups = nested_groups(CLIQUES, 2)
    assert groups[-1].tolist() == [0, 3, 4, 7]
    assert groups[0].tolist() == [3, 7]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"alpha": -1}, "'alpha' parameter"),
        ({"clique_alpha": -1}, "'clique_alpha' parameter"),
        ({"max_order": 1}, "'max_order' parameter"),
    ],
)
def test_bad_parameters_are_refused(parameters, words):
    with pytest.raises(ValueError, match=words):
        LogLinearLasso(**parameters).fit(*toy())


def test_too_many_labels_are_refused_with_a_way_out():
    with pytest.raises(ValueError, match=r"at most 16 labels.*ConditionalGraphicalLasso"):
        LogLinearLasso().fit(np.zeros((4, 2)), np.eye(4, 17, dtype=int))
