"""Sizes estimated directly: frequencies where features tell nothing, and their best sets."""

from itertools import product

import numpy as np
from lab.comparators.lsf import DirectSizes

from comparator_contract import keeps_promises
from labelfield.datasets import make_multilabel


def test_without_features_the_tables_are_frequencies():
    Y = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0], [0, 0, 0], [1, 1, 0]])
    model = DirectSizes(tol=1e-10).fit(np.zeros((6, 1)), Y)
    by_size, empty = model.predict_joint(np.zeros((1, 1))).size_table()
    counts = [[(Y[:, label] & (Y.sum(1) == s)).mean() for s in (1, 2, 3)] for label in range(3)]
    np.testing.assert_allclose(by_size[0], counts, atol=1e-6)
    np.testing.assert_allclose(empty, 1 / 6, atol=1e-6)


def test_the_answer_is_the_best_of_all_sets_by_its_tables():
    data = make_multilabel(n_samples=200, n_labels=4, random_state=2)
    model = DirectSizes().fit(data.X, data.Y)
    by_size, empty = model.predict_joint(data.X[:20]).size_table()
    sets = np.array(list(product([0, 1], repeat=4)))
    totals = sets.sum(axis=1)[:, None] + np.arange(1, by_size.shape[2] + 1)
    worth = np.einsum("kl,nls,ks->nk", sets, by_size, 2.0 / totals)
    worth[:, 0] = empty
    if data.Y.any(axis=1).all():
        worth[:, 0] = -1.0
    np.testing.assert_array_equal(model.predict(data.X[:20]), sets[worth.argmax(axis=1)])


def test_contract():
    keeps_promises(DirectSizes(tol=1e-9))
