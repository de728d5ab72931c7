"""Sums of differences against scipy."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from labelfield.kernels.losses.differences import sums_of_differences


@pytest.mark.parametrize(("n", "m", "d"), [(1, 1, 1), (7, 5, 3), (4, 70, 9), (3, 2, 0)])
def test_it_is_the_city_block_distance(n, m, d):
    rng = np.random.default_rng(n)
    A, B = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    expected = cdist(A, B, "cityblock") if d else np.zeros((n, m))
    np.testing.assert_allclose(sums_of_differences(A, np.ascontiguousarray(B.T)), expected)
