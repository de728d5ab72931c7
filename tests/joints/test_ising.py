"""Fields of labels against the list of all sets; the contract is tested with all joints."""

import numpy as np
import pytest

from labelfield import IntractableError
from labelfield.joints import IsingJoint
from labelfield.joints.factor_graph import FactorGraph
from labelfield.kernels.sets.bits import all_sets
from laws import enumerate_law


def test_scores_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    graph = FactorGraph(4, [(0, 1), (1, 3), (0, 2, 3)])
    unary, coupling = rng.normal(size=(3, 4)), rng.normal(size=(3, 3))
    joint = IsingJoint(unary, graph, coupling)
    sets = all_sets(4)
    products = np.stack([sets[:, list(c)].prod(axis=1) for c in graph.cliques])
    wanted = unary @ sets.T + coupling @ products
    np.testing.assert_allclose(joint.log_score(np.broadcast_to(sets, (3, 16, 4))), wanted)
    log_z = np.log(np.exp(wanted).sum(axis=1))
    np.testing.assert_allclose(joint.log_partition(), log_z)
    p = np.exp(wanted - log_z[:, None])
    np.testing.assert_allclose(joint.clique_marginals(), p @ products.T)


@pytest.mark.parametrize("shared", [True, False])
def test_signs(shared):
    rng = np.random.default_rng(1)
    edges = [(0, 1), (1, 2), (2, 3)]
    unary, coupling = rng.normal(size=(3, 4)), rng.normal(size=3 if shared else (3, 3))
    signs = 2.0 * all_sets(4) - 1.0
    products = np.stack([signs[:, a] * signs[:, b] for a, b in edges])
    score = unary @ signs.T + np.atleast_2d(coupling) @ products
    wanted = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    joint = IsingJoint.from_signs(unary, edges, coupling)
    np.testing.assert_allclose(enumerate_law(joint)[1], wanted)
    with pytest.raises(ValueError, match="pairs only"):
        IsingJoint.from_signs(unary, FactorGraph(4, [(0, 1, 2)]), [1.0])


def test_one_label_and_no_edges_are_logistic():
    unary = np.array([[-1.0], [2.0]])
    joint = IsingJoint(unary, [], [])
    np.testing.assert_allclose(joint.marginals(), 1.0 / (1.0 + np.exp(-unary)))


def test_labels_that_exclude_each_other():
    joint = IsingJoint([[40.0, 41.0]], [(0, 1)], [-500.0])
    np.testing.assert_array_equal(joint.mode(), [[0, 1]])
    assert joint.clique_marginals()[0, 0] < 1e-100


def test_known_labels_that_cannot_be():
    joint = IsingJoint([[np.inf, 0.0]], [(0, 1)], [1.0])
    with pytest.raises(ValueError, match="probability zero"):
        joint.condition([[0.0, np.nan]])


@pytest.mark.parametrize("inference", ["enumeration", "junction_tree", "sum_product"])
def test_impossible_sets_come_last(inference):
    rng = np.random.default_rng(3)
    unary = rng.normal(0.0, 200.0, (2, 8))
    unary[:, 2], unary[:, 5] = np.inf, -np.inf
    joint = IsingJoint(
        unary, [(i, i + 1) for i in range(7)], rng.normal(size=7), inference=inference
    )
    sets, log_score = joint.top_k(80)
    assert np.isfinite(log_score[:, :64]).all()
    assert np.isneginf(log_score[:, 64:]).all()
    assert (np.diff(log_score[:, :64], axis=1) <= 1e-9).all()
    assert (sets[:, :64, 2] == 1).all()


def test_answers_cannot_be_changed_from_outside():
    joint = IsingJoint([[0.0, 0.0]], [(0, 1)], [1.0])
    joint.marginals()[:] = 7.0
    assert joint.marginals().max() < 1.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1.0], [], []), "unary must have shape"),
        (([[np.nan, 1.0]], [], []), "unary holds NaN"),
        (([[0.0, 1.0]], [(0, 1)], [1.0, 2.0]), "coupling must have shape"),
        (([[0.0, 1.0]], [(0, 1)], [np.inf]), "coupling must be finite"),
        (([[0.0, 1.0]], FactorGraph(3, []), []), "graph of 3 labels"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        IsingJoint(*arguments)


def test_unknown_engine():
    with pytest.raises(ValueError, match=r"inference must be .*enumeration.* got 'magic'"):
        IsingJoint([[0.0]], [], [], inference="magic")


def test_too_many_labels_for_a_list():
    with pytest.raises(IntractableError, match="enumeration of 40 labels"):
        IsingJoint(np.zeros((1, 40)), [(0, 1)], [1.0], inference="enumeration")
