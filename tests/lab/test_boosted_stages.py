"""Two-level relevance with boosted second levels, beside fits by hand."""

import numpy as np
from lab.variants.boosted_stages import TREES, BoostedDependent, BoostedStacked
from lightgbm import LGBMClassifier

from labelfield import BinaryRelevance
from labelfield.datasets import make_multilabel

DATA = make_multilabel(n_samples=120, n_labels=3, coupling=2.0, random_state=0)
X, Y = DATA.X, DATA.Y


def trees():
    return LGBMClassifier(**TREES, n_jobs=1, verbose=-1, random_state=0)


def test_dependent_relevance_learns_trees_on_the_true_other_labels():
    model = BoostedDependent(alpha=1.0).fit(X, Y)
    first = BinaryRelevance(alpha=1.0, decoder="hamming").fit(X, Y).predict(X)
    for label in range(3):
        others = [other for other in range(3) if other != label]
        tree = trees().fit(np.column_stack([X, Y[:, others]]), Y[:, label])
        expected = tree.predict_proba(np.column_stack([X, first[:, others]]))[:, 1]
        np.testing.assert_allclose(model.predict_proba(X)[:, label], expected, atol=1e-6)


def test_stacked_relevance_is_logistic_below_and_boosted_above():
    model = BoostedStacked(alpha=1.0).fit(X, Y)
    plain = BinaryRelevance(alpha=1.0).fit(X, Y)
    np.testing.assert_allclose(
        model.first_level_.log_odds(X), plain.predict_joint(X).logits, atol=1e-4
    )
    first = plain.predict_proba(X)
    second = model.second_level_.log_odds(X, first)
    np.testing.assert_array_equal(model.second_level_.log_odds(X + 1e-9, first), second)
    assert ((second > 0) == (Y == 1)).mean() > (plain.predict(X) == Y).mean()


def test_the_strength_below_is_chosen():
    chosen = BinaryRelevance().fit(X, Y).alpha_
    for kind in (BoostedStacked, BoostedDependent):
        assert kind().fit(X, Y).first_level_.alpha == chosen != 1.0
