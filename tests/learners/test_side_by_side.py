import numpy as np

from labelfield.learners import LogisticLearner, find_spectrum
from labelfield.learners.logistic_loss import LogisticLoss
from labelfield.learners.rows import as_rows
from labelfield.learners.side_by_side import SideBySide, fit_side_by_side


def problems(rng):
    X = rng.normal(size=(60, 4))
    Y = (X[:, :3] + rng.normal(size=(60, 3)) > 0).astype(np.uint8)
    parts = [(X[:40], Y[:40], np.ones(40)), (X[20:], Y[20:, :2], rng.random(40))]
    return X, parts


def test_problems_solved_together_are_solved_as_each_by_itself():
    X, parts = problems(np.random.default_rng(0))
    given = [
        (as_rows(X, Y, weight), (np.zeros((4, Y.shape[1])), np.zeros(Y.shape[1])))
        for X, Y, weight in parts
    ]
    options = {"alpha": 0.7, "tol": 1e-9, "max_iter": 200}
    for part, (coef, intercept) in zip(parts, fit_side_by_side(given, find_spectrum(X), **options)):
        alone = LogisticLearner(**options).fit(*part)
        np.testing.assert_allclose(coef, alone.coef_, atol=1e-7)
        np.testing.assert_allclose(intercept, alone.intercept_, atol=1e-7)


def test_chosen_columns_keep_their_terms():
    rng = np.random.default_rng(1)
    loss = SideBySide([LogisticLoss(as_rows(*part)) for part in problems(rng)[1]])
    W = rng.normal(size=(5, 5))
    every = loss.terms(W)
    for chosen in ([0, 2, 4], [3], [0, 1, 2]):
        some = loss.take(np.array(chosen)).terms(W[:, chosen])
        np.testing.assert_allclose(some.value, every.value[chosen], rtol=1e-12)
        np.testing.assert_allclose(some.gradient, every.gradient[:, chosen], rtol=1e-10)
        np.testing.assert_allclose(some.curvature, every.curvature[chosen], rtol=1e-12)
