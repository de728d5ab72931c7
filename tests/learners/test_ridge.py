"""Ridge regressions of all rows but some against fits without them."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.kernel_ridge import KernelRidge as SklearnRidge

from labelfield.learners import KernelRidge, LandmarkRidge

PENALTIES = (0.05, 2.0)
FOLDS = [
    (np.r_[10:40], np.r_[0:10]),
    (np.r_[0:10, 25:40], np.r_[10:25]),
    (np.r_[0:25], np.r_[25:40]),
]


@pytest.fixture(params=["alike", "weighted", "some without weight"])
def data(request):
    """Kernel (40, 40), targets (40, 3) and weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    weight = None if request.param == "alike" else rng.random(40) + 0.5
    if request.param == "some without weight":
        weight[[3, 12, 30]] = 0.0
    return np.exp(-cdist(X, X, "cityblock")), rng.normal(size=(40, 3)), weight


def centred_fit(kernel, targets, weight, penalty):
    """Return scikit-learn's regression of the targets less their weighted mean, and the mean."""
    mean = np.average(targets, axis=0, weights=weight)
    model = SklearnRidge(alpha=penalty, kernel="precomputed")
    return model.fit(kernel, targets - mean, sample_weight=weight), mean


@pytest.mark.parametrize("penalty", PENALTIES)
def test_weights_of_rows_are_those_of_scikit_learn(data, penalty):
    kernel, targets, weight = data
    problem = KernelRidge(kernel, targets, weight)
    model, mean = centred_fit(kernel, targets, weight, penalty)
    np.testing.assert_allclose(problem.mean, mean)
    np.testing.assert_allclose(kernel @ problem.solve(penalty), model.predict(kernel), atol=1e-6)


def test_held_out_rows_get_what_a_fit_without_their_fold_says(data):
    kernel, targets, weight = data
    answers = KernelRidge(kernel, targets, weight).held_out(FOLDS, PENALTIES)
    for answer, penalty in zip(answers, PENALTIES):
        for train, test in FOLDS:
            part = None if weight is None else weight[train]
            model, mean = centred_fit(kernel[np.ix_(train, train)], targets[train], part, penalty)
            expected = model.predict(kernel[np.ix_(test, train)]) + mean
            np.testing.assert_allclose(answer[test], expected, atol=1e-6)


def test_landmarks_hold_out_what_a_fit_without_the_fold_says(data):
    kernel, targets, weight = data
    among, to_landmarks = kernel[:8, :8], kernel[:, :8]
    answers = LandmarkRidge(among, to_landmarks, targets, weight).held_out(FOLDS, PENALTIES)
    for answer, penalty in zip(answers, PENALTIES):
        for train, test in FOLDS:
            part = None if weight is None else weight[train]
            alone = LandmarkRidge(among, to_landmarks[train], targets[train], part)
            expected = to_landmarks[test] @ alone.solve(penalty) + alone.mean
            np.testing.assert_allclose(answer[test], expected, atol=1e-6)


def test_all_rows_as_landmarks_are_the_same_regression(data):
    kernel, targets, weight = data
    exact, by_landmarks = KernelRidge(kernel, targets, weight), LandmarkRidge(kernel, *data)
    for one, other in zip(*(part.held_out(FOLDS, PENALTIES) for part in (exact, by_landmarks))):
        np.testing.assert_allclose(one, other, atol=1e-5)
