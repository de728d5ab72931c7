import numpy as np
import pytest

from labelfield import kernels
from labelfield.kernels.bits import all_sets


@pytest.mark.parametrize("n_labels", [1, 2, 5, 9])
def test_scores_of_all_sets_equal_the_sums(n_labels):
    rng = np.random.default_rng(n_labels)
    unary = rng.normal(size=n_labels)
    coupling = np.triu(rng.normal(size=(n_labels, n_labels)), k=1)
    coupling += coupling.T
    gain, scores = np.empty(2 ** max(n_labels - 1, 0)), np.empty(2**n_labels)
    kernels.subset_scores.fill_scores(unary, coupling, gain, scores)
    sets = all_sets(n_labels).astype(float)
    expected = sets @ unary + 0.5 * np.einsum("si,ij,sj->s", sets, coupling, sets)
    np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_best_set_is_the_first_of_the_best():
    scores = np.array([5.0, 1.0, 3.0, 3.0])
    assert kernels.subset_scores.best_subset(scores, 0) == 0
    best = kernels.subset_scores.best_subset(scores, 1)
    labels = np.empty(2, dtype=np.uint8)
    kernels.subset_scores.subset_of(best, labels)
    assert labels.tolist() == [1, 0]
