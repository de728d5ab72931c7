"""The conditional RBM with weights chosen on held-out rows."""

import numpy as np
import pytest
from lab.variants.validated_rbm import ValidatedRBM

from labelfield import ConditionalRBM
from labelfield.datasets import hide_labels, make_multilabel

DATA = make_multilabel(n_samples=150, n_labels=4, random_state=0)
MARKS = hide_labels(DATA.Y, 0.3, random_state=0)
SMALL = {"n_hidden": 2, "max_iter": 3, "random_state": 0}
RELATED = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], dtype=float)


def test_last_fit_is_the_plain_machine_with_the_chosen_weights():
    model = ValidatedRBM(n_validation=30, relatedness=RELATED, **SMALL).fit(DATA.X, MARKS)
    plain = ConditionalRBM(
        positives_only=True,
        recovery="viterbi",
        inference="mean_field",
        relatedness=RELATED,
        **model.chosen_,
        **SMALL,
    ).fit(DATA.X, MARKS)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    np.testing.assert_array_equal(model.predict(DATA.X), plain.predict(DATA.X))


def test_a_cost_that_forbids_all_labels_is_not_chosen():
    model = ValidatedRBM(n_validation=30, sparsities=(0.01, 50.0), **SMALL).fit(DATA.X, MARKS)
    assert model.chosen_["sparsity"] == 0.01
    worse = ValidatedRBM(n_validation=30, sparsities=(50.0,), **SMALL).fit(DATA.X, MARKS)
    assert worse.predict(DATA.X).sum() == pytest.approx(0.0)
