"""PLST against ridge regressions of all labels, projected on the leading eigenvectors."""

import numpy as np
from lab.comparators.plst import PrincipalLabelSpace
from sklearn.linear_model import Ridge

from comparator_contract import keeps_promises
from labelfield.datasets import make_multilabel


def test_it_projects_the_regressions_of_all_labels():
    data = make_multilabel(n_samples=150, n_labels=5, random_state=1)
    X, Y = data.X[:100], data.Y[:100].astype(float)
    values, vectors = np.linalg.eigh(np.cov(Y.T))
    leading = vectors[:, np.argsort(values)[-2:]]
    every = Ridge(alpha=2.0).fit(X, Y - Y.mean(axis=0)).predict(data.X[100:])
    expected = every @ leading @ leading.T + Y.mean(axis=0)
    model = PrincipalLabelSpace(n_components=2, alpha=2.0).fit(X, data.Y[:100])
    np.testing.assert_array_equal(model.predict(data.X[100:]), expected > 0.5)
    logits = model.predict_joint(data.X[100:]).logits
    np.testing.assert_allclose(logits / 8.0 + 0.5, expected, atol=1e-9)


def test_contract():
    keeps_promises(PrincipalLabelSpace())
