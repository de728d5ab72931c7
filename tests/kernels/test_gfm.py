import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfield import kernels
from labelfield.kernels.sets.bits import all_sets
from laws import f1_of_all_pairs, size_marginals_of
from strategies import generators


def random_law(rng, n_sets):
    """Return the probabilities of all sets for two rows: spread out, peaked or with ties."""
    p = rng.dirichlet(np.full(n_sets, rng.choice([0.02, 0.2, 2.0])), 2)
    return p if rng.random() < 0.7 else np.round(p, 1)


@settings(max_examples=260, deadline=None)
@given(rng=generators, L=st.integers(1, 8), data=st.data())
def test_expected_f1_is_the_best_of_all_sets(rng, L, data):
    min_size = data.draw(st.integers(0, L))
    max_size = data.draw(st.integers(max(min_size, 1), L))
    allow_empty = data.draw(st.booleans())
    sets = all_sets(L)
    p = random_law(rng, len(sets))
    worth = p @ f1_of_all_pairs(L)
    sizes = sets.sum(axis=1)
    allowed = (sizes >= min_size) & (sizes <= max_size) & (allow_empty | (sizes > 0))
    got, value = kernels.sets.gfm.maximize_f1(
        size_marginals_of(sets, p),
        p[:, 0],
        min_size=min_size,
        max_size=max_size,
        allow_empty=allow_empty,
    )
    np.testing.assert_allclose(value, worth[:, allowed].max(axis=1), atol=1e-13)
    index = got @ 2 ** np.arange(L)[::-1]
    assert allowed[index].all()
    np.testing.assert_allclose(worth[[0, 1], index], value, atol=1e-13)


def test_the_prediction_may_be_larger_than_every_possible_set():
    P = np.array([[[0.5], [0.5], [0.0]]])
    sets, value = kernels.sets.gfm.maximize_f1(P, np.zeros(1))
    np.testing.assert_array_equal(sets, [[1, 1, 0]])
    np.testing.assert_allclose(value, 2 / 3)


def test_the_empty_set_is_worth_its_probability():
    P = np.array([[[0.2, 0.0], [0.2, 0.0]]])
    sets, value = kernels.sets.gfm.maximize_f1(P, np.array([0.6]))
    assert not sets.any()
    np.testing.assert_allclose(value, 0.6)
    sets, value = kernels.sets.gfm.maximize_f1(P, np.array([0.6]), allow_empty=False)
    np.testing.assert_array_equal(sets, [[1, 1]])
    np.testing.assert_allclose(value, 0.8 / 3)


def test_ties_take_the_lower_labels():
    P = np.full((1, 4, 1), 0.25)
    sets, _ = kernels.sets.gfm.maximize_f1(P, np.zeros(1), max_size=2)
    np.testing.assert_array_equal(sets, [[1, 1, 0, 0]])


@pytest.mark.parametrize("sizes", [{"min_size": 3}, {"min_size": 2, "max_size": 1}])
def test_impossible_sizes_are_named(sizes):
    with pytest.raises(ValueError, match="no set of 2 labels has a size from"):
        kernels.sets.gfm.maximize_f1(np.zeros((1, 2, 2)), np.ones(1), **sizes)
    with pytest.raises(ValueError, match="allow_empty=False"):
        kernels.sets.gfm.maximize_f1(np.zeros((1, 2, 2)), np.ones(1), max_size=0, allow_empty=False)
