"""Engines of inference against the list of all sets, on graphs of many kinds."""

import numpy as np
import pytest

from label_graphs import families, random_field, random_tree, truth_of
from labelfield import IntractableError
from labelfield.joints import IsingJoint
from labelfield.joints._engines import ENGINES

FAMILIES = families(np.random.default_rng(0))
EXACT = [name for name, engine in ENGINES.items() if engine.exact]
every_graph = pytest.mark.parametrize("name", FAMILIES)


def close(actual, desired):
    np.testing.assert_allclose(actual, desired, rtol=0, atol=1e-10)


def with_engine(joint, infer, **options):
    return IsingJoint(joint.unary, joint.graph, joint.coupling, infer=infer, **options)


@every_graph
@pytest.mark.parametrize("infer", EXACT)
@pytest.mark.parametrize("shared", [True, False])
def test_exact_engines_equal_the_list_of_all_sets(name, infer, shared):
    joint = random_field(FAMILIES[name], 3, np.random.default_rng(1), 1.5, shared)
    truth, answer = truth_of(joint), with_engine(joint, infer)
    close(answer.log_partition(), truth.log_partition)
    close(answer.marginals(), truth.marginals)
    close(answer.clique_marginals(), truth.clique_marginals)
    close(answer.pair_marginals(), truth.pair_marginals)
    close(answer.size_marginals(), truth.size_marginals)
    _, log_prob = answer.top_k(20)
    ranked = -np.sort(-truth.scores, axis=1)[:, :20] - truth.log_partition[:, None]
    close(log_prob, ranked)
    assert answer.certified(20).all()
    assert answer.converged.all()
    assert (answer.gap == 0.0).all()


def test_tiles_of_rows_do_not_matter():
    joint = random_field(FAMILIES["sparse"], 67, np.random.default_rng(2))
    one_by_one = [with_engine(joint.take([i]), "junction_tree").marginals() for i in range(67)]
    close(with_engine(joint, "junction_tree").marginals(), np.concatenate(one_by_one))


def test_a_hundred_labels_on_a_sparse_graph_are_exact():
    rng = np.random.default_rng(3)
    joint = random_field(random_tree(100, rng), 4, rng)
    assert joint.method == "junction_tree"
    assert joint.exact
    sizes = joint.size_marginals()
    close(sizes.sum(axis=2), joint.marginals())
    close(joint.size_distribution().sum(axis=1), 1.0)
    pairs = joint.pair_marginals()
    first, second = joint.edges.T
    close(pairs[:, first, second], joint.clique_marginals())
    close(pairs, pairs.swapaxes(1, 2))
    sets, log_prob = joint.top_k(50)
    close(joint.log_prob(sets), log_prob)
    flipped = sets[:, :1] ^ np.eye(100, dtype=np.uint8)
    assert (joint.log_prob(flipped) <= log_prob[:, :1] + 1e-12).all()


def test_auto_takes_the_cheaper_exact_engine():
    rng = np.random.default_rng(4)
    assert random_field(FAMILIES["complete"], 1, rng).method == "enumeration"
    assert random_field(FAMILIES["tree"], 1, rng).method == "junction_tree"
    with pytest.raises(IntractableError, match="enumeration of 40 labels"):
        with_engine(random_field(random_tree(40, rng), 1, rng), "enumeration")
