"""Engines of inference against the list of all sets, on graphs of many kinds."""

import numpy as np
import pytest

from label_graphs import families, random_field, random_tree, truth_of
from labelfield import IntractableError
from labelfield.joints import IsingJoint
from labelfield.joints._engines import ENGINES
from labelfield.joints.factor_graph import FactorGraph

FAMILIES = families(np.random.default_rng(0))
EXACT = [name for name, engine in ENGINES.items() if engine.exact]
every_graph = pytest.mark.parametrize("name", FAMILIES)


def close(actual, desired):
    np.testing.assert_allclose(actual, desired, rtol=0, atol=1e-10)


def with_engine(joint, inference, **options):
    return IsingJoint(joint.unary, joint.graph, joint.coupling, inference=inference, **options)


@every_graph
@pytest.mark.parametrize("inference", EXACT)
@pytest.mark.parametrize("shared", [True, False])
def test_exact_engines_equal_the_list_of_all_sets(name, inference, shared):
    joint = random_field(FAMILIES[name], 3, np.random.default_rng(1), 1.5, shared)
    truth, answer = truth_of(joint), with_engine(joint, inference)
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


APPROXIMATE = [name for name, engine in ENGINES.items() if not engine.exact]
WORST_MEAN_ERROR = {"sum_product": 0.02, "mean_field": 0.1, "max_product": 0.1, "gibbs": 0.03}


@every_graph
@pytest.mark.parametrize("inference", APPROXIMATE)
def test_approximate_engines_stay_near(name, inference):
    joint = random_field(FAMILIES[name], 20, np.random.default_rng(5))
    truth, answer = truth_of(joint), with_engine(joint, inference)
    limit = WORST_MEAN_ERROR[inference]
    assert np.abs(answer.marginals() - truth.marginals).mean() < limit
    assert np.abs(answer.pair_marginals() - truth.pair_marginals).mean() < limit
    error = np.abs(answer.clique_marginals() - truth.clique_marginals)
    assert error.sum() <= limit * error.size
    best = truth.scores.max(axis=1)
    assert (answer.log_score(answer.mode()) >= best - 1e-9).mean() >= 0.9
    assert not answer.exact
    assert not answer.normalized


def test_draws_give_sizes_where_nothing_else_does():
    joint = random_field(FAMILIES["complete"], 5, np.random.default_rng(6), 0.5)
    answer = with_engine(joint, "sum_product", n_draws=4000)
    assert np.abs(answer.size_marginals() - truth_of(joint).size_marginals).max() < 0.05
    np.testing.assert_array_equal(
        answer.take([3]).size_marginals(2)[0], answer.size_marginals(2)[3]
    )


def test_draws_of_rows_are_not_the_same():
    joint = with_engine(random_field(FAMILIES["grid"], 1, np.random.default_rng(7)), "gibbs")
    draws = joint.take([0, 0]).sample(50, np.random.default_rng(0))
    assert (draws[0] != draws[1]).any()


def test_many_coupled_labels():
    rng = np.random.default_rng(8)
    joint = random_field(FactorGraph.complete(45), 3, rng, 0.3)
    assert (joint.method, joint.exact) == ("sum_product", False)
    with pytest.raises(IntractableError, match=r"sum_product.*restrict"):
        joint.log_prob(joint.mode())
    sets, log_score = joint.top_k(5)
    np.testing.assert_allclose(joint.log_score(sets), log_score)
    assert joint.restrict(sets[0]).log_weights.shape == (3, 5)
    known = np.where(rng.random((3, 45)) < 0.5, joint.mode(), np.nan)
    given = joint.condition(known)
    np.testing.assert_allclose(given.marginals()[known == 1.0], 1.0)
    np.testing.assert_allclose(given.marginals()[known == 0.0], 0.0, atol=1e-12)
    np.testing.assert_array_equal(given.mode()[~np.isnan(known)], known[~np.isnan(known)])


def test_a_run_that_did_not_settle_says_so():
    joint = random_field(FAMILIES["complete"], 30, np.random.default_rng(9), 4.0)
    answer = with_engine(joint, "max_product", max_iter=3)
    assert not answer.converged.all()
    flipped = answer.mode()[:, None] ^ np.eye(8, dtype=np.uint8)
    assert (joint.log_score(flipped) <= joint.log_score(answer.mode())[:, None] + 1e-9).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"schedule": "random"}, "The 'schedule' parameter of IsingJoint"),
        ({"damping": 1.0}, "The 'damping' parameter of IsingJoint"),
        ({"max_iter": 0}, "The 'max_iter' parameter of IsingJoint"),
        ({"n_draws": 0}, "The 'n_draws' parameter of IsingJoint"),
    ],
)
def test_wrong_options_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        IsingJoint([[0.0]], [], [], **options)


def test_normalisers_of_approximate_engines_are_estimates_or_refused():
    joint = random_field(FAMILIES["grid"], 4, np.random.default_rng(8), 0.5)
    rng = np.random.default_rng(9)
    known = np.where(rng.random(joint.unary.shape) < 0.3, joint.mode(), np.nan)
    log_odds = rng.normal(size=joint.unary.shape)
    for inference in ("sum_product", "mean_field"):
        answer = with_engine(joint, inference)
        assert not answer.exact
        np.testing.assert_allclose(answer.log_evidence(known), joint.log_evidence(known), atol=0.2)
        np.testing.assert_allclose(answer.log_tilt(log_odds), joint.log_tilt(log_odds), atol=0.2)
    for inference in ("max_product", "gibbs"):
        for ask, value in (("log_evidence", known), ("log_tilt", log_odds)):
            with pytest.raises(IntractableError, match=f"{inference} does not know.*sum_product"):
                getattr(with_engine(joint, inference), ask)(value)
