"""Message passing against textbook message tables."""

from itertools import product

import numpy as np
import pytest

from label_graphs import families, random_field, random_tree, truth_of
from labelfield import kernels
from labelfield.joints import IsingJoint
from labelfield.joints.factor_graph import FactorGraph

FAMILIES = families(np.random.default_rng(0))
SUM, MAX = False, True


def textbook_log_odds(joint, row, total, n_rounds):
    """Return log-odds after parallel rounds with tables over {0, 1}; `total` sums or maximises."""
    graph, unary = joint.graph, joint.unary[row]
    coupling = np.broadcast_to(joint.coupling, (len(joint), graph.n_cliques))[row]
    messages = {(c, v): np.ones(2) for c, clique in enumerate(graph.cliques) for v in clique}
    own = {v: np.array([1.0, np.exp(unary[v])]) for v in range(graph.n_labels)}
    for _ in range(n_rounds):
        renewed = {}
        for c, clique in enumerate(graph.cliques):
            for v in clique:
                table = [[], []]
                for values in product((0, 1), repeat=len(clique)):
                    weight = np.exp(coupling[c] * np.prod(values))
                    for u, y in zip(clique, values, strict=True):
                        if u != v:
                            rest = [m for (d, w), m in messages.items() if w == u and d != c]
                            weight *= own[u][y] * np.prod([m[y] for m in rest])
                    table[values[clique.index(v)]].append(weight)
                renewed[c, v] = np.array([total(table[0]), total(table[1])])
        messages = renewed
    belief = [
        own[v] * np.prod([m for (_, w), m in messages.items() if w == v], axis=0)
        for v in range(graph.n_labels)
    ]
    return np.array([np.log(b[1] / b[0]) for b in belief])


def passed(joint, maximize, sequential=True, damping=0.5, max_iter=500, tol=1e-12):
    field = joint.unary, joint.graph.arrays, np.atleast_2d(joint.coupling)
    return kernels.fields.messages.pass_messages(
        *field, maximize, sequential, damping, max_iter, tol
    )


@pytest.mark.parametrize("name", ["sparse", "complete", "triples", "no edge"])
@pytest.mark.parametrize(("maximize", "total"), [(SUM, sum), (MAX, max)])
def test_parallel_rounds_equal_the_textbook(name, maximize, total):
    joint = random_field(FAMILIES[name], 3, np.random.default_rng(1), 1.5)
    belief, _, settled, _ = passed(joint, maximize, False, 0.0, 3, -1.0)
    wanted = [textbook_log_odds(joint, row, total, 3) for row in range(3)]
    np.testing.assert_allclose(belief, wanted, rtol=1e-9, atol=1e-9)
    assert not settled.any()


@pytest.mark.parametrize("sequential", [True, False])
@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_exact_on_trees(sequential, damping):
    rng = np.random.default_rng(2)
    joint = random_field(random_tree(11, rng), 150, rng, 2.0)
    truth = truth_of(joint)
    belief, message, settled, _ = passed(joint, SUM, sequential, damping)
    assert settled.all()
    np.testing.assert_allclose(1.0 / (1.0 + np.exp(-belief)), truth.marginals, atol=1e-10)
    log_partition, present = kernels.fields.messages.read_sum_product(
        belief, message, joint.graph.arrays, joint.coupling
    )
    np.testing.assert_allclose(log_partition, truth.log_partition, atol=1e-9)
    np.testing.assert_allclose(present, truth.clique_marginals, atol=1e-9)
    belief, _, settled, _ = passed(joint, MAX, sequential, damping)
    assert settled.all()
    scores = joint.log_score((belief > 0).astype(np.uint8))
    np.testing.assert_allclose(scores, truth.scores.max(axis=1), atol=1e-9)


def test_both_schedules_settle_on_the_same_beliefs():
    joint = random_field(FAMILIES["triples"], 5, np.random.default_rng(3), 0.5)
    one, other = passed(joint, SUM, True), passed(joint, SUM, False)
    assert one[2].all()
    assert other[2].all()
    np.testing.assert_allclose(one[0], other[0], atol=1e-9)


@pytest.mark.parametrize("maximize", [SUM, MAX])
def test_rows_do_not_depend_on_each_other(maximize):
    joint = random_field(FAMILIES["complete"], 150, np.random.default_rng(4), 1.0)
    together = passed(joint, maximize, tol=1e-3)
    for row in (0, 70, 149):
        alone = passed(joint.take([row]), maximize, tol=1e-3)
        np.testing.assert_array_equal(alone[0][0], together[0][row])
        assert alone[3][0] == together[3][row]


def test_certain_labels_and_strong_couplings_stay_finite():
    joint = random_field(FAMILIES["triples"], 4, np.random.default_rng(5), 150.0)
    joint = joint.tilt(np.random.default_rng(6).normal(0.0, 900.0, joint.unary.shape))
    for maximize in (SUM, MAX):
        belief, message, _, _ = passed(joint, maximize, max_iter=30)
        assert np.isfinite(belief).all()
        assert np.isfinite(message).all()


@pytest.mark.parametrize("sequential", [True, False])
@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_ratios_and_logs_take_the_same_steps(sequential, damping):
    joint = random_field(FAMILIES["complete"], 140, np.random.default_rng(7), 2.0)
    cliques = [*joint.graph.cliques, (0, 1, 2)]  # a larger clique of no weight calls for logs
    coupling = np.column_stack([joint.coupling, np.zeros(140)])
    with_logs = IsingJoint(joint.unary, FactorGraph(8, cliques), coupling)
    by_ratios = passed(joint, SUM, sequential, damping, 12, 1e-3)
    by_logs = passed(with_logs, SUM, sequential, damping, 12, 1e-3)
    np.testing.assert_allclose(by_ratios[0], by_logs[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(by_ratios[1], by_logs[1][:, :-3], rtol=1e-9, atol=1e-9)
    assert (by_ratios[3] == by_logs[3]).mean() > 0.95  # both measure change, one in logs
