"""Sweeps: draws keep the distribution, flips end at optima, mean field is the textbook's."""

import numpy as np
import pytest

from label_graphs import families, random_field, truth_of
from labelfield import kernels
from laws import enumerate_law

FAMILIES = families(np.random.default_rng(0))


def parts(joint):
    return joint.unary, joint.graph.arrays, np.atleast_2d(joint.coupling)


def test_a_sweep_leaves_the_law_alone():
    rng = np.random.default_rng(1)
    joint = random_field(FAMILIES["triples"], 1, rng)
    sets, p = enumerate_law(joint)
    joint = joint.take(np.zeros(40_000, dtype=int))
    draws = joint.take([0]).sample(40_000, rng)[0]
    kernels.fields.sweeps.gibbs_sweep(*parts(joint), draws, rng.random(draws.shape))
    np.testing.assert_allclose(draws.mean(axis=0), p[0] @ sets, atol=0.015)
    np.testing.assert_allclose(
        draws.T @ draws.astype(float) / 40_000, sets.T @ (p.T * sets), atol=0.015
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_improvements_end_where_no_flip_helps(name):
    rng = np.random.default_rng(2)
    joint = random_field(FAMILIES[name], 6, rng, 2.0)
    start = rng.integers(0, 2, (6, 3, joint.n_labels)).astype(np.uint8)
    ends = start.copy()
    kernels.fields.sweeps.improve(*parts(joint), ends)
    assert (joint.log_score(ends) >= joint.log_score(start)).all()
    for place in range(3):
        flipped = ends[:, place, None] ^ np.eye(joint.n_labels, dtype=np.uint8)
        best = joint.log_score(ends)[:, place, None]
        assert (joint.log_score(flipped) <= best + 1e-9).all()


def solved(joint, max_iter=200, tol=1e-12):
    coupling = np.atleast_2d(joint.coupling)
    return kernels.fields.sweeps.mean_field(
        joint.unary, joint.graph.arrays, coupling, max_iter, tol
    )


def log_odds(unary, cliques, coupling, mean, label):
    """Return the log-odds of a label beside independent others."""
    others = [
        weight * np.prod([mean[m] for m in clique if m != label])
        for clique, weight in zip(cliques, coupling, strict=True)
        if label in clique
    ]
    return unary[label] + sum(others)


@pytest.mark.parametrize("name", FAMILIES)
def test_sweeps_equal_the_textbook(name):
    joint = random_field(FAMILIES[name], 2, np.random.default_rng(1))
    _, mean, present, _ = solved(joint, max_iter=3, tol=-1.0)
    for row in range(2):
        field = joint.unary[row], joint.graph.cliques, joint.coupling[row]
        even = np.full(joint.n_labels, 0.5)
        p = [1 / (1 + np.exp(-log_odds(*field, even, v))) for v in range(joint.n_labels)]
        for _ in range(3):
            for v in range(joint.n_labels):
                p[v] = 1 / (1 + np.exp(-log_odds(*field, p, v)))
        np.testing.assert_allclose(mean[row], p)
        products = [np.prod([p[v] for v in clique]) for clique in joint.graph.cliques]
        np.testing.assert_allclose(present[row], products)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("strength", [0.5, 3.0])
def test_bounds_the_partition_function_from_below(name, strength):
    joint = random_field(FAMILIES[name], 20, np.random.default_rng(2), strength)
    log_partition = truth_of(joint).log_partition
    assert (solved(joint)[0] <= log_partition + 1e-10).all()
    loose = random_field(FAMILIES[name], 20, np.random.default_rng(2), 1e-3)
    np.testing.assert_allclose(solved(loose)[0], truth_of(loose).log_partition, atol=1e-4)
