"""Nearest mixed rows against a plain search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lab.restorers.neighbors import MixedNeighbors
from numpy.testing import assert_allclose, assert_array_equal


def plain_search(numbers, codes, row, states, weight, k):
    """Distances to every stored row; a stable sort, so that the first of equals wins."""
    square = np.nansum((numbers - row) ** 2, axis=1)
    square = square + weight * ((codes != states) & (states >= 0)).sum(axis=1)
    order = np.argsort(square, kind="stable")[:k]
    return order, square[order]


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    mc=st.integers(0, 3),
    md=st.integers(0, 4),
    weight=st.sampled_from([0.0, 0.5, 2.0, 10.0]),
    k=st.integers(1, 5),
)
def test_the_same_rows_as_a_plain_search(seed, mc, md, weight, k):
    rng = np.random.default_rng(seed)
    # whole numbers, so that sums are exact and ties abound
    numbers, codes = rng.integers(0, 4, (30, mc)).astype(float), rng.integers(0, 3, (30, md))
    rows, states = rng.integers(0, 4, (6, mc)).astype(float), rng.integers(-1, 4, (6, md))
    rows[rng.random(rows.shape) < 0.3] = np.nan
    index, square = MixedNeighbors.of(numbers, codes, weight=weight).nearest(rows, states, k)
    for i in range(len(rows)):
        order, distance = plain_search(numbers, codes, rows[i], states[i], weight, k)
        assert_allclose(square[i], distance)
        assert_array_equal(index[i], order)


def test_more_neighbours_than_rows():
    index, square = MixedNeighbors.of(np.array([[0.0], [3.0]]), np.zeros((2, 1)), weight=1).nearest(
        np.array([[2.0]]), np.array([[1]]), 5
    )
    assert index.tolist() == [[1, 0]]
    assert square.tolist() == [[2.0, 5.0]]


@pytest.mark.parametrize("shape", [(0, 2), (2, 0)])
def test_one_kind_of_column_is_enough(shape):
    mc, md = shape
    rng = np.random.default_rng(0)
    numbers, codes = rng.normal(size=(20, mc)), rng.integers(0, 2, (20, md))
    index, square = MixedNeighbors.of(numbers, codes, weight=1.0).nearest(numbers, codes, 1)
    assert_allclose(square, 0.0)
    assert_array_equal(codes[index[:, 0]], codes)
