from itertools import product

import numpy as np
import pytest

from labelfield.kernels.sets.bits import all_sets, pack, unique_sets


@pytest.mark.parametrize("n_labels", [1, 3, 9])
def test_all_sets_count_up(n_labels):
    sets = all_sets(n_labels)
    assert sets.dtype == np.uint8
    np.testing.assert_array_equal(sets, list(product([0, 1], repeat=n_labels)))
    np.testing.assert_array_equal(np.argsort(pack(sets)), np.arange(2**n_labels))


@pytest.mark.parametrize("n_labels", [0, 21])
def test_all_sets_refuses_what_cannot_be_listed(n_labels):
    with pytest.raises(ValueError, match=rf"got L = {n_labels}"):
        all_sets(n_labels)


@pytest.mark.parametrize("n_labels", [1, 8, 63, 64, 65, 130])
def test_keys_tell_sets_apart_and_sort_them(n_labels):
    rng = np.random.default_rng(n_labels)
    Y = (rng.random((40, n_labels)) < 0.5).astype(np.uint8)
    Y[20:] = Y[:20]
    keys = pack(Y.reshape(8, 5, n_labels))
    assert keys.shape == (8, 5)
    same = (Y[:, None] == Y).all(axis=2)
    np.testing.assert_array_equal(keys.ravel()[:, None] == keys.ravel(), same)
    np.testing.assert_array_equal(unique_sets(Y), np.unique(Y, axis=0))


@pytest.mark.parametrize("n_labels", [5, 64, 65, 130])
def test_keys_do_not_depend_on_the_layout(n_labels):
    Y = (np.random.default_rng(0).random((10, n_labels)) < 0.5).astype(np.uint8)
    np.testing.assert_array_equal(pack(np.asfortranarray(Y)), pack(Y))
