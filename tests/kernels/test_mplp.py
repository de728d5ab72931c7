"""The bound of MPLP is one, whatever happened before it stopped."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from label_graphs import families, random_field, random_tree, truth_of
from labelfield import kernels
from labelfield.joints import IsingJoint
from strategies import generators, random_graph


def lowered(joint, max_iter, tol=1e-12):
    coupling = np.atleast_2d(joint.coupling)
    return kernels.fields.mplp.mplp(joint.unary, joint.graph.arrays, coupling, max_iter, tol)


@settings(max_examples=60, deadline=None)
@given(
    rng=generators,
    n_labels=st.integers(1, 7),
    third_order=st.booleans(),
    strength=st.sampled_from([0.3, 2.0, 30.0]),
    max_iter=st.integers(1, 30),
)
def test_bound_holds_and_the_certificate_is_never_wrong(
    rng, n_labels, third_order, strength, max_iter
):
    joint = random_field(random_graph(rng, n_labels, third_order), 4, rng, strength)
    best = truth_of(joint).scores.max(axis=1)
    _, bound, _ = lowered(joint, max_iter)
    assert (bound >= best - 1e-9).all()
    answer = IsingJoint(
        joint.unary, joint.graph, joint.coupling, inference="sum_product", max_iter=max_iter
    )
    for k in (1, 3):
        ranked = -np.sort(-truth_of(joint).scores, axis=1)[:, :k]
        sets, log_score = answer.top_k(k)
        np.testing.assert_allclose(answer.log_score(sets), log_score)
        proven = answer.certified(k)
        np.testing.assert_allclose(log_score[proven], ranked[proven], atol=1e-9)
    assert (answer.log_score(answer.mode()) + answer.gap >= best - 1e-9).all()


def test_sweeps_never_raise_the_bound():
    joint = random_field(
        families(np.random.default_rng(0))["triples"], 20, np.random.default_rng(1)
    )
    bounds = [lowered(joint, n, -1.0)[1] for n in range(1, 8)]
    assert (np.diff(bounds, axis=0) <= 1e-12).all()


def test_tight_on_trees():
    rng = np.random.default_rng(2)
    joint = random_field(random_tree(11, rng), 100, rng, 2.0)
    best = truth_of(joint).scores.max(axis=1)
    belief, bound, settled = lowered(joint, 500)
    assert settled.all()
    np.testing.assert_allclose(bound, best, atol=1e-6)
    np.testing.assert_allclose(joint.log_score((belief > 0).astype(np.uint8)), best, atol=1e-9)


@pytest.mark.parametrize("name", ["grid", "sparse", "complete"])
def test_most_random_fields_are_proven(name):
    rng = np.random.default_rng(3)
    joint = random_field(families(rng)[name], 50, rng)
    answer = IsingJoint(joint.unary, joint.graph, joint.coupling, inference="mean_field")
    assert answer.certified().mean() > 0.5
