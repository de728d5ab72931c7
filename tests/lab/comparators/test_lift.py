"""Features of LIFT: distances to means of clusters that are plain to see."""

import numpy as np
from lab.comparators.lift import LabelSpecificFeatures
from sklearn.svm import SVC

from comparator_contract import keeps_promises


def test_features_are_distances_to_the_means_of_the_clusters():
    corners = np.array([[0.0, 0.0], [0.0, 9.0], [9.0, 0.0], [9.0, 9.0]])
    rng = np.random.default_rng(0)
    X = np.repeat(corners, 10, axis=0) + rng.normal(0, 0.1, (40, 2))
    y = np.repeat([1, 0, 0, 1], 10)  # neither side lies in one place
    model = LabelSpecificFeatures(ratio=0.1, random_state=0).fit(X, y[:, None])
    means = X.reshape(4, 10, 2).mean(axis=1)[[0, 3, 1, 2]]  # with the label, then without
    found = model.centers_[0]
    assert found.shape == (4, 2)
    for half in (slice(0, 2), slice(2, 4)):
        order = np.argsort(found[half, 0])
        np.testing.assert_allclose(found[half][order], means[half][np.argsort(means[half, 0])])

    distances = np.sqrt(((X[:, None] - found) ** 2).sum(axis=2))
    expected = SVC(kernel="linear").fit(distances, y).decision_function(distances)
    np.testing.assert_allclose(model.predict_joint(X).logits[:, 0], expected, atol=1e-6)
    np.testing.assert_array_equal(model.predict(X)[:, 0], y)


def test_contract():
    keeps_promises(LabelSpecificFeatures(random_state=0))
