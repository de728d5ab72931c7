"""Scores of all sets against matrix products; the answers are tested as an engine."""

import numpy as np
import pytest

from labelfield import kernels
from labelfield.kernels.sets.bits import all_sets


@pytest.mark.parametrize("n_labels", [1, 2, 5, 9])
def test_scores_of_all_sets_equal_the_sums(n_labels):
    rng = np.random.default_rng(n_labels)
    unary = rng.normal(size=n_labels)
    coupling = np.triu(rng.normal(size=(n_labels, n_labels)), k=1)
    coupling += coupling.T
    gain, scores = np.empty(2 ** max(n_labels - 1, 0)), np.empty(2**n_labels)
    kernels.fields.enumeration.fill_scores(unary, coupling, gain, scores)
    sets = all_sets(n_labels).astype(float)
    expected = sets @ unary + 0.5 * np.einsum("si,ij,sj->s", sets, coupling, sets)
    np.testing.assert_allclose(scores, expected, atol=1e-12)
