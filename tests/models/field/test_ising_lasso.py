"""The graph of labels alone against the law that they were drawn from."""

import itertools

import numpy as np
import pytest

from labelfield import IsingJoint, IsingLasso

EDGES = [(0, 1), (1, 2), (2, 3), (0, 4)]
WEIGHTS = np.array([1.6, -1.2, 1.4, 1.0])


@pytest.fixture(scope="module")
def drawn():
    joint = IsingJoint.from_signs(np.zeros((1, 5)), EDGES, WEIGHTS / 2)
    return joint.sample(3000, np.random.default_rng(0))[0]


@pytest.mark.parametrize("objective", ["exact", "pseudo"])
def test_finds_the_graph_that_labels_were_drawn_from(drawn, objective):
    graph = IsingLasso(objective=objective, alpha=60.0).fit(drawn).label_graph_
    assert len(graph.pairs) < 10
    strongest = graph.strongest(4)
    found = dict(zip(map(tuple, strongest.pairs.tolist()), strongest.weights))
    assert set(found) == set(EDGES)
    assert (np.sign([found[e] for e in EDGES]) == np.sign(WEIGHTS)).all()


def test_a_weak_penalty_gives_the_weights_back(drawn):
    model = IsingLasso(alpha=1.0, tol=1e-6).fit(drawn)
    found = dict(zip(map(tuple, model.edges_.tolist()), model.coupling_))
    np.testing.assert_allclose([found[e] for e in EDGES], WEIGHTS, atol=0.15)
    np.testing.assert_allclose(model.intercept_, 0.0, atol=0.15)


def test_the_law_sums_to_one_and_fits_better_than_independent_labels(drawn):
    model = IsingLasso(alpha=1.0).fit(drawn)
    sets = np.array(list(itertools.product([0, 1], repeat=5)), dtype=np.uint8)
    assert np.exp(model.score_samples(sets)).sum() == pytest.approx(1.0)
    independent = IsingLasso(alpha=1e6).fit(drawn)
    assert model.score(drawn) > independent.score(drawn) + 0.3
    np.testing.assert_allclose(independent.joint().marginals()[0], drawn.mean(axis=0), atol=1e-3)


def test_many_labels(drawn):
    model = IsingLasso(alpha=200.0, tol=1e-2).fit(np.tile(drawn[:600], 6))
    assert model.label_graph_.density < 0.2
    assert model._model.objective_ == "pseudo"


def test_a_list_of_sets_is_read_and_another_shape_refused():
    sets = [[0, 1], [1, 0], [1, 1], [0, 0]] * 5
    found, expected = IsingLasso().fit(sets), IsingLasso().fit(np.array(sets))
    np.testing.assert_array_equal(found.intercept_, expected.intercept_)
    with pytest.raises(ValueError, match="label sets"):
        IsingLasso().fit([0, 1])
