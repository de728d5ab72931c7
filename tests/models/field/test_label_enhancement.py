from itertools import product

import numpy as np
from sklearn.linear_model import LogisticRegression

from labelfield import LabelEnhancement


def toy(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    Y = (X @ rng.normal(size=(4, 4)) + rng.normal(size=(n, 4)) > 0.3).astype(np.uint8)
    Y[:, 3] |= Y[:, 1]
    return X, Y


def test_the_score_is_the_sum_of_separate_regressions():
    X, Y = toy()
    Y[:20, 3] = 0  # so that every pair has all four states
    model = LabelEnhancement(alpha=2.0, tol=1e-9).fit(X, Y)
    regression = LogisticRegression(C=0.5, tol=1e-10, max_iter=5000)
    sets = np.array(list(product((0, 1), repeat=4)))
    scores = np.zeros((len(X), 16))
    for label in range(4):
        scores += clone_fit(regression, X, Y[:, label])[:, sets[:, label]]
    for first, second in model.edges_:
        states = clone_fit(regression, X, 2 * Y[:, first].astype(int) + Y[:, second])
        scores += states[:, 2 * sets[:, first] + sets[:, second]]
    joint = model.predict_joint(X)
    assert joint.exact
    expected = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    listed = np.broadcast_to(sets.astype(np.uint8), (len(X), 16, 4))
    np.testing.assert_allclose(joint.log_prob(listed), expected, atol=1e-3)


def clone_fit(regression, X, y):
    return regression.fit(X, y).predict_log_proba(X)


def test_the_tree_joins_labels_that_occur_together():
    X, Y = toy()
    model = LabelEnhancement().fit(X, Y)
    assert len(model.edges_) == 3
    together = Y.T.astype(int) @ Y
    np.fill_diagonal(together, 0)
    heaviest = np.unravel_index(together.argmax(), together.shape)
    assert tuple(model.edges_[0]) == tuple(sorted(heaviest))
    assert len(model.label_graph_.edges()) == 3


def test_labels_that_never_meet_are_not_joined():
    X, Y = toy()
    exclusive = np.column_stack([Y[:, 0], 1 - Y[:, 0]])
    model = LabelEnhancement().fit(X, exclusive)
    assert len(model.edges_) == 0
    assert model.label_graph_.edges() == []
