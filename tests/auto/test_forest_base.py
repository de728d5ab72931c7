"""The forests of the folds, which answer new rows together."""

import numpy as np
import pytest
from scipy.special import expit

from labelfield import LabelSetClassifier


@pytest.fixture(scope="module")
def forest_and_features(data):
    model = LabelSetClassifier().fit(data.X[:200], data.Y[:200])
    return model._bases["forest"], model._views.transform(data.X[200:])


def test_together_they_say_the_mean_of_what_each_says(forest_and_features):
    """On the scale of a single forest, which all that stands on them was fitted to."""
    forest, features = forest_and_features
    together = forest.scores(features)
    alone = [forest._ask([one], features) for one in forest.forests]
    assert len(alone) == 5
    np.testing.assert_allclose(
        expit(together.log_odds), np.mean([expit(part.log_odds) for part in alone], axis=0)
    )
    np.testing.assert_allclose(
        np.exp(together.of_sets), np.mean([np.exp(part.of_sets) for part in alone], axis=0)
    )


def test_labels_and_sets_in_no_tree_get_half_a_tree_of_one_forest(forest_and_features):
    forest, features = forest_and_features
    scores = forest.scores(features)
    assert expit(scores.log_odds).min() >= 0.5 / (forest.n_trees + 1.0) - 1e-12
    assert np.exp(scores.of_sets).min() == pytest.approx(0.5 / forest.n_trees)
