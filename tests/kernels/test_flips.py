"""Single flips: draws that leave the law alone, and improvements that end at local optima."""

import numpy as np
import pytest

from label_graphs import families, random_field
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
    kernels.fields.flips.gibbs_sweep(*parts(joint), draws, rng.random(draws.shape))
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
    kernels.fields.flips.improve(*parts(joint), ends)
    assert (joint.log_score(ends) >= joint.log_score(start)).all()
    for place in range(3):
        flipped = ends[:, place, None] ^ np.eye(joint.n_labels, dtype=np.uint8)
        best = joint.log_score(ends)[:, place, None]
        assert (joint.log_score(flipped) <= best + 1e-9).all()
